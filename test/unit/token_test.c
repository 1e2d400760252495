/*
 * token_test.c
 *	  Members and elements of JSON text, and bytes that are no JSON.
 */
#include "token.h"
#include "unit.h"

static CfdwSlice
slice_of(const char *text)
{
	return (CfdwSlice){text, strlen(text)};
}

/* The walk's findings, "name=value" or "value", each in angle brackets; "!" behind them if the text is malformed. */
static char *
describe(CfdwArena *arena, CfdwSlice json)
{
	CfdwTokens tokens;
	CfdwSlice name = {NULL, 0};
	CfdwSlice value;
	CfdwBuf out;

	cfdw_buf_init(&out, arena);
	cfdw_tokens_open(&tokens, json);
	while (cfdw_tokens_next(&tokens, &name, &value))
	{
		cfdw_buf_putc(&out, '<');
		if (tokens.object)
		{
			cfdw_buf_add(&out, name.data, name.len);
			cfdw_buf_putc(&out, '=');
		}
		cfdw_buf_add(&out, value.data, value.len);
		cfdw_buf_putc(&out, '>');
	}
	if (tokens.malformed)
		cfdw_buf_putc(&out, '!');
	return out.data;
}

static const char *const walks[][2] = {
	{"{}", ""},
	{" [ ] ", ""},
	{"{\"a\":1}", "<a=1>"},
	{"{\"a\" : -1.5e+3 ,\n\"b\"\t:\r[ 1 , {\"x\":\"]\"} ] , \"c\":null}", "<a=-1.5e+3><b=[ 1 , {\"x\":\"]\"} ]><c=null>"},
	{"[true,false,null,\"\",{},[]]", "<true><false><null><\"\"><{}><[]>"},
	{"{\"a\\\"b\":\"c\\\\\",\"\":\"\\\\\\\"\"}", "<a\\\"b=\"c\\\\\"><=\"\\\\\\\"\">"},
	{"[[\"[\"],\"]\",[[[]]]]", "<[\"[\"]><\"]\"><[[[]]]>"},
	{"{\"a\":1,\"a\":2}", "<a=1><a=2>"},
	/* no JSON */
	{"", "!"},
	{"  ", "!"},
	{"1", "!"},
	{"\"a\"", "!"},
	{"{", "!"},
	{"[", "!"},
	{"[1", "!"},
	{"[1 2]", "!"},
	{"[1}", "!"},
	{"[,1]", "!"},
	{"{\"a\"}", "!"},
	{"{\"a\":}", "!"},
	{"{\"a\" 1}", "!"},
	{"{1:2}", "!"},
	{"{\"a:1}", "!"},
	{"{\"a\":\"b}", "!"},
	{"{\"a\":{\"b\":1}", "!"},
	{"{\"a\":{\"b\":1", "!"},
	{"{\"a\":\"\\\"}", "!"},
};

static void
test_walks(void)
{
	CfdwArena *arena = cfdw_arena_new(NULL, "test");

	for (int i = 0; i < lengthof(walks); i++)
		CHECK_STR(describe(arena, slice_of(walks[i][0])), walks[i][1]);
	cfdw_arena_free(arena);
}

/* Every prefix and every damaged byte, in memory of exactly that size: the sanitizer sees a read beyond it. */
static void
test_bounds(void)
{
	for (int i = 0; i < lengthof(walks); i++)
	{
		size_t len = strlen(walks[i][0]);

		for (size_t cut = 0; cut <= len; cut++)
			for (size_t at = 0; at <= cut; at++)
			{
				CfdwArena *arena = cfdw_arena_new(NULL, "test");
				char *copy = malloc(cut + 1);

				memcpy(copy, walks[i][0], cut);
				if (at < cut)
					copy[at] = "\"\\{}[],: x"[(i + at + cut) % 10];
				copy = realloc(copy, Max(cut, 1));
				describe(arena, (CfdwSlice){copy, cut});
				free(copy);
				cfdw_arena_free(arena);
			}
	}
	CHECK(true);
}

int
main(void)
{
	test_walks();
	test_bounds();
	return unit_done("token");
}

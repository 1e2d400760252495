/*
 * pointer_test.c
 *	  JSON Pointers: the examples of RFC 6901, indexes, wildcards, errors.
 */
#include "pointer.h"
#include "unit.h"

/* The pointer's names, each in angle brackets, "*" marked as such and indexes behind a "#". */
static char *
describe(CfdwArena *arena, const CfdwPointer *pointer)
{
	CfdwBuf out;

	cfdw_buf_init(&out, arena);
	for (int i = 0; i < pointer->count; i++)
	{
		const CfdwSegment *segment = &pointer->segments[i];

		CHECK_INT(segment->len, strlen(segment->name));
		cfdw_buf_puts(&out, cfdw_printf(arena, segment->wildcard ? "<*%s>" : "<%s>", segment->name));
		if (segment->index >= 0)
			cfdw_buf_puts(&out, cfdw_printf(arena, "#%lld", (long long) segment->index));
	}
	return out.data;
}

static void
test_parts(void)
{
	static const char *const cases[][2] = {
		/* RFC 6901 section 5 */
		{"", ""},
		{"/foo", "<foo>"},
		{"/foo/0", "<foo><0>#0"},
		{"/", "<>"},
		{"/a~1b", "<a/b>"},
		{"/c%d", "<c%d>"},
		{"/e^f", "<e^f>"},
		{"/g|h", "<g|h>"},
		{"/i\\j", "<i\\j>"},
		{"/k\"l", "<k\"l>"},
		{"/ ", "< >"},
		{"/m~0n", "<m~n>"},
		/* "~01" is "~1", never "/" */
		{"/~01", "<~1>"},
		{"/~00~11", "<~0/1>"},
		{"/a~0/b~1", "<a~><b/>"},
		{"//", "<><>"},
		{"/a//b/", "<a><><b><>"},
		{"/@odata.nextLink", "<@odata.nextLink>"},
		{"/gr\xC3\xB6\xC3\x9F"
		 "e",
		 "<gr\xC3\xB6\xC3\x9F"
		 "e>"},
		/* indexes */
		{"/10", "<10>#10"},
		{"/01", "<01>"},
		{"/00", "<00>"},
		{"/-", "<->"},
		{"/-1", "<-1>"},
		{"/+1", "<+1>"},
		{"/1e3", "<1e3>"},
		{"/1 ", "<1 >"},
		{"/9223372036854775807", "<9223372036854775807>#9223372036854775807"},
		{"/9223372036854775808", "<9223372036854775808>"},
		{"/99999999999999999999999", "<99999999999999999999999>"},
		/* a name that merely holds a star is a name */
		{"/a*", "<a*>"},
		{"/**", "<**>"},
	};

	for (size_t i = 0; i < lengthof(cases); i++)
	{
		CfdwArena *arena = cfdw_arena_new(NULL, "test");
		CfdwPointer pointer;
		CfdwError err;

		CHECK_CASE(cfdw_pointer_parse(arena, cases[i][0], false, &pointer, &err), cases[i][0]);
		CHECK_STR(describe(arena, &pointer), cases[i][1]);
		CHECK(!pointer.has_wildcard);
		cfdw_arena_free(arena);
	}
}

static void
test_wildcards(void)
{
	CfdwArena *arena = cfdw_arena_new(NULL, "test");
	CfdwPointer pointer;
	CfdwError err;

	CHECK(cfdw_pointer_parse(arena, "/entry/*/resource", true, &pointer, &err));
	CHECK(pointer.has_wildcard);
	CHECK_STR(describe(arena, &pointer), "<entry><**><resource>");
	CHECK(cfdw_pointer_parse(arena, "/*/*", true, &pointer, &err));
	CHECK_STR(describe(arena, &pointer), "<**><**>");
	CHECK(cfdw_pointer_parse(arena, "/a", true, &pointer, &err));
	CHECK(!pointer.has_wildcard);
	cfdw_arena_free(arena);
}

static void
test_errors(void)
{
	static const struct
	{
		const char *text;
		bool allow_wildcard;
		const char *message;
	} cases[] = {
		{"foo", true, "\"foo\" is not a JSON pointer"},
		{"#/foo", true, "\"#/foo\" is not a JSON pointer"},
		{" /foo", true, "\" /foo\" is not a JSON pointer"},
		{"*", true, "\"*\" is not a JSON pointer"},
		{"/~", true, "\"/~\" is not a JSON pointer"},
		{"/a~2b", true, "\"/a~2b\" is not a JSON pointer"},
		{"/a~/b", true, "\"/a~/b\" is not a JSON pointer"},
		{"/a/b~", true, "\"/a/b~\" is not a JSON pointer"},
		{"/a/*/b", false, "JSON pointer \"/a/*/b\" has a wildcard"},
		{"/*", false, "JSON pointer \"/*\" has a wildcard"},
	};

	for (size_t i = 0; i < lengthof(cases); i++)
	{
		CfdwArena *arena = cfdw_arena_new(NULL, "test");
		CfdwPointer pointer;
		CfdwError err;

		CHECK_CASE(!cfdw_pointer_parse(arena, cases[i].text, cases[i].allow_wildcard, &pointer, &err), cases[i].text);
		CHECK_INT(err.kind, CFDW_ERR_OPTION);
		CHECK_STR(err.message, cases[i].message);
		CHECK(err.hint[0] != '\0');
		cfdw_arena_free(arena);
	}
}

int
main(void)
{
	test_parts();
	test_wildcards();
	test_errors();
	return unit_done("pointer");
}

/*
 * lexer_test.c
 *	  De-escaping JSON strings.
 */
#include "lexer.h"
#include "unit.h"

/* A string's text, or what is wrong with it. */
static const char *
unescape(CfdwArena *arena, const char *inner)
{
	char *out = cfdw_alloc(arena, strlen(inner) + 1);
	size_t len;

	switch (cfdw_unescape((CfdwSlice){inner, strlen(inner)}, out, &len))
	{
		case CFDW_UNESCAPED:
			CHECK(len <= strlen(inner));
			out[len] = '\0';
			return out;
		case CFDW_ESCAPED_NUL:
			return "NUL";
		case CFDW_ESCAPED_SURROGATE:
			return "surrogate";
	}
	return NULL;
}

static void
test_strings(void)
{
	static const char *const cases[][2] = {
		{"", ""},
		{"plain", "plain"},
		{"\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\b\f\n\r\t"},
		{"a\\u0041\\u00e9\\u20AC\\uD83D\\uDE00z", "aA\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z"},
		{"\\u0000", "NUL"},
		{"a\\ud800", "surrogate"},
		{"\\ud800\\u0041", "surrogate"},
		{"\\ud800\\ud800", "surrogate"},
		{"\\udc00", "surrogate"},
		{"\\udbff\\udfff", "\xf4\x8f\xbf\xbf"},
	};
	CfdwArena *arena = cfdw_arena_new(NULL, "test");

	for (int i = 0; i < lengthof(cases); i++)
		CHECK_STR(unescape(arena, cases[i][0]), cases[i][1]);
	cfdw_arena_free(arena);
}

int
main(void)
{
	test_strings();
	return unit_done("lexer");
}

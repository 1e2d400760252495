/*
 * json_test.c
 *	  Small documents through json-c: what is JSON, what is refused, and body
 *	  templates.
 */
#include "json.h"

#include "unit.h"

static CfdwArena *arena;
static CfdwError err;

static bool
parse_bytes(const char *text, size_t len, CfdwJson **out)
{
	char *exact = malloc(len > 0 ? len : 1);
	bool ok;

	memcpy(exact, text, len);
	memset(&err, 0, sizeof(err));
	ok = cfdw_json_parse(arena, exact, len, out, &err);
	free(exact); /* the document does not need its text any more */
	return ok;
}

static CfdwJson *
parse(const char *text)
{
	CfdwJson *value = NULL;

	CHECK_CASE(parse_bytes(text, strlen(text), &value), text);
	return value;
}

typedef struct GoodCase
{
	const char *text;
	const char *dump; /* NULL: the text itself */
} GoodCase;

static const GoodCase good_cases[] = {
	{"null", NULL},
	{"true", NULL},
	{"false", NULL},
	{"0", NULL},
	{"-0", "0"},
	{"\"\"", NULL},
	{"[]", NULL},
	{"{}", NULL},
	{" [ 1 , { \"b\" : 2 , \"a\" : [ ] } ] \r\n\t", "[1,{\"b\":2,\"a\":[]}]"},
	{"{\"a\":1,\"b\":2,\"a\":3}", "{\"a\":3,\"b\":2}"},
	/* integers to the limits of json-c */
	{"9007199254740993", NULL},
	{"9223372036854775807", NULL},
	{"9223372036854775808", NULL},
	{"18446744073709551615", NULL},
	{"-9223372036854775808", NULL},
	{"[18446744073709551615,-9223372036854775808]", NULL},
	/* other numbers keep their text */
	{"1.10", NULL},
	{"0.10000000000000000000000000001", NULL},
	{"1e400", NULL},
	{"-1E+5", NULL},
	{"1e-7", NULL},
	{"123456789012345678901234567890.0", NULL},
	{"18446744073709551616.0", NULL},
	/* strings */
	{"\"a/b\"", NULL},
	{"\"\\/\"", "\"/\""},
	{"\"\\u0041\\u00e9\"", "\"A\xc3\xa9\""},
	{"\"\\ud83d\\ude00\"", "\"\xf0\x9f\x98\x80\""},
	{"\"\\b\\f\\n\\r\\t\\\"\\\\\"", NULL},
	{"\"\\u0001\"", NULL},
	{"\"\\u0000\"", NULL},
	{"\"\\ud800\"", "\"\xef\xbf\xbd\""},
	{"\"NaN [[[[ -01 1. \"", NULL},
	{"\"\\\\u0000\"", NULL},
	{"{\"\\\\u0000\":1}", NULL},
	{"[\"\\u0000\" ,1]", "[\"\\u0000\",1]"},
};

static void
test_good(void)
{
	for (int i = 0; i < lengthof(good_cases); i++)
	{
		const GoodCase *c = &good_cases[i];

		CHECK_STR(cfdw_json_dump(arena, parse(c->text)), c->dump ? c->dump : c->text);
	}
}

typedef struct BadCase
{
	const char *text;
	const char *detail; /* a part of it */
} BadCase;

static const BadCase bad_cases[] = {
	{"", "At byte 1 of 0"},
	{"  ", ""},
	{"nul", ""},
	{"nulL", ""},
	{"NULL", "At byte 1 of 4"},
	{"True", ""},
	{"[1,]", "At byte 4 of 4"},
	{"{\"a\":1,}", ""},
	{"{\"a\" 1}", ""},
	{"{a:1}", ""},
	{"[1 2]", ""},
	{"[1", ""},
	{"{\"a\":", ""},
	{"\"abc", "the document ends inside a string"},
	{"\"abc\\", "the document ends inside a string"},
	{"\"abc\\\"", "the document ends inside a string"},
	{"]", ""},
	{"[1]]", ""},
	{"[1}", ""},
	{"[1] 2", ""},
	{"{} {}", ""},
	{"1 2", ""},
	{"null x", ""},
	{"\"a\"\"b\"", ""},
	{"[1]x", ""},
	{"/*c*/1", ""},
	{"[1]//c", ""},
	{"\xef\xbb\xbf[1]", ""},
	/* json-c would clamp these */
	{"18446744073709551616", "an integer has more than 64 bits"},
	{"-9223372036854775809", "an integer has more than 64 bits"},
	{"[1,{\"a\":99999999999999999999}]", "an integer has more than 64 bits"},
	{"-18446744073709551615", "an integer has more than 64 bits"},
	/* json-c would read these */
	{"NaN", "a character is there that JSON does not have"},
	{"Infinity", "At byte 1 of 8"},
	{"-Infinity", "malformed"},
	{"[NaN]", "At byte 2 of 5"},
	{"-01", "malformed"},
	{"1.", "malformed"},
	{"[1.,2]", "malformed"},
	{"-", "malformed"},
	{"1e", "malformed"},
	{"1e+", "malformed"},
	{"01", "malformed"},
	{"00", "malformed"},
	{"'a'", "At byte 1 of 3"},
	{"{'a':'b'}", "At byte 2 of 9"},
	{"+1", ""},
	{".5", ""},
	{"1e5e5", ""},
	{"1.2.3", ""},
	{"--1", "malformed"},
	{"0x10", ""},
	{"\"a\nb\"", "control character"},
	{"\"a\tb\"", "control character"},
	{"[1\v]", "At byte 3 of 4"},
	{"\"\\x\"", ""},
	{"\"\\u12g4\"", ""},
	{"\"\\u12\"", ""},
	{"{\"a\\u0000b\":1}", "the name of a member holds \\u0000"},
	{"{\"x\":{\"\\u0000\" \n:1}}", "the name of a member holds \\u0000"},
	/* invalid UTF-8: Latin-1, cut, overlong, surrogate, too large */
	{"\"\xe9\"", ""},
	{"\"\xc3\"", ""},
	{"\"\xe2\x82\"", ""},
	{"\"\x80\"", ""},
	{"{\"\xff\":1}", ""},
};

static void
test_bad(void)
{
	for (int i = 0; i < lengthof(bad_cases); i++)
	{
		const BadCase *c = &bad_cases[i];
		CfdwJson *value;

		CHECK_CASE(!parse_bytes(c->text, strlen(c->text), &value), c->text);
		CHECK_INT(err.kind, CFDW_ERR_JSON);
		CHECK_STR(err.message, "invalid JSON");
		CHECK_CASE(strstr(err.detail, c->detail) != NULL, err.detail);
		CHECK(value == NULL);
	}
}

/* The text of a document never shows in an error: it may be a secret. */
static void
test_no_excerpt(void)
{
	CfdwJson *value;

	CHECK(!parse_bytes("{\"token\":\"hunter2\" x}", 21, &value));
	CHECK(strstr(err.message, "hunter2") == NULL && strstr(err.detail, "hunter2") == NULL && err.hint[0] == '\0');
}

static void
test_nul_and_cuts(void)
{
	static const char sample[] = "{\"a\":[1,-2.5e3,\"x\\u00e9\xc3\xa9\\\"\",{\"b\":null}],\"c\":true}";
	CfdwJson *value;

	CHECK(parse_bytes(sample, strlen(sample), &value));
	for (size_t len = 0; len < strlen(sample); len++)
	{
		CHECK(!parse_bytes(sample, len, &value));
		CHECK_INT(err.kind, CFDW_ERR_JSON);
	}
	/* a NUL byte ends nothing */
	CHECK(!parse_bytes("{}\0{}", 5, &value));
	CHECK(!parse_bytes("{}\0", 3, &value));
	CHECK(!parse_bytes("\"a\0b\"", 5, &value));
	CHECK(!parse_bytes("1\0", 2, &value));
	for (int c = 0; c < 256; c++)
	{
		char text[] = {'[', '1', ']', (char) c};

		CHECK_INT(parse_bytes(text, 4, &value), c == ' ' || c == '\t' || c == '\n' || c == '\r');
	}
}

static char *
nested(const char *open, const char *middle, const char *closing, int depth)
{
	CfdwBuf buf;

	cfdw_buf_init(&buf, arena);
	for (int i = 0; i < depth; i++)
		cfdw_buf_puts(&buf, open);
	cfdw_buf_puts(&buf, middle);
	for (int i = 0; i < depth; i++)
		cfdw_buf_puts(&buf, closing);
	return buf.data;
}

static void
test_depth(void)
{
	size_t huge = 10 * 1024 * 1024;
	char *brackets = malloc(huge);
	char *text = nested("[", "1", "]", 512);
	CfdwJson *value;

	CHECK_STR(cfdw_json_dump(arena, parse(text)), text);
	text = nested("{\"a\":", "[]", "}", 511);
	CHECK_STR(cfdw_json_dump(arena, parse(text)), text);
	parse(cfdw_printf(arena, "[1%s]", nested(",[],{\"a\":[]}", "", "", 600)));
	text = nested("[", "", "]", 513);
	CHECK(!parse_bytes(text, strlen(text), &value));
	CHECK_INT(err.kind, CFDW_ERR_LIMIT);
	CHECK_STR(err.message, "JSON is nested more than 512 levels deep");
	memset(brackets, '[', huge);
	CHECK(!parse_bytes(brackets, huge, &value));
	CHECK_INT(err.kind, CFDW_ERR_LIMIT);
	memset(brackets, ']', huge);
	CHECK(!parse_bytes(brackets, huge, &value));
	CHECK_INT(err.kind, CFDW_ERR_JSON);
	free(brackets);
}

static void
test_kinds(void)
{
	CHECK_INT(cfdw_json_kind(NULL), CFDW_JSON_NULL);
	CHECK_INT(cfdw_json_kind(parse("null")), CFDW_JSON_NULL);
	CHECK_INT(cfdw_json_kind(parse("true")), CFDW_JSON_BOOL);
	CHECK_INT(cfdw_json_kind(parse("1")), CFDW_JSON_NUMBER);
	CHECK_INT(cfdw_json_kind(parse("1.5")), CFDW_JSON_NUMBER);
	CHECK_INT(cfdw_json_kind(parse("18446744073709551615")), CFDW_JSON_NUMBER);
	CHECK_INT(cfdw_json_kind(parse("\"\"")), CFDW_JSON_STRING);
	CHECK_INT(cfdw_json_kind(parse("[]")), CFDW_JSON_ARRAY);
	CHECK_INT(cfdw_json_kind(parse("{}")), CFDW_JSON_OBJECT);
}

/* What is at a pointer, as JSON text; NULL: nothing. */
static char *
at(CfdwJson *root, const char *text)
{
	CfdwPointer pointer;
	CfdwJson *value;
	bool found;

	CHECK(cfdw_pointer_parse(arena, text, false, &pointer, &err));
	value = cfdw_json_at(root, &pointer, &found);
	CHECK(found || value == NULL);
	return found ? cfdw_json_dump(arena, value) : NULL;
}

static void
test_at(void)
{
	CfdwJson *root = parse("{\"a\":{\"b\":[10,{\"c\":null},[]],\"0\":\"zero\"},\"x/y\":1,\"\":2,\"~\":3}");

	CHECK_STR(at(root, "/a/b"), "[10,{\"c\":null},[]]");
	CHECK_STR(at(root, "/a/b/0"), "10");
	CHECK_STR(at(root, "/a/b/1/c"), "null");
	CHECK_STR(at(root, "/a/b/1/d"), NULL);
	CHECK_STR(at(root, "/a/b/1/c/d"), NULL);
	CHECK_STR(at(root, "/a/b/3"), NULL);
	CHECK_STR(at(root, "/a/b/-"), NULL);
	CHECK_STR(at(root, "/a/b/x"), NULL);
	CHECK_STR(at(root, "/a/b/0/0"), NULL);
	CHECK_STR(at(root, "/a/0"), "\"zero\"");
	CHECK_STR(at(root, "/x~1y"), "1");
	CHECK_STR(at(root, "/"), "2");
	CHECK_STR(at(root, "/~0"), "3");
	CHECK_STR(at(root, "/A"), NULL);
	CHECK_STR(at(parse("5"), ""), "5");
	CHECK_STR(at(NULL, ""), "null");
	CHECK_STR(at(NULL, "/a"), NULL);
}

static bool
list_member(const char *name, CfdwJson *value, void *arg)
{
	CfdwBuf *buf = arg;

	cfdw_buf_puts(buf, cfdw_printf(arena, "%s=%s;", name, cfdw_json_dump(arena, value)));
	return strcmp(name, "stop") != 0;
}

static void
test_members(void)
{
	CfdwJson *object = parse("{\"z\":1,\"a\":[2],\"m\":null}");
	CfdwBuf buf;

	cfdw_buf_init(&buf, arena);
	CHECK(cfdw_json_each(object, list_member, &buf));
	CHECK_STR(buf.data, "z=1;a=[2];m=null;");
	cfdw_buf_init(&buf, arena);
	CHECK(!cfdw_json_each(parse("{\"a\":1,\"stop\":2,\"b\":3}"), list_member, &buf));
	CHECK_STR(buf.data, "a=1;stop=2;");
	cfdw_buf_init(&buf, arena);
	CHECK(cfdw_json_each(parse("[1]"), list_member, &buf));
	CHECK(cfdw_json_each(NULL, list_member, &buf));
	CHECK_STR(buf.data, "");

	CHECK_STR(cfdw_json_dump(arena, cfdw_json_member(object, "a")), "[2]");
	CHECK(cfdw_json_member(object, "m") == NULL);
	CHECK(cfdw_json_member(object, "A") == NULL);
	CHECK(cfdw_json_member(parse("[1]"), "0") == NULL);
	CHECK(cfdw_json_member(NULL, "a") == NULL);
}

static void
test_text(void)
{
	CHECK(cfdw_json_text(arena, NULL) == NULL);
	CHECK(cfdw_json_text(arena, parse("null")) == NULL);
	CHECK_STR(cfdw_json_text(arena, parse("\"a\\\"\\u00e9/\"")), "a\"\xc3\xa9/");
	CHECK_STR(cfdw_json_text(arena, parse("\"\"")), "");
	CHECK_STR(cfdw_json_text(arena, parse("true")), "true");
	CHECK_STR(cfdw_json_text(arena, parse("1.10")), "1.10");
	CHECK_STR(cfdw_json_text(arena, parse("1512085950.000216")), "1512085950.000216");
	CHECK_STR(cfdw_json_text(arena, parse("1e400")), "1e400");
	CHECK_STR(cfdw_json_text(arena, parse("18446744073709551615")), "18446744073709551615");
	CHECK_STR(cfdw_json_text(arena, parse("[1, {\"a\": \"b/c\"}]")), "[1,{\"a\":\"b/c\"}]");
	/* a NUL cannot be in C text: it shows, and nothing behind it is lost */
	CHECK_STR(cfdw_json_text(arena, parse("\"a\\u0000b\"")), "a\\u0000b");
	CHECK_STR(cfdw_json_text(arena, parse("\"\\u0000\"")), "\\u0000");
}

static void
test_int(void)
{
	static const struct
	{
		const char *text;
		bool fits;
		int64 value;
	} cases[] = {
		{"0", true, 0},
		{"-0", true, 0},
		{"-1", true, -1},
		{"9223372036854775807", true, PG_INT64_MAX},
		{"-9223372036854775808", true, PG_INT64_MIN},
		{"9223372036854775808", false, 0},
		{"18446744073709551615", false, 0},
		{"1.0", false, 0},
		{"1e3", false, 0},
		{"\"1\"", false, 0},
		{"true", false, 0},
		{"null", false, 0},
		{"[1]", false, 0},
	};

	for (int i = 0; i < lengthof(cases); i++)
	{
		int64 value = 0;

		CHECK_CASE(cfdw_json_int(parse(cases[i].text), &value) == cases[i].fits, cases[i].text);
		if (cases[i].fits)
			CHECK_INT(value, cases[i].value);
	}
}

static void
test_truth(void)
{
	static const char *const falsy[] = {"null", "false", "0", "-0", "0.0", "0e5", "-0.0", "\"\"", "\"false\"", "[]", "{}"};
	static const char *const truthy[] = {"true", "1", "-1", "0.1", "1e400", "18446744073709551615", "\"0\"", "\"False\"", "\"no\"", "\" \"", "\"false\\u0000\"", "\"\\u0000\"", "[0]", "[null]", "{\"a\":null}"};

	CHECK(!cfdw_json_truth(NULL));
	for (int i = 0; i < lengthof(falsy); i++)
		CHECK_CASE(!cfdw_json_truth(parse(falsy[i])), falsy[i]);
	for (int i = 0; i < lengthof(truthy); i++)
		CHECK_CASE(cfdw_json_truth(parse(truthy[i])), truthy[i]);
}

static void
test_quote(void)
{
	CHECK_STR(cfdw_json_quote(arena, ""), "\"\"");
	CHECK_STR(cfdw_json_quote(arena, "a/b 'c'"), "\"a/b 'c'\"");
	CHECK_STR(cfdw_json_quote(arena, "\"\\\n\t\x01\x1f\x7f"), "\"\\\"\\\\\\u000a\\u0009\\u0001\\u001f\x7f\"");
	CHECK_STR(cfdw_json_quote(arena, "\xc3\xa9\xf0\x9f\x98\x80"), "\"\xc3\xa9\xf0\x9f\x98\x80\"");
	for (int c = 1; c < 128; c++)
	{
		char s[] = {(char) c, 'x', '\0'};

		CHECK_STR(cfdw_json_text(arena, parse(cfdw_json_quote(arena, s))), s);
	}
}

static const CfdwVariable variables[] = {
	{.name = "cursor", .text = "{\"o\":[1]}", .json = "{\"o\":[1]}"},
	{.name = "page", .text = "3", .json = "3"},
	{.name = "since", .text = "2024 \"x\"", .json = NULL},
	{.name = "until", .text = NULL, .json = NULL},
	{.name = "empty", .text = "", .json = NULL},
};

typedef struct FillCase
{
	const char *tmpl;
	const char *merge; /* NULL: none */
	const char *out;   /* NULL: CFDW_ERR_OPTION */
} FillCase;

static const FillCase fill_cases[] = {
	/* kinds and numbers go through */
	{"{\"a\":[1,-2,1.10,1e400,18446744073709551615,true,false,null,\"x/\\u00e9\\\"\"],\"b\":{}}", NULL, "{\"a\":[1,-2,1.10,1e400,18446744073709551615,true,false,null,\"x/\xc3\xa9\\\"\"],\"b\":{}}"},
	{"5", NULL, "5"},
	{"null", NULL, "null"},
	{"[]", NULL, "[]"},
	/* a whole placeholder is the variable's JSON */
	{"{\"c\":\"{cursor}\"}", NULL, "{\"c\":{\"o\":[1]}}"},
	{"{\"p\":\"{page}\"}", NULL, "{\"p\":3}"},
	{"{\"s\":\"{since}\"}", NULL, "{\"s\":\"2024 \\\"x\\\"\"}"},
	{"{\"s\":\"{empty}\"}", NULL, "{\"s\":\"\"}"},
	{"[\"{page}\",\"{cursor}\"]", NULL, "[3,{\"o\":[1]}]"},
	{"\"{cursor}\"", NULL, "{\"o\":[1]}"},
	/* without a value: the member goes, an element is null */
	{"{\"a\":1,\"u\":\"{until}\",\"b\":2}", NULL, "{\"a\":1,\"b\":2}"},
	{"{\"u\":\"{until}\",\"b\":2}", NULL, "{\"b\":2}"},
	{"{\"a\":1,\"u\":\"{until}\"}", NULL, "{\"a\":1}"},
	{"{\"u\":\"{until}\"}", NULL, "{}"},
	{"{\"x\":{\"u\":\"{until}\",\"v\":\"{until}\"},\"y\":[\"{until}\",{\"u\":\"{until}\"}]}", NULL, "{\"x\":{},\"y\":[null,{}]}"},
	{"\"{until}\"", NULL, "null"},
	/* inside longer strings: text */
	{"{\"q\":\"updated > {since} {page}\"}", NULL, "{\"q\":\"updated > 2024 \\\"x\\\" 3\"}"},
	{"{\"q\":\"<{cursor}>\"}", NULL, "{\"q\":\"<{\\\"o\\\":[1]}>\"}"},
	{"{\"q\":\"x{empty}y\"}", NULL, "{\"q\":\"xy\"}"},
	{"{\"q\":\"x{until}\"}", NULL, NULL},
	{"[[{\"q\":\"x{until}\"}]]", NULL, NULL},
	/* other braces, names and what a value brings are no placeholders */
	{"{\"query\":\"query { nodes(after: $c) { id } }\",\"v\":{\"c\":\"{ cursor }\"}}", NULL, "{\"query\":\"query { nodes(after: $c) { id } }\",\"v\":{\"c\":\"{ cursor }\"}}"},
	{"{\"{page}\":\"{other}\"}", NULL, "{\"{page}\":\"{other}\"}"},
	{"{\"a\":\"{page}\\u0000\"}", NULL, "{\"a\":\"{page}\\u0000\"}"},
	/* merge: over the top level only */
	{"{\"a\":1,\"b\":{\"a\":2}}", "{\"a\":[9],\"c\":1.10}", "{\"b\":{\"a\":2},\"a\":[9],\"c\":1.10}"},
	{"{\"a\":\"x{until}\"}", "{\"a\":1}", "{\"a\":1}"},
	{"{\"a\":1}", "{\"b\":\"{page}\"}", "{\"a\":1,\"b\":\"{page}\"}"},
	{"{\"a\":1}", "{}", "{\"a\":1}"},
	{"{}", "{\"a\":null}", "{\"a\":null}"},
	{"null", "{\"a\":1}", "{\"a\":1}"},
	{"[1]", "{\"a\":1}", NULL},
	{"\"{cursor}\"", "{\"a\":1}", NULL},
	{"{\"a\":1}", "[1]", NULL},
};

static void
test_fill(void)
{
	CfdwVariables vars = {lengthof(variables), variables};

	for (int i = 0; i < lengthof(fill_cases); i++)
	{
		const FillCase *c = &fill_cases[i];
		CfdwJson *tmpl = parse(c->tmpl);
		char *before = cfdw_json_dump(arena, tmpl);
		char *out = NULL;
		bool ok;

		memset(&err, 0, sizeof(err));
		ok = cfdw_json_fill(arena, tmpl, &vars, c->merge ? parse(c->merge) : NULL, &out, &err);
		CHECK_CASE(ok == (c->out != NULL), c->tmpl);
		CHECK_INT(err.kind, c->out != NULL ? CFDW_OK : CFDW_ERR_OPTION);
		CHECK_STR(out, c->out);
		CHECK_STR(cfdw_json_dump(arena, tmpl), before);
		if (out != NULL)
			parse(out);
	}
}

/* Bytes changed at random: no crash, and what is accepted survives a round trip. */
static void
test_mutations(void)
{
	static const char sample[] = "{\"a\":[1,-2.5e3,18446744073709551615,\"x\\u00e9\xc3\xa9\\\"\\ud83d\\ude00\"],\"b\":{\"c\":true,\"d\":null},\"e\":\"{page}\"}";
	static const char bytes[] = "{}[]\",:\\u0dtfneNI-+.19 \n\x01\x80\xff";
	CfdwVariables vars = {lengthof(variables), variables};
	uint32 seed = 20240229;
	int accepted = 0;

	for (int round = 0; round < 20000; round++)
	{
		char text[sizeof(sample)];
		CfdwJson *value;
		char *dump;
		char *out;

		memcpy(text, sample, sizeof(sample));
		for (int i = 0; i < 1 + round % 3; i++)
		{
			seed = seed * 1664525 + 1013904223;
			text[(seed >> 8) % strlen(sample)] = bytes[(seed >> 3) % (sizeof(bytes) - 1)];
		}
		if (parse_bytes(text, sizeof(sample) - 1, &value))
		{
			accepted++;
			dump = cfdw_json_dump(arena, value);
			CHECK_STR(cfdw_json_dump(arena, parse(dump)), dump);
			if (cfdw_json_fill(arena, value, &vars, NULL, &out, &err))
				parse(out);
		}
		else
			CHECK_INT(err.kind, CFDW_ERR_JSON);
		cfdw_arena_reset(arena);
	}
	CHECK(accepted > 1000);
}

static void
run(void (*test)(void))
{
	test();
	cfdw_arena_reset(arena);
}

int
main(void)
{
	arena = cfdw_arena_new(NULL, "test");
	run(test_good);
	run(test_bad);
	run(test_no_excerpt);
	run(test_nul_and_cuts);
	run(test_depth);
	run(test_kinds);
	run(test_at);
	run(test_members);
	run(test_text);
	run(test_int);
	run(test_truth);
	run(test_quote);
	run(test_fill);
	run(test_mutations);
	cfdw_arena_free(arena);
	return unit_done("json");
}

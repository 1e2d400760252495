/*
 * page_test.c
 *	  Record spans, envelopes and errors of response bodies.
 *
 * Every body lies in a malloc'ed block of exactly its size, so that the
 * sanitizer sees a read behind its end.
 */
#include "page.h"

#include "unit.h"

static CfdwArena *arena;
static CfdwPage page;
static CfdwError err;

static CfdwSlice
exact_copy(const char *data, size_t len)
{
	char *copy = malloc(len > 0 ? len : 1);

	cfdw_arena_on_reset(arena, free, copy);
	memcpy(copy, data, len);
	return (CfdwSlice){copy, len};
}

/* path NULL: without one. */
static bool
parse_bytes(const char *path, const char *body, size_t len)
{
	CfdwPageSpec spec = {.has_path = path != NULL};

	memset(&err, 0, sizeof(err));
	if (path != NULL)
		CHECK(cfdw_pointer_parse(arena, path, true, &spec.records_path, &err));
	return cfdw_page_parse(arena, &spec, exact_copy(body, len), &page, &err);
}

static bool
parse(const char *path, const char *body)
{
	return parse_bytes(path, body, strlen(body));
}

static bool
parse_ndjson(const char *body)
{
	CfdwPageSpec spec = {.ndjson = true};

	memset(&err, 0, sizeof(err));
	return cfdw_page_parse(arena, &spec, exact_copy(body, strlen(body)), &page, &err);
}

/* "rec|rec|rec", with a key before its record: "\"k\"=rec". */
static char *
records(void)
{
	CfdwBuf buf;

	cfdw_buf_init(&buf, arena);
	for (int i = 0; i < page.count; i++)
	{
		if (i > 0)
			cfdw_buf_putc(&buf, '|');
		if (page.keys[i].data != NULL)
		{
			cfdw_buf_add(&buf, page.keys[i].data, page.keys[i].len);
			cfdw_buf_putc(&buf, '=');
		}
		cfdw_buf_add(&buf, page.records[i].data, page.records[i].len);
	}
	return buf.data;
}

typedef struct GoodCase
{
	const char *path;
	const char *body;
	const char *records;
	const char *envelope;
} GoodCase;

static const GoodCase good_cases[] = {
	/* without a path */
	{NULL, "[]", "", "[]"},
	{NULL, " [ ] \n", "", " [] \n"},
	{NULL, "[1]", "1", "[]"},
	{NULL, "[ 1 , \"a\" ,null,\ttrue\n, {\"a\" : [1, 2]} , [ ] ]", "1|\"a\"|null|true|{\"a\" : [1, 2]}|[ ]", "[]"},
	{NULL, "\xef\xbb\xbf[{\"a\":1}]", "{\"a\":1}", "[]"},
	{NULL, "[[1,2],[3]]", "[1,2]|[3]", "[]"},
	/* an array, an object, null at a path */
	{"", "[1,2]", "1|2", "[]"},
	{"", " {\"a\":[1]} ", "{\"a\":[1]}", " null "},
	{"", "null", "", "null"},
	{"/data", "{\"data\":[{\"id\":1},{\"id\":2}],\"next\":\"x\"}", "{\"id\":1}|{\"id\":2}", "{\"data\":[],\"next\":\"x\"}"},
	{"/data", "{\"data\" : [ ] }", "", "{\"data\" : [] }"},
	{"/data", "{\"a\":1,\"data\":{\"id\": 1 },\"b\":2}", "{\"id\": 1 }", "{\"a\":1,\"data\":null,\"b\":2}"},
	{"/data", "{\"data\":null,\"n\":1}", "", "{\"data\":null,\"n\":1}"},
	{"/a/b/c", "{\"c\":[9],\"a\":{\"c\":[8],\"b\":{\"x\":[7],\"c\":[1,2]},\"d\":[6]}}", "1|2", "{\"c\":[9],\"a\":{\"c\":[8],\"b\":{\"x\":[7],\"c\":[]},\"d\":[6]}}"},
	{"/a/a", "{\"a\":{\"a\":[{\"a\":{\"a\":[1]}}]}}", "{\"a\":{\"a\":[1]}}", "{\"a\":{\"a\":[]}}"},
	{"/1", "[[1],[2,3],[4]]", "2|3", "[[1],[],[4]]"},
	{"/1", "{\"0\":[1],\"1\":[2]}", "2", "{\"0\":[1],\"1\":[]}"},
	{"/a/0/b", "{\"a\":[{\"b\":[1]},{\"b\":[2]}]}", "1", "{\"a\":[{\"b\":[]},{\"b\":[2]}]}"},
	{"/a/1/0", "{\"a\":[0,[[1],2],[[3]],[[4]]]}", "1", "{\"a\":[0,[[],2],[[3]],[[4]]]}"},
	/* names */
	{"/a~1b", "{\"a\":[1],\"a/b\":[2]}", "2", "{\"a\":[1],\"a/b\":[]}"},
	{"/a~0b", "{\"a~b\":[2]}", "2", "{\"a~b\":[]}"},
	{"/", "{\"\":[1]}", "1", "{\"\":[]}"},
	{"/a\"b", "{\"a\\\"b\" : [1]}", "1", "{\"a\\\"b\" : []}"},
	{"/a\\", "{\"a\\\\\"\n:\t[1]}", "1", "{\"a\\\\\"\n:\t[]}"},
	{"/\\\"", "{\"\\\\\\\"\":[1]}", "1", "{\"\\\\\\\"\":[]}"},
	{"/data", "{\"\\u0064at\\u0061\":[1]}", "1", "{\"\\u0064at\\u0061\":[]}"},
	{"/a\tb\nc/", "{\"a\\tb\\nc\":{\"\":[1]}}", "1", "{\"a\\tb\\nc\":{\"\":[]}}"},
	{"/\xc3\xa9", "{\"\\u00E9\":[1]}", "1", "{\"\\u00E9\":[]}"},
	{"/\xf0\x9f\x98\x80", "{\"\\ud83d\\ude00\":[1]}", "1", "{\"\\ud83d\\ude00\":[]}"},
	{"/\xef\xbf\xbd", "{\"\\ud83d\":[1]}", "1", "{\"\\ud83d\":[]}"},
	{"/\xef\xbf\xbdx", "{\"\\ude00x\":[1]}", "1", "{\"\\ude00x\":[]}"},
	{"/ab", "{\"a\\u0062c\":[1],\"\\u0061\":[2],\"a\\u0062\":[3]}", "3", "{\"a\\u0062c\":[1],\"\\u0061\":[2],\"a\\u0062\":[]}"},
	/* duplicates: the last wins */
	{"/d", "{\"d\":[1,2],\"d\":[3]}", "3", "{\"d\":[],\"d\":[]}"},
	{"/d", "{\"d\":[1],\"d\":null}", "", "{\"d\":[],\"d\":null}"},
	{"/d", "{\"d\":5,\"d\":[1]}", "1", "{\"d\":5,\"d\":[]}"},
	{"/d", "{\"d\":[1],\"\\u0064\":[2],\"d\":[3]}", "3", "{\"d\":[],\"\\u0064\":[],\"d\":[]}"},
	{"/a/d", "{\"a\":{\"d\":[1]},\"a\":{\"d\":[2]}}", "2", "{\"a\":{\"d\":[]},\"a\":{\"d\":[]}}"},
	{"/a/a", "{\"a\":{\"a\":[1],\"a\":[2]},\"a\":{\"a\":[3]},\"a\":{\"a\":[4],\"a\":[5]}}", "5", "{\"a\":{\"a\":[],\"a\":[]},\"a\":{\"a\":[]},\"a\":{\"a\":[],\"a\":[]}}"},
	{"/a/a", "{\"a\":{\"a\":[1]},\"a\":{\"a\":[2]}}", "2", "{\"a\":{\"a\":[]},\"a\":{\"a\":[]}}"},
	{"/a/*/d", "{\"a\":[{\"d\":[1]},{\"d\":[2],\"d\":[3]},{\"d\":[4]}]}", "1|3|4", "{\"a\":[{\"d\":[]},{\"d\":[],\"d\":[]},{\"d\":[]}]}"},
	{"/*", "{\"a\":1,\"b\":2,\"a\":3}", "\"b\"=2|\"a\"=3", "{\"a\":null,\"b\":null,\"a\":null}"},
	{"/*/*", "{\"a\":[1,2],\"b\":[3],\"a\":[4]}", "\"b\"=3|\"a\"=4", "{\"a\":[],\"b\":[],\"a\":[]}"},
	{"", "{\"a\":1,\"a\":2}", "{\"a\":1,\"a\":2}", "null"},
	/* wildcards */
	{"/*", "[1,{\"a\":2},null]", "1|{\"a\":2}|null", "[]"},
	{"/result/*", "{\"result\":[1,2],\"n\":0}", "1|2", "{\"result\":[],\"n\":0}"},
	{"/result/*", "{\"result\":{\"k1\":{\"a\":1},\"k 2\" : [5] ,\"k3\":7},\"n\":0}", "\"k1\"={\"a\":1}|\"k 2\"=[5]|\"k3\"=7", "{\"result\":{\"k1\":null,\"k 2\" : null ,\"k3\":null},\"n\":0}"},
	{"/result/*", "{\"result\":{}}", "", "{\"result\":{}}"},
	{"/result/*", "{\"result\":[]}", "", "{\"result\":[]}"},
	{"/result/*", "{\"result\":null}", "", "{\"result\":null}"},
	{"/result/*", "{\"result\":{\"\\u006b\":1,\"last\":null}}", "\"\\u006b\"=1|\"last\"=null", "{\"result\":{\"\\u006b\":null,\"last\":null}}"},
	{"/entry/*/resource", "{\"entry\":[{\"u\":1,\"resource\":{\"id\":1}},{\"u\":2},{\"resource\":{\"id\":2}},null]}", "{\"id\":1}|{\"id\":2}", "{\"entry\":[{\"u\":1,\"resource\":null},{\"u\":2},{\"resource\":null},null]}"},
	{"/entry/*/resource", "{\"entry\":[ ]}", "", "{\"entry\":[ ]}"},
	{"/entry/*/resource", "{\"entry\":null}", "", "{\"entry\":null}"},
	{"/e/*/r", "{\"e\":[{\"r\":[1,2]},{\"r\":[]},{\"r\":null},{\"r\":{\"a\":3}}]}", "1|2|{\"a\":3}", "{\"e\":[{\"r\":[]},{\"r\":[]},{\"r\":null},{\"r\":null}]}"},
	{"/e/*/r", "{\"e\":{\"x\":{\"r\":[1,2]},\"y\":{\"r\":{\"a\":3}}}}", "\"x\"=1|\"x\"=2|\"y\"={\"a\":3}", "{\"e\":{\"x\":{\"r\":[]},\"y\":{\"r\":null}}}"},
	{"/days/*/*", "{\"days\":{\"d1\":[1,2],\"d2\":[],\"d3\":[3]},\"n\":4}", "\"d1\"=1|\"d1\"=2|\"d3\"=3", "{\"days\":{\"d1\":[],\"d2\":[],\"d3\":[]},\"n\":4}"},
	{"/days/*/*", "{\"days\":[[1],[2,3]]}", "1|2|3", "{\"days\":[[],[]]}"},
	{"/days/*/*", "{\"days\":{\"d1\":{\"a\":1},\"d2\":[2],\"d3\":null}}", "\"a\"=1|\"d2\"=2", "{\"days\":{\"d1\":{\"a\":null},\"d2\":[],\"d3\":null}}"},
	{"/*/x", "[{\"x\":[1]},{\"y\":[2]},3]", "1", "[{\"x\":[]},{\"y\":[2]},3]"},
	/* left for the record decoder: what a record holds is not looked at */
	{NULL, "[\"\\ud800\", \"\\u0000\", \"\xff\xfe\", \"\xc3\"]", "\"\\ud800\"|\"\\u0000\"|\"\xff\xfe\"|\"\xc3\"", "[]"},
	{NULL, "[18446744073709551616,-9223372036854775809,1e400,0.10,123456789012345678901234567890.5]", "18446744073709551616|-9223372036854775809|1e400|0.10|123456789012345678901234567890.5", "[]"},
};

static void
test_good(void)
{
	for (int i = 0; i < lengthof(good_cases); i++)
	{
		const GoodCase *c = &good_cases[i];

		CHECK_CASE(parse(c->path, c->body), c->body);
		if (err.kind != CFDW_OK)
		{
			fprintf(stderr, "  %s / %s / %s\n", err.message, err.detail, err.hint);
			continue;
		}
		CHECK_STR(records(), c->records);
		CHECK_STR(page.envelope, c->envelope);
		CHECK_INT(page.envelope_len, strlen(page.envelope));
	}
}

typedef struct BadCase
{
	const char *path;
	const char *body;
	CfdwErrorKind kind;
	const char *message;
	const char *detail; /* a part of it */
	const char *hint;   /* a part of it, or NULL for none */
} BadCase;

static const BadCase bad_cases[] = {
	{NULL, "", CFDW_ERR_CUT, "response body is empty", "", NULL},
	{NULL, " \n", CFDW_ERR_CUT, "response body is empty", "", NULL},
	{NULL, "\xef\xbb\xbf", CFDW_ERR_CUT, "response body is empty", "", NULL},
	{NULL, "\xef\xbb\xbf\xef\xbb\xbf[]", CFDW_ERR_JSON, "response body is not valid JSON", "At byte 1 of 5: a JSON value was expected", NULL},
	{NULL, " <!DOCTYPE html>\n<html>", CFDW_ERR_JSON, "response body is HTML or XML, not JSON", "It starts with: <!DOCTYPE html> <html>", "login page"},
	{NULL, "Forbidden", CFDW_ERR_JSON, "response body is not valid JSON", "near \"Forbidden\"", NULL},
	{NULL, ")]}',\n[1]", CFDW_ERR_JSON, "response body is not valid JSON", "At byte 1 of 9", NULL},
	{NULL, "[1,2", CFDW_ERR_CUT, "response body is cut: its JSON is not complete", "At byte 5 of 4: the text ends, near \"[1,2\".", NULL},
	{NULL, "[\"abc", CFDW_ERR_CUT, "response body is cut: its JSON is not complete", "", NULL},
	{NULL, "[1]x", CFDW_ERR_JSON, "response body is not valid JSON", "At byte 4 of 4", NULL},
	{NULL, "[1] [2]", CFDW_ERR_JSON, "response body goes on after its JSON document", "At byte 5 of 7: the end was expected", "ndjson"},
	{NULL, "{\"a\":1}\n{\"a\":2}", CFDW_ERR_JSON, "response body goes on after its JSON document", "", "ndjson"},
	{NULL, "[1,]", CFDW_ERR_JSON, "response body is not valid JSON", "At byte 4 of 4", NULL},
	{NULL, "[1 2]", CFDW_ERR_JSON, "response body is not valid JSON", "\",\" or \"]\" was expected", NULL},
	{NULL, "{\"a\" 1}", CFDW_ERR_JSON, "response body is not valid JSON", "\":\" was expected", NULL},
	{NULL, "{\"a\":1,}", CFDW_ERR_JSON, "response body is not valid JSON", "the name of a member was expected", NULL},
	{NULL, "{1:2}", CFDW_ERR_JSON, "response body is not valid JSON", "a member or \"}\" was expected", NULL},
	{NULL, "{\"a\":1 \"b\":2}", CFDW_ERR_JSON, "response body is not valid JSON", "\",\" or \"}\" was expected", NULL},
	{NULL, "['a']", CFDW_ERR_JSON, "response body is not valid JSON", "", NULL},
	{NULL, "[/*c*/1]", CFDW_ERR_JSON, "response body is not valid JSON", "", NULL},
	{NULL, "[NaN]", CFDW_ERR_JSON, "response body is not valid JSON", "a JSON value was expected, near \"[NaN]\"", NULL},
	{NULL, "[Infinity]", CFDW_ERR_JSON, "response body is not valid JSON", "", NULL},
	{NULL, "[-Infinity]", CFDW_ERR_JSON, "response body is not valid JSON", "", NULL},
	{NULL, "[NULL]", CFDW_ERR_JSON, "response body is not valid JSON", "", NULL},
	{NULL, "[007]", CFDW_ERR_JSON, "response body is not valid JSON", "", NULL},
	{NULL, "[1.]", CFDW_ERR_JSON, "response body is not valid JSON", "", NULL},
	{NULL, "[\"a\nb\"]", CFDW_ERR_JSON, "response body is not valid JSON", "At byte 4 of 7: a control character in a string is not escaped", NULL},
	{NULL, "[\"\\x\"]", CFDW_ERR_JSON, "response body is not valid JSON", "a backslash escapes nothing", NULL},
	{NULL, "[\"\\u12g4\"]", CFDW_ERR_JSON, "response body is not valid JSON", "four hexadecimal digits", NULL},
	{NULL, "[\"a\",\xff]", CFDW_ERR_JSON, "response body is not valid JSON", "near \"[\"a\",?]\"", NULL},
	{NULL, "[\"0123456789012345678901234567890123456789\" 1]", CFDW_ERR_JSON, "response body is not valid JSON", ", near \"234567890123456789\" 1]\".", NULL},
	{NULL, "[\"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\"  1]", CFDW_ERR_JSON, "response body is not valid JSON", ", near \"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\"  1]\".", NULL},
	{NULL, "[1 2,\"0123456789012345678901234567890123456789012345678901234567890123456789\"]", CFDW_ERR_JSON, "response body is not valid JSON", ", near \"[1 2,\"012345678901234567890123456789012345678901234567890123...\".", NULL},
	/* shape, without a path */
	{NULL, "null", CFDW_ERR_SHAPE, "response body is null, not an array of records", "", NULL},
	{NULL, "\"x\"", CFDW_ERR_SHAPE, "response body is a string, not an array of records", "", NULL},
	{NULL, "{\"message\":\"Not Found\"}", CFDW_ERR_SHAPE, "response body is an object, not an array of records", "It starts with: {\"message\":\"Not Found\"}", "set records_path to ''"},
	{NULL, "{\"data\":{\"items\":[{\"tags\":[1]}],\"a/b\":[]},\"errors\":[]}", CFDW_ERR_SHAPE, "response body is an object, not an array of records", "", "arrays at \"/data/items\", \"/data/a~1b\", \"/errors\"."},
	{NULL, "{\"a\":[],\"b\":[],\"c\":[],\"d\":[],\"e\":[],\"f\":[]}", CFDW_ERR_SHAPE, "response body is an object, not an array of records", "", "arrays at \"/a\", \"/b\", \"/c\", \"/d\", \"/e\"."},
	{NULL, "{\"a\":{\"b\":{\"c\":{\"d\":[],\"e\":{\"f\":[]}}}}}", CFDW_ERR_SHAPE, "response body is an object, not an array of records", "", "arrays at \"/a/b/c/d\"."},
	{NULL, "{\"\\ud83d\\ude00\\u0007\":[]}", CFDW_ERR_SHAPE, "response body is an object, not an array of records", "", "arrays at \"/\xf0\x9f\x98\x80 \"."},
	/* shape, at a path */
	{"/data", "{\"data\":\"none\"}", CFDW_ERR_SHAPE, "records_path \"/data\" leads to a string, not to records", "The text there is: \"none\"}", NULL},
	{"/data", "{\"data\":false}", CFDW_ERR_SHAPE, "records_path \"/data\" leads to a boolean, not to records", "", NULL},
	{"/data", "{\"data\":[1],\"data\":0}", CFDW_ERR_SHAPE, "records_path \"/data\" leads to a number, not to records", "", NULL},
	{"", "12", CFDW_ERR_SHAPE, "records_path \"\" leads to a number, not to records", "", NULL},
	{"/r/*", "{\"r\":7}", CFDW_ERR_SHAPE, "records_path \"/r/*\" leads to a number, not to records", "", NULL},
	{"/e/*/r", "{\"e\":[{\"r\":[1]},{\"r\":7}]}", CFDW_ERR_SHAPE, "records_path \"/e/*/r\" leads to a number, not to records", "", NULL},
	/* missing */
	{"/data", "{\"error\":\"bad key\"}", CFDW_ERR_MISSING, "response body has nothing at records_path \"/data\"", "{\"error\":\"bad key\"}", "on_missing_records"},
	{"/data", "{\"items\":[1]}", CFDW_ERR_MISSING, "response body has nothing at records_path \"/data\"", "", "arrays at \"/items\". If"},
	{"/data", "[{\"data\":[1]}]", CFDW_ERR_MISSING, "response body has nothing at records_path \"/data\"", "", "array itself"},
	{"/data", "\"x\"", CFDW_ERR_MISSING, "response body has nothing at records_path \"/data\"", "", "on_missing_records"},
	{"/data/items", "{\"data\":null}", CFDW_ERR_MISSING, "response body has nothing at records_path \"/data/items\"", "", "on_missing_records"},
	{"/data/items", "{\"data\":{\"items\":[1]},\"data\":{}}", CFDW_ERR_MISSING, "response body has nothing at records_path \"/data/items\"", "", "on_missing_records"},
	{"/data/items", "{\"items\":[1],\"x\":{\"items\":[1]}}", CFDW_ERR_MISSING, "response body has nothing at records_path \"/data/items\"", "", "on_missing_records"},
	{"/2", "[[1],[2]]", CFDW_ERR_MISSING, "response body has nothing at records_path \"/2\"", "", "array itself"},
	{"/01", "[[1],[2]]", CFDW_ERR_MISSING, "response body has nothing at records_path \"/01\"", "", "array itself"},
	{"/e/*/r", "{\"e\":[{\"a\":1},null,5]}", CFDW_ERR_MISSING, "response body has nothing at records_path \"/e/*/r\"", "", "on_missing_records"},
	{"/a~1b/c", "{}", CFDW_ERR_MISSING, "response body has nothing at records_path \"/a~1b/c\"", "", "on_missing_records"},
};

static void
test_bad(void)
{
	for (int i = 0; i < lengthof(bad_cases); i++)
	{
		const BadCase *c = &bad_cases[i];

		CHECK_CASE(!parse(c->path, c->body), c->body);
		CHECK_INT(err.kind, c->kind);
		CHECK_STR(err.message, c->message);
		CHECK_CASE(strstr(err.detail, c->detail) != NULL, err.detail);
		CHECK_CASE(c->hint != NULL ? strstr(err.hint, c->hint) != NULL : err.hint[0] == '\0', err.hint);
	}
}

static void
test_missing_is_empty(void)
{
	CfdwPageSpec spec = {.has_path = true, .missing_is_empty = true};
	const char *body = "{\"total\":0}";

	CHECK(cfdw_pointer_parse(arena, "/data", true, &spec.records_path, &err));
	CHECK(cfdw_page_parse(arena, &spec, exact_copy(body, strlen(body)), &page, &err));
	CHECK_INT(page.count, 0);
	CHECK_STR(page.envelope, body);
	body = "{\"data\":1}";
	CHECK(!cfdw_page_parse(arena, &spec, exact_copy(body, strlen(body)), &page, &err));
	CHECK_INT(err.kind, CFDW_ERR_SHAPE);
	body = "{\"data\":[1]}";
	CHECK(cfdw_page_parse(arena, &spec, exact_copy(body, strlen(body)), &page, &err));
	CHECK_STR(records(), "1");
	/* without a path nothing can be missing */
	spec = (CfdwPageSpec){.missing_is_empty = true};
	CHECK(!cfdw_page_parse(arena, &spec, exact_copy("{}", 2), &page, &err));
	CHECK_INT(err.kind, CFDW_ERR_SHAPE);
}

static const char sample[] =
	"\xef\xbb\xbf {\"meta\" : {\"next\":\"a\\u00e9\\\"\\\\\",\"n\":-12.5e+3,\"ok\":true,\"no\":false,\"nil\":null},\n"
	"\t\"data\":[ {\"id\":1,\"t\":[1,2,{\"x\":{}}],\"s\":\"\xc3\xa9\xf0\x9f\x98\x80\"} , {\"id\":2,\"\\u0074\":[]} ,3,\"x\"],\"\\u0064ata2\" :[ ]}";

static void
test_cut_everywhere(void)
{
	CHECK(parse_bytes("/data", sample, strlen(sample)));
	CHECK_INT(page.count, 4);
	for (size_t len = 0; len < strlen(sample); len++)
	{
		CHECK(!parse_bytes("/data", sample, len));
		CHECK_INT(err.kind, len < 3 && len > 0 ? CFDW_ERR_JSON : CFDW_ERR_CUT);
		CHECK(strstr(err.message, "is cut") != NULL || strstr(err.message, "is empty") != NULL || len < 3);
	}
	for (size_t len = 0; len < strlen(sample); len++)
	{
		CfdwSlice cut = exact_copy(sample + 3, len < 3 ? 0 : len - 3);
		CfdwPointer pointer;
		CfdwSlice found;

		CHECK(cfdw_pointer_parse(arena, "/meta/next", false, &pointer, &err));
		CHECK(!cfdw_page_find(cut, &pointer, &found));
	}
}

/* Anything behind the document is an error, blanks are not. */
static void
test_trailing(void)
{
	for (int c = 0; c < 256; c++)
	{
		char body[] = "[1]?";

		body[3] = (char) c;
		CHECK_INT(parse_bytes(NULL, body, 4), c == ' ' || c == '\t' || c == '\n' || c == '\r');
	}
}

/* The server's lexer takes a backslash before a NUL byte for an escape (found by the fuzzer). */
static void
test_nul(void)
{
	CfdwPointer pointer;
	CfdwSlice found;

	CHECK(cfdw_pointer_parse(arena, "/a", false, &pointer, &err));
	CHECK(!cfdw_page_find(exact_copy("{\"a\":\"\\\0\"}", 10), &pointer, &found));
	CHECK(!parse_bytes(NULL, "[\"a\\\0b\"]", 8));
	CHECK_INT(err.kind, CFDW_ERR_JSON);
	CHECK_STR(err.message, "response body is not valid JSON");
	CHECK_STR(err.detail, "At byte 5 of 8: a NUL byte. JSON is text in UTF-8.");
	CHECK(!parse_bytes(NULL, "[\"a\0b\"]", 7));
	CHECK(!parse_bytes(NULL, "[\0]", 3));
	CHECK(!parse_bytes(NULL, "[]\0", 3));
	CHECK(!parse_bytes(NULL, "[\0]\0", 4)); /* UTF-16 */
}

static char *
nested(const char *unit, const char *middle, const char *closing, int depth)
{
	CfdwBuf buf;

	cfdw_buf_init(&buf, arena);
	for (int i = 0; i < depth; i++)
		cfdw_buf_puts(&buf, unit);
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
	CfdwPageSpec lines = {.ndjson = true};
	CfdwPointer pointer;
	CfdwSlice found;

	CHECK(parse(NULL, nested("[", "1", "]", CFDW_MAX_DEPTH)));
	CHECK(!parse(NULL, nested("[", "", "]", CFDW_MAX_DEPTH + 1)));
	CHECK_INT(err.kind, CFDW_ERR_LIMIT);
	CHECK(parse("", nested("{\"a\":", "[]", "}", CFDW_MAX_DEPTH - 1)));
	CHECK(!parse("", nested("{\"a\":", "[]", "}", CFDW_MAX_DEPTH)));
	CHECK_INT(err.kind, CFDW_ERR_LIMIT);
	CHECK_STR(err.message, "response body is nested more than 512 levels deep");
	CHECK(!parse("", nested("[{\"a\":", "1", "}]", CFDW_MAX_DEPTH / 2 + 1)));
	CHECK_INT(err.kind, CFDW_ERR_LIMIT);
	/* brackets in strings are no depth */
	CHECK(parse(NULL, nested("", "[\"[[[[[[[[\"]", "", 1)));

	memset(brackets, '[', huge);
	CHECK(!parse_bytes(NULL, brackets, huge));
	CHECK_INT(err.kind, CFDW_ERR_LIMIT);
	CHECK(!parse_bytes("/a", brackets, huge));
	CHECK_INT(err.kind, CFDW_ERR_LIMIT);
	CHECK(!parse_bytes("/*/*/*", brackets, huge));
	CHECK_INT(err.kind, CFDW_ERR_LIMIT);
	CHECK(!cfdw_page_parse(arena, &lines, (CfdwSlice){brackets, huge}, &page, &err));
	CHECK_INT(err.kind, CFDW_ERR_LIMIT);
	CHECK(cfdw_pointer_parse(arena, "/0/0", false, &pointer, &err));
	CHECK(!cfdw_page_find((CfdwSlice){brackets, huge}, &pointer, &found));
	for (size_t i = 0; i + 5 <= huge; i += 5)
		memcpy(brackets + i, "{\"a\":", 5);
	CHECK(!parse_bytes("/a/a", brackets, huge));
	CHECK_INT(err.kind, CFDW_ERR_LIMIT);
	free(brackets);
	/* a path deeper than any body */
	CHECK(!parse(nested("/0", "", "", 600), nested("[", "1", "]", 512)));
	CHECK_INT(err.kind, CFDW_ERR_MISSING);
}

static void
test_ndjson(void)
{
	CHECK(parse_ndjson("{\"a\":1}\n{\"a\":2}\r\n\n \t\r\n [3] \n\"x\""));
	CHECK_STR(records(), "{\"a\":1}|{\"a\":2}|[3]|\"x\"");
	CHECK_STR(page.envelope, "null");
	CHECK_INT(page.envelope_len, 4);
	CHECK(parse_ndjson("\xef\xbb\xbf{}\n"));
	CHECK_STR(records(), "{}");
	CHECK(parse_ndjson(""));
	CHECK_INT(page.count, 0);
	CHECK(parse_ndjson("\n\n"));
	CHECK_INT(page.count, 0);

	CHECK(!parse_ndjson("{\"a\":1}\n\n{\"a\":2"));
	CHECK_INT(err.kind, CFDW_ERR_CUT);
	CHECK_STR(err.message, "line 3 of the response body is cut: its JSON is not complete");
	CHECK_STR(err.detail, "At byte 16 of 15: the text ends, near \"{\"a\":2\".");
	CHECK(!parse_ndjson("1\n2 3\n4"));
	CHECK_STR(err.message, "line 2 of the response body goes on after its JSON document");
	CHECK_STR(err.hint, "");
	CHECK(!parse_ndjson("1\nerror: timeout\n4"));
	CHECK_STR(err.message, "line 2 of the response body is not valid JSON");
	CHECK(!parse_ndjson("1\n<html>"));
	CHECK_STR(err.message, "line 2 of the response body is HTML or XML, not JSON");
	CHECK(!parse_ndjson("[\n1\n]\n"));
	CHECK_STR(err.message, "line 1 of the response body is cut: its JSON is not complete");
}

typedef struct FindCase
{
	const char *record;
	const char *pointer;
	const char *found; /* NULL: not there */
} FindCase;

static const FindCase find_cases[] = {
	{"{\"a\":1}", "", "{\"a\":1}"},
	{"{\"a\":1}", "/a", "1"},
	{"{\"a\":null}", "/a", "null"},
	{"{\"a\":1}", "/b", NULL},
	{"{\"a\":1}", "/a/b", NULL},
	{"{\"a\": { \"b\" : [ 10 , {\"c\":\"x\"} ] } , \"d\":2}", "/a", "{ \"b\" : [ 10 , {\"c\":\"x\"} ] }"},
	{"{\"a\": { \"b\" : [ 10 , {\"c\":\"x\"} ] } , \"d\":2}", "/a/b/0", "10"},
	{"{\"a\": { \"b\" : [ 10 , {\"c\":\"x\"} ] } , \"d\":2}", "/a/b/1/c", "\"x\""},
	{"{\"a\": { \"b\" : [ 10 , {\"c\":\"x\"} ] } , \"d\":2}", "/a/b/2", NULL},
	{"{\"a\": { \"b\" : [ 10 , {\"c\":\"x\"} ] } , \"d\":2}", "/d", "2"},
	{"{\"a\":1,\"a\":2}", "/a", "2"},
	{"{\"a\":{\"b\":1},\"a\":{\"c\":2}}", "/a/b", NULL},
	{"{\"a\":{\"b\":1},\"a\":{\"b\":2}}", "/a/b", "2"},
	{"{\"a\":{\"b\":1},\"a\":3}", "/a/b", NULL},
	{"{\"a\":{\"b\":1,\"b\":{\"x\":1}},\"a\":{\"b\":[3]}}", "/a/b", "[3]"},
	{"[[1],[2,[3]],[[4,5]]]", "/1/1/0", "3"},
	{"[[1],[2,[3]],[[4,5]]]", "/2/0/1", "5"},
	{"{\"0\":1}", "/0", "1"},
	{"[\"a\"]", "/a", NULL},
	{"{\"\\u0061\\n\":[1]}", "/a\n/0", "1"},
	{"{\"\":{\"\":7}}", "//", "7"},
	{"5", "", "5"},
	{"5", "/a", NULL},
	{"{\"a\":1", "/a", NULL},
	{"{\"a\":1}x", "/a", NULL},
	{"", "/a", NULL},
};

static void
test_find(void)
{
	for (int i = 0; i < lengthof(find_cases); i++)
	{
		const FindCase *c = &find_cases[i];
		CfdwPointer pointer;
		CfdwSlice found;
		bool there;

		CHECK(cfdw_pointer_parse(arena, c->pointer, false, &pointer, &err));
		there = cfdw_page_find(exact_copy(c->record, strlen(c->record)), &pointer, &found);
		CHECK_CASE(there == (c->found != NULL), c->record);
		if (there && c->found != NULL)
			CHECK_STR(cfdw_strndup(arena, found.data, found.len), c->found);
	}
}

/* A record found by a page is the value that find gives for its index. */
static void
check_spans(const char *path)
{
	for (int i = 0; i < page.count; i++)
	{
		CfdwPointer pointer;
		CfdwSlice found;

		CHECK(page.records[i].len > 0);
		CHECK(page.records[i].data >= page.body.data);
		CHECK(page.records[i].data + page.records[i].len <= page.body.data + page.body.len);
		CHECK(parse_bytes("", page.records[i].data, page.records[i].len) || err.kind == CFDW_ERR_SHAPE);
		CHECK(cfdw_pointer_parse(arena, cfdw_printf(arena, "%s/%d", path, i), false, &pointer, &err));
		CHECK(cfdw_page_find(page.body, &pointer, &found));
		CHECK(found.data == page.records[i].data && found.len == page.records[i].len);
	}
}

/* Bodies with a few bytes changed: no crash, and what is accepted is whole. */
static void
test_mutations(void)
{
	static const char bytes[] = "{}[]\",:\\u0dtfne-+.19 \n\x01\x80\xff*";
	uint32 seed = 20240229;
	int accepted = 0;

	for (int round = 0; round < 20000; round++)
	{
		char body[sizeof(sample)];
		size_t len = strlen(sample);
		CfdwPage mutated;

		memcpy(body, sample, sizeof(sample));
		for (int i = 0; i < 1 + round % 3; i++)
		{
			seed = seed * 1664525 + 1013904223;
			body[(seed >> 8) % len] = bytes[(seed >> 3) % (sizeof(bytes) - 1)];
		}
		if (parse_bytes("/data", body, len))
		{
			accepted++;
			mutated = page;
			CHECK(parse_bytes("", mutated.envelope, mutated.envelope_len));
			page = mutated;
			if (accepted % 50 == 0 && strstr(page.envelope, "\"data\"") == strrchr(page.envelope, '"') - 5)
				check_spans("/data");
		}
		else
			CHECK(err.kind == CFDW_ERR_JSON || err.kind == CFDW_ERR_CUT || err.kind == CFDW_ERR_MISSING || err.kind == CFDW_ERR_SHAPE);
		cfdw_arena_reset(arena);
	}
	CHECK(accepted > 1000);
}

/* Many of everything: arrays grow, order holds. */
static void
test_many(void)
{
	CfdwBuf body;
	bool ok = true;

	cfdw_buf_init(&body, arena);
	cfdw_buf_puts(&body, "{\"map\":{");
	for (int i = 0; i < 5000; i++)
		cfdw_buf_puts(&body, cfdw_printf(arena, "%s\"k%d\":[%d,{\"i\":%d}]", i > 0 ? "," : "", i % 4000, i, i));
	cfdw_buf_puts(&body, "}}");
	CHECK(parse_bytes("/map/*/*", body.data, body.len));
	CHECK_INT(page.count, 8000);
	/* the first thousand were replaced by the last */
	for (int i = 0; i < page.count; i++)
	{
		int number = i / 2 + 1000;
		char *expected = cfdw_printf(arena, i % 2 ? "{\"i\":%d}" : "%d", number);
		char *key = cfdw_printf(arena, "\"k%d\"", number % 4000);

		ok = ok && page.records[i].len == strlen(expected) && memcmp(page.records[i].data, expected, strlen(expected)) == 0;
		ok = ok && page.keys[i].len == strlen(key) && memcmp(page.keys[i].data, key, strlen(key)) == 0;
	}
	CHECK(ok);
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
	run(test_missing_is_empty);
	run(test_cut_everywhere);
	run(test_trailing);
	run(test_nul);
	run(test_depth);
	run(test_ndjson);
	run(test_find);
	run(test_mutations);
	run(test_many);
	cfdw_arena_free(arena);
	return unit_done("page");
}

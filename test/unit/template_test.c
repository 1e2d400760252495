/*
 * template_test.c
 *	  Placeholders: what is one, how a value is encoded, what is refused.
 */
#include "template.h"
#include "unit.h"

static CfdwArena *arena;

static const CfdwVariable items[] = {
	{"cursor", "a+b/c==", NULL},
	{"offset", "20", "20"},
	{"since", NULL, NULL},
	{"limit", NULL, NULL},
	{"repo", "postgres/postgres", NULL},
	{"empty", "", NULL},
	{"brace", "{offset}", NULL},
	{"pairs", "x&admin=true#f?g=h%26", NULL},
	{"crlf", "a\r\nX-Evil: 1", NULL},
	{"name", "M\xC3\xBCller & S\xC3\xB6hne", NULL},
	{"channel id", "C1", NULL},
	{"up", "../admin", NULL},
	{"dot", ".", NULL},
	{"dots", "..", NULL},
	{"dots_encoded", "%2e%2E", NULL},
	{"dots_mixed", ".%2e", NULL},
	{"deep", "a/b/../c", NULL},
	{"deep_end", "a/.", NULL},
	{"deep_encoded", "a/%2E./c", NULL},
	{"harmless", "..a/.b/c../...", NULL},
	{"until", NULL, NULL},
	{"offset", "of two the first counts", NULL},
};
static const CfdwVariables vars = {lengthof(items), items};
static const CfdwVariables no_vars = {0, NULL};

static void
test_uses(void)
{
	CHECK(cfdw_template_uses("{since}", "since"));
	CHECK(cfdw_template_uses("updated>{since}&x", "since"));
	CHECK(cfdw_template_uses("/a/{+since}/b", "since"));
	CHECK(cfdw_template_uses("{{since}}", "since"));
	CHECK(cfdw_template_uses("{until}{since}", "since"));
	CHECK(!cfdw_template_uses("", "since"));
	CHECK(!cfdw_template_uses("{", "since"));
	CHECK(!cfdw_template_uses("{+", "since"));
	CHECK(!cfdw_template_uses("since", "since"));
	CHECK(!cfdw_template_uses("{since", "since"));
	CHECK(!cfdw_template_uses("since}", "since"));
	CHECK(!cfdw_template_uses("{ since }", "since"));
	CHECK(!cfdw_template_uses("{since_id}", "since"));
	CHECK(!cfdw_template_uses("{sinc}", "since"));
	CHECK(!cfdw_template_uses("{Since}", "since"));
	CHECK(!cfdw_template_uses("{++since}", "since"));
}

static void
test_sole(void)
{
	CHECK(cfdw_template_sole("{offset}", &vars) == &items[1]);
	CHECK(cfdw_template_sole("{+offset}", &vars) == &items[1]);
	CHECK(cfdw_template_sole("{since}", &vars) == &items[2]);
	CHECK(cfdw_template_sole("{channel id}", &vars) == &items[10]);
	CHECK(cfdw_template_sole("", &vars) == NULL);
	CHECK(cfdw_template_sole("{offset} ", &vars) == NULL);
	CHECK(cfdw_template_sole(" {offset}", &vars) == NULL);
	CHECK(cfdw_template_sole("{offset}{offset}", &vars) == NULL);
	CHECK(cfdw_template_sole("{unknown}", &vars) == NULL);
	CHECK(cfdw_template_sole("{}", &vars) == NULL);
	CHECK(cfdw_template_sole("{offset}", &no_vars) == NULL);
}

static void
test_fill(void)
{
	static const struct
	{
		const char *tmpl;
		CfdwEncoding encoding;
		const char *filled;
	} cases[] = {
		{"", CFDW_PLAIN, ""},
		{"no placeholder", CFDW_PLAIN, "no placeholder"},
		{"x {cursor} y {offset}", CFDW_PLAIN, "x a+b/c== y 20"},
		{"{offset}{offset}", CFDW_PLAIN, "2020"},
		{"{empty}", CFDW_PLAIN, ""},
		{"{name}", CFDW_PLAIN, "M\xC3\xBCller & S\xC3\xB6hne"},
		{"{dots}", CFDW_PLAIN, ".."},
		/* other braces are text; a value is never looked at again */
		{"query { issues(first: 10, after: \"{cursor}\") { nodes { id } } }", CFDW_PLAIN, "query { issues(first: 10, after: \"a+b/c==\") { nodes { id } } }"},
		{"{unknown} {offset", CFDW_PLAIN, "{unknown} {offset"},
		{"{{offset}}", CFDW_PLAIN, "{20}"},
		{"{", CFDW_PLAIN, "{"},
		{"{}", CFDW_PLAIN, "{}"},
		{"{+}", CFDW_PLAIN, "{+}"},
		{"{brace}", CFDW_PLAIN, "{offset}"},
		{"{{brace}}", CFDW_PLAIN, "{{offset}}"},
		/* a path */
		{"/repos/{repo}/issues", CFDW_PATH, "/repos/postgres%2Fpostgres/issues"},
		{"/repos/{+repo}/issues", CFDW_PATH, "/repos/postgres/postgres/issues"},
		{"/a b/%7e/{offset}?x=1#y", CFDW_PATH, "/a b/%7e/20?x=1#y"},
		{"/{name}", CFDW_PATH, "/M%C3%BCller%20%26%20S%C3%B6hne"},
		{"/{pairs}", CFDW_PATH, "/x%26admin%3Dtrue%23f%3Fg%3Dh%2526"},
		{"/{+pairs}", CFDW_PATH, "/x%26admin%3Dtrue%23f%3Fg%3Dh%2526"},
		{"/{crlf}", CFDW_PATH, "/a%0D%0AX-Evil%3A%201"},
		{"/{up}", CFDW_PATH, "/..%2Fadmin"},
		{"/{+harmless}", CFDW_PATH, "/..a/.b/c../..."},
		{"/./{offset}/..", CFDW_PATH, "/./20/.."},
		/* a query */
		{"{cursor}", CFDW_QUERY, "a%2Bb%2Fc%3D%3D"},
		{"a={pairs}&b={offset}", CFDW_QUERY, "a=x%26admin%3Dtrue%23f%3Fg%3Dh%2526&b=20"},
		{"{dots}", CFDW_QUERY, ".."},
		{"{crlf}", CFDW_QUERY, "a%0D%0AX-Evil%3A%201"},
	};

	for (size_t i = 0; i < lengthof(cases); i++)
	{
		CfdwBuf buf;
		CfdwError err;

		cfdw_buf_init(&buf, arena);
		CHECK_CASE(cfdw_template_fill(&buf, cfdw_strdup(arena, cases[i].tmpl), cases[i].encoding, &vars, &err), cases[i].tmpl);
		CHECK_STR(buf.data, cases[i].filled);
	}
}

static void
test_fill_refused(void)
{
	static const struct
	{
		const char *tmpl;
		CfdwEncoding encoding;
		const char *message;
	} cases[] = {
		{"{since}", CFDW_PLAIN, "placeholder {since} has no value"},
		{"x{+since}", CFDW_PLAIN, "placeholder {since} has no value"},
		{"{until}", CFDW_PLAIN, "placeholder {until} has no value"},
		{"/a/{limit}", CFDW_PATH, "placeholder {limit} has no value"},
		{"{limit}", CFDW_QUERY, "placeholder {limit} has no value"},
		{"{crlf}", CFDW_PLAIN, "the value of placeholder {crlf} has a line break"},
		{"/{dot}", CFDW_PATH, "the value of placeholder {dot} has a \".\" or \"..\" segment"},
		{"/{dots}", CFDW_PATH, "the value of placeholder {dots} has a \".\" or \"..\" segment"},
		{"/{+dots}", CFDW_PATH, "the value of placeholder {dots} has a \".\" or \"..\" segment"},
		{"/{dots_encoded}", CFDW_PATH, "the value of placeholder {dots_encoded} has a \".\" or \"..\" segment"},
		{"/{dots_mixed}", CFDW_PATH, "the value of placeholder {dots_mixed} has a \".\" or \"..\" segment"},
		{"/{+up}", CFDW_PATH, "the value of placeholder {up} has a \".\" or \"..\" segment"},
		{"/{+deep}", CFDW_PATH, "the value of placeholder {deep} has a \".\" or \"..\" segment"},
		{"/{+deep_end}", CFDW_PATH, "the value of placeholder {deep_end} has a \".\" or \"..\" segment"},
		{"/{+deep_encoded}", CFDW_PATH, "the value of placeholder {deep_encoded} has a \".\" or \"..\" segment"},
		/* in two halves */
		{"/.{dot}/", CFDW_PATH, "the value of placeholder {dot} has a \".\" or \"..\" segment"},
	};

	for (size_t i = 0; i < lengthof(cases); i++)
	{
		CfdwBuf buf;
		CfdwError err = {CFDW_OK};

		cfdw_buf_init(&buf, arena);
		CHECK_CASE(!cfdw_template_fill(&buf, cases[i].tmpl, cases[i].encoding, &vars, &err), cases[i].tmpl);
		CHECK_INT(err.kind, CFDW_ERR_OPTION);
		CHECK_STR(err.message, cases[i].message);
		CHECK(err.detail[0] != '\0');
		CHECK_INT(strstr(err.hint, "timestamp_initial") != NULL, strstr(cases[i].tmpl, "since") != NULL || strstr(cases[i].tmpl, "until") != NULL);
	}
}

static void
test_query(void)
{
	static const char *const cases[][2] = {
		{"", ""},
		{"state=all", "state=all"},
		{"state=all&q=a b", "state=all&q=a%20b"},
		{"q=1+1", "q=1%2B1"},
		{"q=%26", "q=%2526"},
		{"q=a=b=c", "q=a%3Db%3Dc"},
		{"page[size]=2&expand[]=x&expand[]=y", "page%5Bsize%5D=2&expand%5B%5D=x&expand%5B%5D=y"},
		{"DateSent>=2024-01-01", "DateSent%3E=2024-01-01"},
		{"$filter=name eq 'x'", "%24filter=name%20eq%20%27x%27"},
		{"q=\xC3\xBC", "q=%C3%BC"},
		{"q={\"a\": 1}", "q=%7B%22a%22%3A%201%7D"},
		/* pairs without a value, empty pairs */
		{"flag", "flag"},
		{"f", "f"},
		{"q=a/b", "q=a%2Fb"},
		{"flag=", "flag="},
		{"=x", "=x"},
		{"a=1&&b=2&", "a=1&b=2"},
		{"&", ""},
		{"&a=1", "a=1"},
		/* placeholders */
		{"cursor={cursor}", "cursor=a%2Bb%2Fc%3D%3D"},
		{"a={offset}&b={+repo}", "a=20&b=postgres%2Fpostgres"},
		{"q=repo:{repo} is:issue", "q=repo%3Apostgres%2Fpostgres%20is%3Aissue"},
		{"filter[{offset}]=x", "filter%5B20%5D=x"},
		{"id={channel id}", "id=C1"},
		{"empty={empty}", "empty="},
		{"n={unknown}", "n=%7Bunknown%7D"},
		{"{cursor}", "a%2Bb%2Fc%3D%3D"},
		/* a value can never add a pair, end the query or be filled again */
		{"a={pairs}&b=1", "a=x%26admin%3Dtrue%23f%3Fg%3Dh%2526&b=1"},
		{"{pairs}=1", "x%26admin%3Dtrue%23f%3Fg%3Dh%2526=1"},
		{"a={brace}", "a=%7Boffset%7D"},
		{"a={crlf}", "a=a%0D%0AX-Evil%3A%201"},
		{"a={dots}", "a=.."},
		/* a pair whose value is a placeholder without a value is left out */
		{"since={since}", ""},
		{"since={+since}", ""},
		{"since={since}&a=1", "a=1"},
		{"a=1&since={since}", "a=1"},
		{"a=1&since={since}&b=2", "a=1&b=2"},
		{"since={since}&limit={limit}", ""},
	};

	for (size_t i = 0; i < lengthof(cases); i++)
	{
		CfdwBuf buf;
		CfdwError err;

		cfdw_buf_init(&buf, arena);
		CHECK_CASE(cfdw_template_query(&buf, cfdw_strdup(arena, cases[i][0]), &vars, &err), cases[i][0]);
		CHECK_STR(buf.data, cases[i][1]);
	}
}

static void
test_query_refused(void)
{
	static const char *const cases[] = {
		"q=updated>{since}", "q={since} ", "q={since}{since}", "a=1&q=x{since}", "{since}", "{since}=1", "filter[{since}]={since}x"};

	for (size_t i = 0; i < lengthof(cases); i++)
	{
		CfdwBuf buf;
		CfdwError err;

		cfdw_buf_init(&buf, arena);
		CHECK_CASE(!cfdw_template_query(&buf, cases[i], &vars, &err), cases[i]);
		CHECK_INT(err.kind, CFDW_ERR_OPTION);
		CHECK_STR(err.message, "placeholder {since} has no value");
		CHECK(strstr(err.hint, "timestamp_initial") != NULL);
	}
}

int
main(void)
{
	static void (*const tests[])(void) = {test_uses, test_sole, test_fill, test_fill_refused, test_query, test_query_refused};

	for (size_t i = 0; i < lengthof(tests); i++)
	{
		arena = cfdw_arena_new(NULL, "test");
		tests[i]();
		cfdw_arena_free(arena);
	}
	return unit_done("template");
}

/*
 * verdict_test.c
 *	  What a response is worth.
 */
#include "unit.h"
#include "verdict.h"

#define TOKEN "canary-0123456789"

static CfdwArena *arena;
static CfdwEndpoint endpoint;
static CfdwExchangeRules rules;
static CfdwResponse response;
static CfdwAnswer answer;
static bool again;
static CfdwError err;

static void
begin(void)
{
	arena = cfdw_arena_new(NULL, "test");
	memset(&endpoint, 0, sizeof(endpoint));
	memset(&rules, 0, sizeof(rules));
	memset(&answer, 0, sizeof(answer));
	rules.endpoint = &endpoint;
	endpoint.secrets = cfdw_secrets_new(arena);
	cfdw_secrets_add(endpoint.secrets, "Bearer " TOKEN);
	CHECK(cfdw_statuses_parse("408, 429, 5xx", &rules.retry_statuses));
}

static void
end(void)
{
	cfdw_arena_free(arena);
}

static void
records_at(const char *path)
{
	rules.page.has_path = true;
	CHECK(cfdw_pointer_parse(arena, path, true, &rules.page.records_path, &err));
}

static bool
judge(bool first, int status, const char *body)
{
	response = (CfdwResponse){.status = status, .masked_url = "http://host/path", .body = {body, strlen(body)}};
	answer.response = &response;
	memset(&err, 0, sizeof(err));
	return cfdw_verdict(arena, &rules, first, &answer, &again, &err);
}

/* What the error says; the URL comes first, and a secret nowhere. */
static void
check_error(CfdwErrorKind kind, const char *message, const char *detail)
{
	CHECK_INT(err.kind, kind);
	CHECK_STR(err.message, message);
	CHECK(strncmp(err.detail, "URL: http://host/path", 21) == 0);
	CHECK_STR(err.detail + 21, detail);
	CHECK(strstr(err.detail, TOKEN) == NULL && strstr(err.message, TOKEN) == NULL && strstr(err.hint, TOKEN) == NULL);
}

/* ---- statuses ---- */

static void
test_statuses(void)
{
	begin();
	CHECK(judge(true, 200, "[1,2]"));
	CHECK_INT(answer.page.count, 2);
	CHECK(judge(true, 206, "[1]"));
	CHECK(judge(true, 204, ""));
	CHECK_INT(answer.page.count, 0);
	CHECK(!answer.nothing && !again);
	CHECK(!judge(true, 404, "[1]"));
	check_error(CFDW_ERR_STATUS, "the API answered with HTTP status 404", "\nThe API says: [1]");
	CHECK_INT(err.status, 404);
	CHECK(!again);
	CHECK(!judge(true, 503, ""));
	check_error(CFDW_ERR_STATUS, "the API answered with HTTP status 503", "");
	CHECK(again);
	CHECK(!judge(true, 403, "{\"message\": \"no scope\"}"));
	check_error(CFDW_ERR_AUTH, "the API answered with HTTP status 403", "\nThe API says: {\"message\": \"no scope\"}");
	CHECK(!again);
	end();
}

/* Each list speaks of its own page. */
static void
test_nothing(void)
{
	begin();
	CHECK(cfdw_statuses_parse("404", &rules.ignore_statuses));
	CHECK(cfdw_statuses_parse("400, 5xx", &rules.end_statuses));
	CHECK(judge(true, 404, "{\"error\":1}"));
	CHECK(answer.nothing);
	CHECK_INT(answer.page.count, 0);
	CHECK_STR(answer.page.envelope, "null");
	CHECK(!judge(false, 404, "{}"));
	CHECK(!answer.nothing);
	CHECK(!judge(true, 400, "{}"));
	CHECK(judge(false, 400, "[1]"));
	CHECK(answer.nothing && answer.page.count == 0);
	CHECK(judge(false, 503, ""));
	CHECK(answer.nothing && !again);
	CHECK(!judge(true, 503, ""));
	CHECK(again);
	CHECK(judge(false, 200, "[1]"));
	CHECK(!answer.nothing);
	CHECK_INT(answer.page.count, 1);
	end();
}

/* ---- quotes ---- */

static void
test_quotes(void)
{
	static const struct
	{
		const char *body;
		const char *detail;
	} cases[] = {
		{"", ""},
		{" \n\t", ""},
		{"<html><body>no</body></html>", ""},
		{"\r\n <?xml version=\"1.0\"?>", ""},
		{"{}", ""},
		{" [] ", ""},
		{"no!", "\nThe API says: no!"},
		{"quota exceeded\r\n", "\nThe API says: quota exceeded"},
		{"\x01\x02\xff\xfe ok", "\nThe API says:   ?? ok"},
		{"line 1\r\nline 2\x1b[31m", "\nThe API says: line 1  line 2 [31m"},
		{"{\"error\": \"bad token " TOKEN "\"}", "\nThe API says: {\"error\": \"bad token ***\"}"},
		{"{\"got\": \"Bearer " TOKEN "\"}", "\nThe API says: {\"got\": \"***\"}"},
		{TOKEN TOKEN, "\nThe API says: ******"},
	};
	char body[2000];
	char expected[400] = "\nThe API says: ";

	for (int i = 0; i < lengthof(cases); i++)
	{
		begin();
		CHECK(!judge(true, 400, cases[i].body));
		check_error(CFDW_ERR_STATUS, "the API answered with HTTP status 400", cases[i].detail);
		end();
	}

	/* a long one is cut, and a secret at the cut is no less secret */
	begin();
	memset(body, 'x', sizeof(body));
	memcpy(body + 290, TOKEN, strlen(TOKEN));
	body[sizeof(body) - 1] = '\0';
	memset(expected + strlen(expected), 'x', 290);
	strcat(expected, "***xxxxxxx...");
	CHECK(!judge(true, 400, body));
	check_error(CFDW_ERR_STATUS, "the API answered with HTTP status 400", expected);
	end();
}

/* A body that is no page is quoted without secrets, too. */
static void
test_bad_pages(void)
{
	begin();
	CHECK(!judge(true, 200, "{\"a\": \"" TOKEN "\"}"));
	check_error(CFDW_ERR_SHAPE, "response body is an object, not an array of records", "\nIt starts with: {\"a\": \"***\"}");
	CHECK(!again);
	CHECK(!judge(true, 200, "[\"" TOKEN "\" 1]"));
	CHECK_INT(err.kind, CFDW_ERR_JSON);
	CHECK(strstr(err.detail, "near \"[\"***\" 1]\"") != NULL);
	CHECK(!judge(true, 200, "[\"" TOKEN));
	check_error(CFDW_ERR_CUT, "response body is cut: its JSON is not complete", "\nAt byte 6 of 5: the text ends, near \"[\"***\".");
	CHECK(again);
	/* a secret that is the page's own syntax */
	cfdw_secrets_add(endpoint.secrets, "][][");
	CHECK(!judge(true, 200, "[][][]"));
	CHECK(err.kind == CFDW_ERR_JSON && strstr(err.detail, "][][") == NULL);
	end();
}

/* ---- error documents ---- */

static void
test_error_path(void)
{
	static const struct
	{
		const char *path;
		const char *body;
		const char *detail; /* NULL: a page */
	} cases[] = {
		{"/error", "{\"d\": [1]}", NULL},
		{"/error", "{\"d\": [1], \"error\": null}", NULL},
		{"/error", "{\"d\": [1], \"error\": false}", NULL},
		{"/error", "{\"d\": [1], \"error\": []}", NULL},
		{"/error", "{\"d\": [1], \"error\": \"\"}", NULL},
		{"/error", "{\"d\": [{\"error\": 1}]}", NULL},
		{"/error", "{\"d\": [1], \"error\": \"bad " TOKEN "\"}", "\nThe API says: \"bad ***\""},
		{"/error", "{\"error\": {\"code\": 7}}", "\nThe API says: {\"code\": 7}"},
		{"/error", "{\"error\": 123456789012345678901234567890}", "\nThe API says: 123456789012345678901234567890"},
		{"/error", "{\"error\": true, \"reason\": \"no\"}", "\nThe API says: {\"error\": true, \"reason\": \"no\"}"},
		{"/error", "{\"error\": true, \"reason\": \"no\", \"d\": []}", "\nThe API says: {\"error\": true, \"reason\": \"no\", \"d\": []}"},
		{"/errors/0/message", "{\"d\": [], \"errors\": [{\"message\": \"no\"}]}", "\nThe API says: \"no\""},
		{"!/ok", "{\"ok\": true, \"d\": [1]}", NULL},
		{"!/ok", "{\"ok\": false, \"error\": \"invalid_auth\"}", "\nThe API says: {\"ok\": false, \"error\": \"invalid_auth\"}"},
		{"!/ok", "{\"d\": [1]}", "\nThe API says: {\"d\": []}"},
		{"!/ok", "{\"ok\": false, \"d\": [1,2]}", "\nThe API says: {\"ok\": false, \"d\": []}"},
	};

	for (int i = 0; i < lengthof(cases); i++)
	{
		begin();
		records_at("/d");
		rules.error_path = cases[i].path;
		CHECK_CASE(judge(true, 200, cases[i].body) == (cases[i].detail == NULL), cases[i].body);
		if (cases[i].detail != NULL)
			check_error(CFDW_ERR_API, "the API reports an error, with HTTP status 200", cases[i].detail);
		CHECK(!again);
		end();
	}

	/* a page that is cut, or that misses its records without an error, is said to be so */
	begin();
	records_at("/d");
	rules.error_path = "/error";
	CHECK(!judge(true, 200, "{\"error\": \"x\", \"d\": ["));
	CHECK_INT(err.kind, CFDW_ERR_CUT);
	CHECK(!judge(true, 200, "{\"error\": null}"));
	CHECK_INT(err.kind, CFDW_ERR_MISSING);
	CHECK(!judge(true, 200, "<html>"));
	CHECK_INT(err.kind, CFDW_ERR_JSON);
	end();

	/* without records_path: an error document among arrays */
	begin();
	rules.error_path = "/error";
	CHECK(judge(true, 200, "[1]"));
	CHECK(!judge(true, 200, "{\"error\": \"x\"}"));
	CHECK_INT(err.kind, CFDW_ERR_API);
	end();
}

static void
evaluate(CfdwArena *in, CfdwSlice document, const char *path, char **result)
{
	CHECK_STR(path, "$.error");
	*result = strstr(document.data, "\"error\"") != NULL ? cfdw_strdup(in, "\"x\"") : NULL;
}

static void
test_sql_json_path(void)
{
	begin();
	endpoint.evaluate = evaluate;
	rules.error_path = "$.error";
	CHECK(judge(true, 200, "[1]"));
	CHECK(!judge(true, 200, "{\"error\": 1}"));
	check_error(CFDW_ERR_API, "the API reports an error, with HTTP status 200", "\nThe API says: \"x\"");
	rules.error_path = "!$.error";
	CHECK(!judge(true, 200, "[1]"));
	CHECK(!judge(true, 200, "{\"error\": 1}"));
	CHECK_INT(err.kind, CFDW_ERR_SHAPE);
	end();
}

/* Patience comes before an error. */
static void
test_match_and_error(void)
{
	begin();
	records_at("/d");
	rules.error_path = "/error";
	rules.retry_match = "rate limit";
	CHECK(!judge(true, 200, "{\"error\": \"Rate Limit\"}"));
	check_error(CFDW_ERR_API, "the API asks for patience, with HTTP status 200", "\nThe API says: {\"error\": \"Rate Limit\"}");
	CHECK(again);
	CHECK(!judge(true, 200, "{\"error\": \"other\"}"));
	CHECK(!again);
	CHECK(judge(true, 200, "{\"d\": [\"rate limit\"]}"));
	end();
}

int
main(void)
{
	test_statuses();
	test_nothing();
	test_quotes();
	test_bad_pages();
	test_error_path();
	test_sql_json_path();
	test_match_and_error();
	return unit_done("verdict");
}

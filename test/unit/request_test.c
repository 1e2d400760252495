/*
 * request_test.c
 *	  The exact requests that steps become: URL, headers, body.
 */
#include "unit.h"

#include "pagination.h"
#include "request.h"

#define FIRST \
	{ \
		CFDW_STEP_FIRST, NULL, 0 \
	}
#define CURSOR(json) \
	{ \
		CFDW_STEP_CURSOR, json, 0 \
	}
#define URL(url) \
	{ \
		CFDW_STEP_URL, url, 0 \
	}
#define NUMBER(n) \
	{ \
		CFDW_STEP_NUMBER, NULL, n \
	}

typedef struct Case
{
	const char *name;
	CfdwEndpoint endpoint;
	CfdwStep step;
	const char *expected; /* see describe(); the Accept header is left out where it is the usual one */
	CfdwQuestion question;
} Case;

static const CfdwVariable city_columns[] = {
	{"repo", "postgres/postgres", NULL},
	{"city", "K\xc3\xb6ln & Bonn", NULL},
	{"nothing", NULL, NULL},
	{"limits", "[1,2]", "[1,2]"},
};
static const CfdwVariable dot_column[] = {{"repo", "a/../b", NULL}};
static const CfdwVariable injected_column[] = {{"city", "a\r\nX-Evil: 1", NULL}};

#define COLUMNS \
	{ \
		lengthof(city_columns), city_columns \
	}

static const CfdwHeader some_headers[] = {
	{"X-City", "{city}"},
	{"X-Nothing", "{nothing}"},
	{"X-Page-Token", "{cursor}"},
	{"accept", "application/vnd.api+json"},
	{"Authorization", "left to auth"},
	{"Content-Type", "application/vnd.api+json"},
};
static const CfdwHeader half_header[] = {{"X-Half", "a {nothing}"}};
static const CfdwHeader city_header[] = {{"X-City", "{city}"}};
static const CfdwHeader auth_headers[] = {{"Authorization", "Bearer {city}"}};

static const Case cases[] = {
	{"bare", {.base_url = "https://api.test"}, FIRST, "GET https://api.test"},
	{"base with a path and a slash", {.base_url = "https://api.test/v1/", .endpoint = "/items"}, FIRST, "GET https://api.test/v1/items"},
	{"ndjson", {.endpoint = "/items", .ndjson = true}, FIRST, "GET https://api.test/items\nAccept: application/x-ndjson, application/json"},

	/* placeholders */
	{"path", {.endpoint = "/repos/{+repo}/x/{repo}", .columns = COLUMNS}, FIRST, "GET https://api.test/repos/postgres/postgres/x/postgres%2Fpostgres"},
	{"path with dots", {.endpoint = "/repos/{+repo}", .columns = {1, dot_column}}, FIRST, "error 22023 OPTION"},
	{"path without value", {.endpoint = "/x/{nothing}", .columns = COLUMNS}, FIRST, "error 22023 OPTION"},
	{"cursor in the path, first page", {.endpoint = "/x/{cursor}", .pagination = CFDW_PAGINATION_CURSOR, .cursor_path = "/c"}, FIRST, "error 22023 OPTION"},
	{"cursor in the path, page_start", {.endpoint = "/x/{cursor}", .pagination = CFDW_PAGINATION_CURSOR, .cursor_path = "/c", .page_start = "0"}, FIRST, "GET https://api.test/x/0"},
	{"params", {.params = "state=all&q=a b&city={city}&literal=%26&empty=&flag", .columns = COLUMNS}, FIRST, "GET https://api.test?state=all&q=a%20b&city=K%C3%B6ln%20%26%20Bonn&literal=%2526&empty=&flag"},
	{"UTF-8 in params", {.params = "q=\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"}, FIRST, "GET https://api.test?q=%C3%A4%E2%82%AC%F0%9F%98%80"},
	{"pair without value", {.params = "a={nothing}&b=1&c={cursor}&d={limit}&e={offset}&f={page}", .columns = COLUMNS}, FIRST, "GET https://api.test?b=1"},
	{"half a value", {.params = "a=x{nothing}", .columns = COLUMNS}, FIRST, "error 22023 OPTION"},
	{"other braces stay", {.params = "q={ cursor }{unknown}"}, FIRST, "GET https://api.test?q=%7B%20cursor%20%7D%7Bunknown%7D"},
	{"a column named like a built-in one", {.columns = {1, (const CfdwVariable[]){{"page", "1", NULL}}}}, FIRST, "error 22023 OPTION"},

	/* shorthands */
	{"cursor_param, first page", {.cursor_param = "cursor", .limit_param = "limit", .page_size = 100, .params = "a=1", .pagination = CFDW_PAGINATION_CURSOR, .cursor_path = "/c"}, FIRST, "GET https://api.test?a=1&limit=100"},
	{"cursor_param", {.cursor_param = "page[cursor]", .pagination = CFDW_PAGINATION_CURSOR, .cursor_path = "/c"}, CURSOR("\"a=b\\u0026c/\\u00e4\""), "GET https://api.test?page%5Bcursor%5D=a%3Db%26c%2F%C3%A4"},
	{"number as cursor", {.cursor_param = "c", .pagination = CFDW_PAGINATION_CURSOR, .cursor_path = "/c"}, CURSOR("0"), "GET https://api.test?c=0"},
	{"number beyond 64 bits", {.cursor_param = "c", .pagination = CFDW_PAGINATION_CURSOR, .cursor_path = "/c"}, CURSOR("123456789012345678901234567890"), "GET https://api.test?c=123456789012345678901234567890"},
	{"object cursor with a place", {.cursor_param = "c", .pagination = CFDW_PAGINATION_CURSOR, .cursor_path = "/c"}, CURSOR("{\"a\":1}"), "GET https://api.test?c=%7B%22a%22%3A1%7D"},
	{"page_start of a cursor", {.cursor_param = "c", .page_start = "*", .pagination = CFDW_PAGINATION_CURSOR, .cursor_path = "/c"}, FIRST, "GET https://api.test?c=%2A"},
	{"placeholder wins over cursor_param", {.cursor_param = "c", .params = "after={cursor}", .pagination = CFDW_PAGINATION_CURSOR, .cursor_path = "/c"}, CURSOR("\"x\""), "GET https://api.test?after=x"},
	{"page_start of a list", {.method = "POST", .body = "{\"after\": \"{cursor}\"}", .page_start = "[1, \"a\"]", .pagination = CFDW_PAGINATION_KEYSET, .keyset_path = "/sort"}, FIRST, "POST https://api.test\nContent-Type: application/json\n\n{\"after\":[1,\"a\"]}"},
	{"page_start that reads like a word of JSON", {.method = "POST", .body = "{\"after\": \"{cursor}\"}", .page_start = "null", .pagination = CFDW_PAGINATION_CURSOR, .cursor_path = "/c"}, FIRST, "POST https://api.test\nContent-Type: application/json\n\n{\"after\":\"null\"}"},
	{"a slash in a name", {.cursor_param = "a/b", .params = "c=1&d/e=2", .pagination = CFDW_PAGINATION_CURSOR, .cursor_path = "/c"}, CURSOR("\"x/y\""), "GET https://api.test?c=1&d%2Fe=2&a%2Fb=x%2Fy"},
	{"another pair of that length", {.cursor_param = "c", .params = "d=1&c2=2&=3", .pagination = CFDW_PAGINATION_CURSOR, .cursor_path = "/c"}, CURSOR("1"), "GET https://api.test?d=1&c2=2&=3&c=1"},
	{"a stored cursor that is no JSON", {.cursor_param = "c", .pagination = CFDW_PAGINATION_CURSOR, .cursor_path = "/c"}, CURSOR("x"), "error 22032 JSON"},
	{"a stored object that is no JSON", {.pagination = CFDW_PAGINATION_CURSOR, .cursor_path = "/c"}, CURSOR("{x"), "error 22032 JSON"},
	{"cursor_param also in params", {.cursor_param = "c", .params = "c=*", .pagination = CFDW_PAGINATION_CURSOR, .cursor_path = "/c"}, FIRST, "error 22023 OPTION"},
	{"limit_param also in params", {.limit_param = "n", .page_size = 5, .params = "n=7"}, FIRST, "GET https://api.test?n=7"},
	{"limit_param also in endpoint", {.limit_param = "n", .page_size = 5, .endpoint = "/x?n=7"}, FIRST, "GET https://api.test/x?n=7"},
	{"limit placeholder", {.limit_param = "n", .page_size = 5, .params = "top={limit}"}, FIRST, "GET https://api.test?top=5"},
	{"limit_param without page_size", {.limit_param = "n"}, FIRST, "GET https://api.test"},
	{"offset, first page", {.offset_param = "skip", .limit_param = "$top", .page_size = 50, .pagination = CFDW_PAGINATION_OFFSET}, FIRST, "GET https://api.test?skip=0&%24top=50"},
	{"offset", {.offset_param = "skip", .pagination = CFDW_PAGINATION_OFFSET}, NUMBER(150), "GET https://api.test?skip=150"},
	{"offset from 1", {.offset_param = "offset", .page_start = "1", .pagination = CFDW_PAGINATION_OFFSET}, FIRST, "GET https://api.test?offset=1"},
	{"offset placeholder", {.params = "q=STARTPOSITION {offset} MAXRESULTS {limit}", .page_size = 9, .pagination = CFDW_PAGINATION_OFFSET}, NUMBER(9), "GET https://api.test?q=STARTPOSITION%209%20MAXRESULTS%209"},
	{"page, first", {.page_param = "page", .pagination = CFDW_PAGINATION_PAGE_NUMBER}, FIRST, "GET https://api.test?page=1"},
	{"page from 0", {.page_param = "page", .page_start = "0", .pagination = CFDW_PAGINATION_PAGE_NUMBER}, FIRST, "GET https://api.test?page=0"},
	{"page", {.page_param = "page[number]", .pagination = CFDW_PAGINATION_PAGE_NUMBER}, NUMBER(7), "GET https://api.test?page%5Bnumber%5D=7"},
	{"offset without a place", {.pagination = CFDW_PAGINATION_OFFSET}, FIRST, "error 22023 OPTION"},
	{"page without a place", {.pagination = CFDW_PAGINATION_PAGE_NUMBER, .params = "p={offset}"}, FIRST, "error 22023 OPTION"},
	{"keyset without a place", {.pagination = CFDW_PAGINATION_KEYSET, .keyset_path = "/id"}, FIRST, "error 22023 OPTION"},
	{"cursor without a place", {.pagination = CFDW_PAGINATION_CURSOR, .cursor_path = "/c"}, CURSOR("\"x\""), "error 22023 OPTION"},
	{"array cursor without a place", {.pagination = CFDW_PAGINATION_CURSOR, .cursor_path = "/c"}, CURSOR("[1]"), "error 22023 OPTION"},

	/* what a walk asks with every page */
	{"since and until", {.params = "a=1", .timestamp_param = "updated[gte]", .until_param = "to"}, FIRST, "GET https://api.test?a=1&updated%5Bgte%5D=2024-01-01T00%3A00%3A00%2B01%3A00&to=2", {.since = "2024-01-01T00:00:00+01:00", .until = "2"}},
	{"no since yet", {.params = "from={since}&to={until}", .timestamp_param = "x"}, FIRST, "GET https://api.test"},
	{"since inside a longer value, none yet", {.params = "q=updated > {since}"}, FIRST, "error 22023 OPTION"},
	{"since inside a longer value", {.params = "q=updated > {since}", .timestamp_param = "x"}, FIRST, "GET https://api.test?q=updated%20%3E%20now", {.since = "now"}},
	{"since beside a cursor", {.timestamp_param = "since", .cursor_param = "c", .pagination = CFDW_PAGINATION_CURSOR, .cursor_path = "/c"}, CURSOR("\"x\""), "GET https://api.test?c=x&since=5", {.since = "5"}},
	{"timestamp_param also in params", {.timestamp_param = "since", .params = "since=0"}, FIRST, "error 22023 OPTION"},
	{"since in a JSON body, text", {.method = "POST", .body = "{\"gte\": \"{since}\", \"lt\": \"{until}\"}"}, FIRST, "POST https://api.test\nContent-Type: application/json\n\n{\"gte\":\"1700000000\"}", {.since = "1700000000"}},
	{"since in a JSON body, number", {.method = "POST", .body = "{\"gte\": \"{since}\", \"lt\": \"{until}\"}"}, FIRST, "POST https://api.test\nContent-Type: application/json\n\n{\"gte\":1700000000}", {.since = "1700000000", .numeric = true}},
	{"sync token", {.sync_token_param = "syncToken"}, FIRST, "GET https://api.test?syncToken=CPDA%3D", {.sync_token = "\"CPDA=\""}},
	{"sync token, a number", {.method = "POST", .body = "{\"cursor\": \"{sync_token}\"}"}, FIRST, "POST https://api.test\nContent-Type: application/json\n\n{\"cursor\":17}", {.sync_token = "17"}},
	{"sync token, none yet", {.method = "POST", .body = "{\"cursor\": \"{sync_token}\"}", .sync_token_param = "x"}, FIRST, "POST https://api.test\nContent-Type: application/json\n\n{}"},
	{"sync token that is no JSON", {.sync_token_param = "t"}, FIRST, "error 22032 JSON", {.sync_token = "x"}},
	{"a link has its question already", {.timestamp_param = "since", .sync_token_param = "t", .pagination = CFDW_PAGINATION_LINK_HEADER}, URL("https://api.test/y?since=1"), "GET https://api.test/y?since=1", {.since = "2", .sync_token = "3"}},
	{"a column named like one of them", {.columns = {1, (const CfdwVariable[]){{"since", "1", NULL}}}}, FIRST, "error 22023 OPTION"},

	/* an object cursor is merged */
	{"merged into the query", {.params = "action=query&continue=&list=x", .pagination = CFDW_PAGINATION_CURSOR, .cursor_path = "/continue"}, CURSOR("{\"cmcontinue\":\"page|4b\",\"continue\":\"-||\"}"), "GET https://api.test?action=query&list=x&cmcontinue=page%7C4b&continue=-%7C%7C"},
	{"merged over a shorthand", {.limit_param = "n", .page_size = 5, .params = "gone=1&a=2", .pagination = CFDW_PAGINATION_CURSOR, .cursor_path = "/c"}, CURSOR("{\"n\":3,\"gone\":null,\"t\":true}"), "GET https://api.test?a=2&n=3&t=true"},
	{"object as page_start", {.page_start = "{\"a\": 1}", .pagination = CFDW_PAGINATION_CURSOR, .cursor_path = "/c"}, FIRST, "GET https://api.test?a=1"},
	{"merged into a JSON body", {.method = "POST", .params = "v=1", .body = "{\"limit\": \"{limit}\", \"token\": \"old\"}", .page_size = 10, .pagination = CFDW_PAGINATION_CURSOR, .cursor_path = "/c"}, CURSOR("{\"token\":\"new\",\"x\":[1]}"), "POST https://api.test?v=1\nContent-Type: application/json\n\n{\"limit\":10,\"token\":\"new\",\"x\":[1]}"},
	{"merged into a form body", {.method = "POST", .params = "v=1", .body = "action=query&continue=", .pagination = CFDW_PAGINATION_CURSOR, .cursor_path = "/c"}, CURSOR("{\"continue\":\"a b\"}"), "POST https://api.test?v=1\nContent-Type: application/x-www-form-urlencoded\n\naction=query&continue=a%20b"},
	{"merged into the query, text body", {.method = "POST", .body = "select 1", .content_type = "text/plain", .pagination = CFDW_PAGINATION_CURSOR, .cursor_path = "/c"}, CURSOR("{\"c\":1}"), "POST https://api.test?c=1\nContent-Type: text/plain\n\nselect 1"},
	{"merged into the query, POST without body", {.method = "POST", .pagination = CFDW_PAGINATION_CURSOR, .cursor_path = "/c"}, CURSOR("{\"c\":1}"), "POST https://api.test?c=1"},

	/* bodies */
	{"JSON body, first page", {.method = "POST", .body = "{\"page_size\": \"{limit}\", \"start_cursor\": \"{cursor}\", \"filter\": {\"repo\": \"x {repo}\"}}", .page_size = 100, .columns = COLUMNS, .pagination = CFDW_PAGINATION_CURSOR, .cursor_path = "/c"}, FIRST, "POST https://api.test\nContent-Type: application/json\n\n{\"page_size\":100,\"filter\":{\"repo\":\"x postgres/postgres\"}}"},
	{"JSON body, string cursor", {.method = "POST", .body = "{\"start_cursor\": \"{cursor}\"}", .pagination = CFDW_PAGINATION_CURSOR, .cursor_path = "/c"}, CURSOR("\"12\""), "POST https://api.test\nContent-Type: application/json\n\n{\"start_cursor\":\"12\"}"},
	{"JSON body, number cursor", {.method = "POST", .body = "{\"start_cursor\": \"{cursor}\"}", .pagination = CFDW_PAGINATION_CURSOR, .cursor_path = "/c"}, CURSOR("12"), "POST https://api.test\nContent-Type: application/json\n\n{\"start_cursor\":12}"},
	{"JSON body, array cursor", {.method = "POST", .body = "{\"search_after\": \"{cursor}\"}", .pagination = CFDW_PAGINATION_KEYSET, .keyset_path = "/sort"}, CURSOR("[1,\"a\"]"), "POST https://api.test\nContent-Type: application/json\n\n{\"search_after\":[1,\"a\"]}"},
	{"JSON body, number as page_start", {.method = "POST", .body = "{\"after\": \"{cursor}\"}", .page_start = "0", .pagination = CFDW_PAGINATION_KEYSET, .keyset_path = "/id"}, FIRST, "POST https://api.test\nContent-Type: application/json\n\n{\"after\":0}"},
	{"JSON body, text as page_start", {.method = "POST", .body = "{\"after\": \"{cursor}\"}", .page_start = "*", .pagination = CFDW_PAGINATION_CURSOR, .cursor_path = "/c"}, FIRST, "POST https://api.test\nContent-Type: application/json\n\n{\"after\":\"*\"}"},
	{"JSON body, offset and column", {.method = "POST", .body = "{\"o\": \"{offset}\", \"l\": \"{limits}\", \"n\": \"{nothing}\"}", .columns = COLUMNS, .pagination = CFDW_PAGINATION_OFFSET}, NUMBER(20), "POST https://api.test\nContent-Type: application/json\n\n{\"o\":20,\"l\":[1,2]}"},
	{"shorthand beside a JSON body", {.method = "POST", .body = "{}", .cursor_param = "c", .pagination = CFDW_PAGINATION_CURSOR, .cursor_path = "/c"}, CURSOR("\"x\""), "POST https://api.test?c=x\nContent-Type: application/json\n\n{}"},
	{"GraphQL", {.method = "POST", .body = "{\"query\": \"query($a: String) { nodes(after: $a) { id } }\", \"variables\": {\"a\": \"{cursor}\"}}", .pagination = CFDW_PAGINATION_CURSOR, .cursor_path = "/c"}, FIRST, "POST https://api.test\nContent-Type: application/json\n\n{\"query\":\"query($a: String) { nodes(after: $a) { id } }\",\"variables\":{}}"},
	{"unquoted placeholder", {.method = "POST", .body = "{\"limit\": {limit}}"}, FIRST, "error 22023 OPTION"},
	{"JSON type, other body", {.method = "POST", .body = "a=1", .content_type = "application/json; charset=utf-8"}, FIRST, "error 22023 OPTION"},
	{"half a value in a JSON body", {.method = "POST", .body = "{\"a\": \"x{nothing}\"}", .columns = COLUMNS}, FIRST, "error 22023 OPTION"},
	{"half a value in a form", {.method = "POST", .body = "a=x{nothing}", .columns = COLUMNS}, FIRST, "error 22023 OPTION"},
	{"half a value in a text", {.method = "POST", .body = "x{nothing}", .content_type = "text/plain", .columns = COLUMNS}, FIRST, "error 22023 OPTION"},
	{"JSON type in capitals", {.method = "POST", .body = "{ \"a\": 1 }", .content_type = "Application/JSON"}, FIRST, "POST https://api.test\nContent-Type: Application/JSON\n\n{\"a\":1}"},
	{"JSON type of a vendor", {.method = "POST", .body = "{ \"a\": 1 }", .content_type = "application/x-amz-json-1.1"}, FIRST, "POST https://api.test\nContent-Type: application/x-amz-json-1.1\n\n{\"a\":1}"},
	{"lines of JSON are text", {.method = "POST", .body = "{}\n{\"size\":{limit}}\n", .page_size = 3, .content_type = "application/x-ndjson"}, FIRST, "POST https://api.test\nContent-Type: application/x-ndjson\n\n{}\n{\"size\":3}\n"},
	{"form body", {.method = "POST", .body = "channel={city}&cursor={cursor}&n={limit}", .page_size = 3, .columns = COLUMNS, .pagination = CFDW_PAGINATION_CURSOR, .cursor_path = "/c"}, FIRST, "POST https://api.test\nContent-Type: application/x-www-form-urlencoded\n\nchannel=K%C3%B6ln%20%26%20Bonn&n=3"},
	{"text body", {.method = "POST", .body = "fields *; offset {offset};", .content_type = "text/plain", .pagination = CFDW_PAGINATION_OFFSET}, NUMBER(10), "POST https://api.test\nContent-Type: text/plain\n\nfields *; offset 10;"},

	/* headers */
	{"headers, first page", {.header_count = 3, .headers = some_headers, .columns = COLUMNS, .pagination = CFDW_PAGINATION_CURSOR, .cursor_path = "/c"}, FIRST, "GET https://api.test\nX-City: K\xc3\xb6ln & Bonn"},
	{"cursor in a header", {.header_count = 3, .headers = some_headers, .columns = COLUMNS, .pagination = CFDW_PAGINATION_CURSOR, .cursor_path = "/c"}, CURSOR("\"x y\""), "GET https://api.test\nX-City: K\xc3\xb6ln & Bonn\nX-Page-Token: x y"},
	{"given headers win, auth wins", {.header_count = 6, .headers = some_headers, .auth_header_count = 1, .auth_headers = auth_headers, .columns = COLUMNS}, FIRST, "GET https://api.test\nX-City: K\xc3\xb6ln & Bonn\naccept: application/vnd.api+json\nContent-Type: application/vnd.api+json\nAuthorization: Bearer {city}"},
	{"content type from a header", {.method = "POST", .body = "{}", .header_count = 1, .headers = &some_headers[5]}, FIRST, "POST https://api.test\nContent-Type: application/vnd.api+json\n\n{}"},
	{"content_type wins over a header", {.method = "POST", .body = "a=1", .content_type = "text/plain", .header_count = 1, .headers = &some_headers[5]}, FIRST, "POST https://api.test\nContent-Type: text/plain\n\na=1"},
	{"half a header", {.header_count = 1, .headers = half_header, .columns = COLUMNS}, FIRST, "error 22023 OPTION"},
	{"header injection", {.header_count = 1, .headers = city_header, .columns = {1, injected_column}}, FIRST, "error 22023 OPTION"},
	{"header injection by a cursor", {.header_count = 3, .headers = some_headers, .columns = COLUMNS, .pagination = CFDW_PAGINATION_CURSOR, .cursor_path = "/c"}, CURSOR("\"a\\r\\nX: 1\""), "error 22023 OPTION"},

	/* the key in the query */
	{"auth_param", {.params = "a=1", .auth_param = "api key", .auth_value = "s3cr&t"}, FIRST, "GET https://api.test?a=1&api%20key=s3cr%26t"},
	{"auth_param given", {.params = "api_key=DEMO", .auth_param = "api_key", .auth_value = "secret"}, FIRST, "GET https://api.test?api_key=DEMO"},

	/* URL steps */
	{"URL byte for byte", {.params = "a=1", .limit_param = "n", .page_size = 5, .pagination = CFDW_PAGINATION_LINK_HEADER}, URL("https://API.test:443/x/../y?b=%7e+{c}&b=|"), "GET https://API.test:443/x/../y?b=%7e+{c}&b=|"},
	{"URL, auth_param added", {.pagination = CFDW_PAGINATION_LINK_HEADER, .auth_param = "k", .auth_value = "v"}, URL("https://api.test/y?b=1"), "GET https://api.test/y?b=1&k=v"},
	{"URL, auth_param there", {.pagination = CFDW_PAGINATION_LINK_HEADER, .auth_param = "k", .auth_value = "v"}, URL("https://api.test/y?k=w&b=1"), "GET https://api.test/y?k=w&b=1"},
	{"URL, headers and body again", {.method = "POST", .body = "{\"n\": \"{limit}\", \"c\": \"{cursor}\"}", .page_size = 5, .page_start = "*", .pagination = CFDW_PAGINATION_NEXT_URL, .next_url_path = "/next", .auth_header_count = 1, .auth_headers = auth_headers}, URL("https://api.test/y"), "POST https://api.test/y\nAuthorization: Bearer {city}\nContent-Type: application/json\n\n{\"n\":5,\"c\":\"*\"}"},
	{"stored URL of another origin", {.pagination = CFDW_PAGINATION_LINK_HEADER}, URL("https://evil.test/y"), "error 42501 FORBIDDEN"},
	{"stored URL of another scheme", {.pagination = CFDW_PAGINATION_LINK_HEADER}, URL("http://api.test/y"), "error 42501 FORBIDDEN"},
	{"stored URL that is none", {.pagination = CFDW_PAGINATION_LINK_HEADER}, URL("javascript:alert(1)"), "error 42501 FORBIDDEN"},
};

static const char *
error_name(const CfdwError *err)
{
	switch (err->kind)
	{
		case CFDW_ERR_OPTION:
			return "error 22023 OPTION";
		case CFDW_ERR_FORBIDDEN:
			return "error 42501 FORBIDDEN";
		case CFDW_ERR_URL:
			return "error 22023 URL";
		case CFDW_ERR_JSON:
			return "error 22032 JSON";
		default:
			return err->message;
	}
}

/* "METHOD URL", headers a line each, an empty line and the body if there is one. */
static char *
describe(CfdwArena *arena, const CfdwRequest *request)
{
	CfdwBuf out;

	cfdw_buf_init(&out, arena);
	cfdw_buf_puts(&out, cfdw_printf(arena, "%s %s", request->method, request->url));
	for (int i = 0; i < request->header_count; i++)
	{
		const CfdwHeader *header = &request->headers[i];

		if (strcmp(header->name, "Accept") != 0 || strcmp(header->value, "application/json") != 0)
			cfdw_buf_puts(&out, cfdw_printf(arena, "\n%s: %s", header->name, header->value));
	}
	if (request->body != NULL)
	{
		cfdw_buf_puts(&out, "\n\n");
		cfdw_buf_add(&out, request->body, request->body_len);
	}
	return out.data;
}

static void
test_cases(void)
{
	for (int i = 0; i < lengthof(cases); i++)
	{
		CfdwArena *arena = cfdw_arena_new(NULL, "test");
		CfdwEndpoint endpoint = cases[i].endpoint;
		CfdwPagination *pagination;
		CfdwRequest request;
		CfdwError err;
		const char *actual;

		if (endpoint.base_url == NULL)
			endpoint.base_url = "https://api.test";
		if (cfdw_pagination_open(arena, &endpoint, &pagination, &err) &&
			cfdw_pagination_request(pagination, arena, &cases[i].step, &cases[i].question, &request, &err))
			actual = describe(arena, &request);
		else
			actual = error_name(&err);
		CHECK_CASE(strcmp(actual, cases[i].expected) == 0, cases[i].name);
		CHECK_STR(actual, cases[i].expected);
		cfdw_arena_free(arena);
	}
}

/* The usual request says what it accepts, exactly once. */
static void
test_accept(void)
{
	CfdwArena *arena = cfdw_arena_new(NULL, "test");
	const CfdwEndpoint endpoint = {.base_url = "https://api.test"};
	const CfdwStep first = FIRST;
	CfdwPagination *pagination;
	CfdwRequest request;
	CfdwError err;

	CHECK(cfdw_pagination_open(arena, &endpoint, &pagination, &err));
	CHECK(cfdw_pagination_request(pagination, arena, &first, NULL, &request, &err));
	CHECK_INT(request.header_count, 1);
	CHECK_STR(request.headers[0].name, "Accept");
	CHECK_STR(request.headers[0].value, "application/json");
	CHECK(request.body == NULL);
	cfdw_arena_free(arena);
}

/* A builder is opened once and used for many requests: none leaves a trace in the next. */
static void
test_reuse(void)
{
	CfdwArena *arena = cfdw_arena_new(NULL, "test");
	const CfdwEndpoint endpoint = {
		.base_url = "https://api.test",
		.method = "POST",
		.params = "a=1",
		.body = "{\"a\": {\"b\": \"{limit}\"}}",
		.page_size = 2,
		.pagination = CFDW_PAGINATION_CURSOR,
		.cursor_path = "/c",
	};
	const CfdwStep steps[] = {CURSOR("{\"x\":{\"y\":1},\"a\":0}"), FIRST};
	const char *expected[] = {
		"POST https://api.test?a=1\nContent-Type: application/json\n\n{\"x\":{\"y\":1},\"a\":0}",
		"POST https://api.test?a=1\nContent-Type: application/json\n\n{\"a\":{\"b\":2}}",
	};
	CfdwPagination *pagination;
	CfdwRequest request;
	CfdwError err;

	CHECK(cfdw_pagination_open(arena, &endpoint, &pagination, &err));
	for (int i = 0; i < 6; i++)
	{
		CfdwArena *page = cfdw_arena_new(arena, "page");

		CHECK(cfdw_pagination_request(pagination, page, &steps[i % 2], NULL, &request, &err));
		CHECK_STR(describe(page, &request), expected[i % 2]);
		cfdw_arena_free(page);
	}
	cfdw_arena_free(arena);
}

/* Secrets are masked in what messages may show, wherever the key came from. */
static void
test_masking(void)
{
	CfdwArena *arena = cfdw_arena_new(NULL, "test");
	const CfdwEndpoint endpoint = {.base_url = "https://api.test", .params = "a=1", .auth_param = "appid", .auth_value = "s3cret"};
	const CfdwStep steps[] = {FIRST, URL("https://api.test/p?b=2"), URL("https://api.test/p?appid=s3cret&b=2")};
	CfdwPagination *pagination;
	CfdwRequest request;
	CfdwError err;

	CHECK(cfdw_pagination_open(arena, &endpoint, &pagination, &err));
	for (int i = 0; i < lengthof(steps); i++)
	{
		CHECK(cfdw_pagination_request(pagination, arena, &steps[i], NULL, &request, &err));
		CHECK(strstr(request.url, "appid=s3cret") != NULL);
		CHECK(strstr(request.masked_url, "s3cret") == NULL);
		CHECK(strstr(request.masked_url, "appid=***") != NULL);
	}
	cfdw_arena_free(arena);
}

/* A refusal says what to do. */
static void
test_hints(void)
{
	CfdwArena *arena = cfdw_arena_new(NULL, "test");
	const CfdwEndpoint unquoted = {.base_url = "https://api.test", .method = "POST", .body = "{\"limit\": {limit}}"};
	const CfdwEndpoint stray = {.base_url = "https://api.test", .pagination = CFDW_PAGINATION_LINK_HEADER};
	const CfdwStep elsewhere = URL("https://evil.test:8443/p?token=s3cret");
	CfdwPagination *pagination;
	CfdwRequest request;
	CfdwError err;

	CHECK(!cfdw_pagination_open(arena, &unquoted, &pagination, &err));
	CHECK(strstr(err.message, "body is not JSON") != NULL);
	CHECK(strstr(err.hint, "\"{limit}\"") != NULL);
	CHECK(cfdw_pagination_open(arena, &stray, &pagination, &err));
	CHECK(!cfdw_pagination_request(pagination, arena, &elsewhere, NULL, &request, &err));
	CHECK_STR(err.detail, "The API is asked at https://api.test, but the next page is at https://evil.test:8443.");
	CHECK(strstr(err.hint, "base_url") != NULL);
	cfdw_arena_free(arena);
}

int
main(void)
{
	test_cases();
	test_accept();
	test_reuse();
	test_masking();
	test_hints();
	return unit_done("request");
}

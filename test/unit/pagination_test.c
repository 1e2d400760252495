/*
 * pagination_test.c
 *	  Whole walks through the paging of real APIs: what is asked page by
 *	  page, and where it ends.
 */
#include "unit.h"

#include "pagination.h"

typedef struct Reply
{
	const char *body; /* NULL: 204 */
	const char *header;
	const char *value;
} Reply;

/* The pagination of an API, its answers, and what comes of them: see play(). */
typedef struct Conversation
{
	const char *name;
	CfdwEndpoint endpoint; /* base_url is https://api.test where it is not given */
	const char *records_path;
	Reply replies[5];
	const char *expected;
} Conversation;

#define CURSOR(path)   .pagination = CFDW_PAGINATION_CURSOR, .cursor_path = path
#define HEADER(name)   .pagination = CFDW_PAGINATION_HEADER_CURSOR, .cursor_header = name
#define NEXT_URL(path) .pagination = CFDW_PAGINATION_NEXT_URL, .next_url_path = path
#define LINK           .pagination = CFDW_PAGINATION_LINK_HEADER
#define MEMBER(name)   .pagination = CFDW_PAGINATION_KEYSET, .keyset_member = name
#define KEYSET(path)   .pagination = CFDW_PAGINATION_KEYSET, .keyset_path = path
#define OFFSET         .pagination = CFDW_PAGINATION_OFFSET
#define PAGES          .pagination = CFDW_PAGINATION_PAGE_NUMBER

#define NEXT_LINK "$.links[*] ? (@.rel == \"next\")"

static void evaluate(CfdwArena *arena, CfdwSlice document, const char *path, char **result);

static const Conversation apis[] = {
	{"Slack", {.endpoint = "/users.list", CURSOR("/response_metadata/next_cursor"), .cursor_param = "cursor", .limit_param = "limit", .page_size = 2}, "/members", {{"{\"members\": [{\"id\": 1}], \"response_metadata\": {\"next_cursor\": \"dXNlcjpXMDdRQ1JQQTQ=\"}}"}, {"{\"members\": [], \"response_metadata\": {\"next_cursor\": \"x\"}}"}, {"{\"members\": [{\"id\": 2}], \"response_metadata\": {\"next_cursor\": \"\"}}"}}, "/users.list?limit=2 | /users.list?cursor=dXNlcjpXMDdRQ1JQQTQ%3D&limit=2 | /users.list?cursor=x&limit=2 | end"},
	{"Stripe", {.endpoint = "/v1/charges", KEYSET("/id"), .cursor_param = "starting_after", .has_more_path = "/has_more", .limit_param = "limit", .page_size = 2}, "/data", {{"{\"has_more\": true, \"data\": [{\"id\": \"ch_1\"}, {\"id\": \"ch_2\"}]}"}, {"{\"has_more\": false, \"data\": [{\"id\": \"ch_3\"}]}"}}, "/v1/charges?limit=2 | /v1/charges?starting_after=ch_2&limit=2 | end"},
	{"GitHub", {.endpoint = "/repos/a/b/issues", LINK, .limit_param = "per_page", .page_size = 100}, NULL, {{"[{\"id\": 1}]", "link", "<https://api.test/repositories/7/issues?per_page=100&page=2>; rel=\"next\", <https://api.test/repositories/7/issues?page=9>; rel=\"last\""}, {"[{\"id\": 2}]", "Link", "<https://api.test/repositories/7/issues?page=1>; rel=\"prev\""}}, "/repos/a/b/issues?per_page=100 | /repositories/7/issues?per_page=100&page=2 | end"},
	{"GitLab, page in a header", {.endpoint = "/p", HEADER("X-Next-Page"), .cursor_param = "page"}, NULL, {{"[1]", "x-next-page", "2"}, {"[2]", "X-Next-Page", ""}}, "/p | /p?page=2 | end"},
	{"GitLab behind a proxy", {.endpoint = "/p", LINK}, NULL, {{"[1]", "Link", "<http://internal:8080/p?page=2>; rel=\"next\""}}, "/p | FORBIDDEN"},
	{"Coinbase", {.endpoint = "/trades", HEADER("CB-AFTER"), .cursor_param = "after"}, NULL, {{"[{\"id\": 9}]", "cb-after", "8"}, {"[]", "cb-after", "7"}, {"[{\"id\": 8}]"}}, "/trades | /trades?after=8 | /trades?after=7 | end"},
	{"Notion", {.method = "POST", .endpoint = "/q", .body = "{\"page_size\": \"{limit}\", \"start_cursor\": \"{cursor}\"}", CURSOR("/next_cursor"), .has_more_path = "/has_more", .page_size = 1}, "/results", {{"{\"results\": [{\"id\": 1}], \"has_more\": true, \"next_cursor\": \"a-b\"}"}, {"{\"results\": [], \"has_more\": false, \"next_cursor\": null}"}}, "/q {\"page_size\":1} | /q {\"page_size\":1,\"start_cursor\":\"a-b\"} | end"},
	{"HubSpot v3", {.endpoint = "/c", .params = "limit={limit}&after={cursor}", CURSOR("/paging/next/after"), .page_size = 10}, "/results", {{"{\"results\": [{\"id\": 1}], \"paging\": {\"next\": {\"after\": \"NTI1Cg%3D%3D\"}}}"}, {"{\"results\": [{\"id\": 2}]}"}}, "/c?limit=10 | /c?limit=10&after=NTI1Cg%253D%253D | end"},
	{"HubSpot v1", {.endpoint = "/c", CURSOR("/vid-offset"), .cursor_param = "vidOffset", .has_more_path = "/has-more"}, "/contacts", {{"{\"contacts\": [{\"vid\": 1}], \"has-more\": true, \"vid-offset\": 204727}"}, {"{\"contacts\": [{\"vid\": 2}], \"has-more\": false, \"vid-offset\": 3}"}}, "/c | /c?vidOffset=204727 | end"},
	{"MediaWiki", {.endpoint = "/w/api.php", .params = "action=query&continue=", CURSOR("/continue")}, "/query/x", {{"{\"continue\": {\"cmcontinue\": \"page|4\", \"continue\": \"-||\"}, \"query\": {\"x\": [{\"id\": 1}]}}"}, {"{\"batchcomplete\": \"\", \"query\": {\"x\": [{\"id\": 2}]}}"}}, "/w/api.php?action=query&continue= | /w/api.php?action=query&cmcontinue=page%7C4&continue=-%7C%7C | end"},
	{"STAC, GET", {.endpoint = "/search", NEXT_URL(NEXT_LINK), .evaluate = evaluate}, "/features", {{"{\"features\": [{\"id\": 1}], \"links\": [{\"rel\": \"self\", \"href\": \"x\"}, {\"rel\": \"next\", \"href\": \"https://api.test/search?token=next:a:b\"}]}"}, {"{\"features\": [{\"id\": 2}], \"links\": [{\"rel\": \"self\"}]}"}}, "/search | /search?token=next:a:b | end"},
	{"STAC, POST", {.method = "POST", .endpoint = "/search", .body = "{\"limit\": 1}", CURSOR(NEXT_LINK ".body"), .evaluate = evaluate}, "/features", {{"{\"features\": [{\"id\": 1}], \"links\": [{\"rel\": \"next\", \"method\": \"POST\", \"body\": {\"token\": \"next:a\", \"limit\": 2}}]}"}, {"{\"features\": [{\"id\": 2}], \"links\": []}"}}, "/search {\"limit\":1} | /search {\"token\":\"next:a\",\"limit\":2} | end"},
	{"Sentry", {.endpoint = "/e", LINK}, NULL, {{"[1]", "Link", "<https://api.test/e?cursor=0:0:1>; rel=\"previous\"; results=\"false\", <https://api.test/e?cursor=0:100:0>; rel=\"next\"; results=\"true\""}, {"[2]", "Link", "<https://api.test/e?cursor=0:200:0>; rel=\"next\"; results=\"false\""}}, "/e | /e?cursor=0:100:0 | end"},
	{"Solr", {.endpoint = "/select", CURSOR("/nextCursorMark"), .cursor_param = "cursorMark", .page_start = "*", .cursor_end = "same"}, "/docs", {{"{\"docs\": [1], \"nextCursorMark\": \"AoE=\"}"}, {"{\"docs\": [2], \"nextCursorMark\": \"AoI=\"}"}, {"{\"docs\": [], \"nextCursorMark\": \"AoI=\"}"}}, "/select?cursorMark=%2A | /select?cursorMark=AoE%3D | /select?cursorMark=AoI%3D | end"},
	{"Solr, empty from the start", {.endpoint = "/select", CURSOR("/nextCursorMark"), .cursor_param = "cursorMark", .page_start = "*", .cursor_end = "same"}, "/docs", {{"{\"docs\": [], \"nextCursorMark\": \"*\"}"}}, "/select?cursorMark=%2A | end"},
	{"CloudWatch", {.method = "POST", .body = "{\"nextToken\": \"{cursor}\"}", CURSOR("/nextForwardToken"), .cursor_end = "same"}, "/events", {{"{\"events\": [1], \"nextForwardToken\": \"f/1\"}"}, {"{\"events\": [], \"nextForwardToken\": \"f/2\"}"}, {"{\"events\": [], \"nextForwardToken\": \"f/2\"}"}}, " {} |  {\"nextToken\":\"f/1\"} |  {\"nextToken\":\"f/2\"} | end"},
	{"Crossref: a constant cursor goes on", {.endpoint = "/works", CURSOR("/message/next-cursor"), .cursor_param = "cursor", .page_start = "*", .cursor_end = "empty"}, "/message/items", {{"{\"message\": {\"items\": [1], \"next-cursor\": \"AoJ/\"}}"}, {"{\"message\": {\"items\": [2], \"next-cursor\": \"AoJ/\"}}"}, {"{\"message\": {\"items\": [], \"next-cursor\": \"AoJ/\"}}"}}, "/works?cursor=%2A | /works?cursor=AoJ%2F | /works?cursor=AoJ%2F | end"},
	{"Graph: an empty page with a link", {.endpoint = "/users", NEXT_URL("/@odata.nextLink")}, "/value", {{"{\"value\": [], \"@odata.nextLink\": \"https://api.test/users?$skiptoken=a\"}"}, {"{\"value\": [{\"id\": 1}], \"@odata.deltaLink\": \"https://api.test/users?$deltatoken=b\"}"}}, "/users | /users?$skiptoken=a | end"},
	{"Reddit", {.endpoint = "/new", CURSOR("/data/after"), .cursor_param = "after"}, "/data/children", {{"{\"data\": {\"children\": [{\"data\": {\"after\": \"no\"}}], \"after\": \"t3_1\"}}"}, {"{\"data\": {\"children\": [1], \"after\": null}}"}}, "/new | /new?after=t3_1 | end"},
	{"Twitter v1", {.endpoint = "/f", CURSOR("/next_cursor"), .cursor_param = "cursor", .page_start = "-1", .cursor_end = "0"}, "/ids", {{"{\"ids\": [1], \"next_cursor\": 1333504313713126852, \"next_cursor_str\": \"1333504313713126852\"}"}, {"{\"ids\": [2], \"next_cursor\": 0}"}}, "/f?cursor=-1 | /f?cursor=1333504313713126852 | end"},
	{"Twitter search, a query only", {.endpoint = "/1.1/s.json", NEXT_URL("/m/next_results")}, "/statuses", {{"{\"statuses\": [1], \"m\": {\"next_results\": \"?max_id=9&q=a%20b\"}}"}, {"{\"statuses\": [2], \"m\": {}}"}}, "/1.1/s.json | /1.1/s.json?max_id=9&q=a%20b | end"},
	{"0 is a legal cursor", {.endpoint = "/f", CURSOR("/c"), .cursor_param = "c"}, "/d", {{"{\"d\": [1], \"c\": 0}"}, {"{\"d\": [1], \"c\": \"0\"}"}, {"{\"d\": [], \"c\": -1}"}, {"{\"d\": [1], \"c\": false}"}}, "/f | /f?c=0 | /f?c=0 | /f?c=-1 | end"},
	{"JSON:API", {.endpoint = "/a", NEXT_URL("/links/next")}, "/data", {{"{\"data\": [1], \"links\": {\"next\": {\"href\": \"/a?page%5Bnumber%5D=2\", \"meta\": {}}}}"}, {"{\"data\": [1], \"links\": {\"next\": \"https://api.test/a?page[number]=3\"}}"}, {"{\"data\": [1], \"links\": {\"next\": null}}"}}, "/a | /a?page%5Bnumber%5D=2 | /a?page[number]=3 | end"},
	{"HAL", {.endpoint = "/a/b", NEXT_URL("/_links/next")}, "/_embedded/x", {{"{\"_embedded\": {\"x\": [1]}, \"_links\": {\"next\": {\"href\": \"b?p=2\"}}}"}, {"{\"_embedded\": {\"x\": [1]}, \"_links\": {\"next\": {\"href\": null}}}"}}, "/a/b | /a/b?p=2 | end"},
	{"Salesforce", {.base_url = "https://api.test/services", .endpoint = "/query", NEXT_URL("/nextRecordsUrl"), .has_more_path = "!/done"}, "/records", {{"{\"done\": false, \"records\": [1], \"nextRecordsUrl\": \"/services/data/v60.0/query/01g-2000\"}"}, {"{\"done\": true, \"records\": [2]}"}}, "/services/query | /services/data/v60.0/query/01g-2000 | end"},
	{"Zendesk: a link for ever", {.endpoint = "/i", NEXT_URL("/after_url"), .has_more_path = "!/end_of_stream"}, "/tickets", {{"{\"tickets\": [1], \"after_url\": \"https://api.test/i?cursor=a\", \"end_of_stream\": false}"}, {"{\"tickets\": [2], \"after_url\": \"https://api.test/i?cursor=b\", \"end_of_stream\": true}"}}, "/i | /i?cursor=a | end"},
	{"Intercom, new: no URL", {.endpoint = "/c", NEXT_URL("/pages/next")}, "/data", {{"{\"data\": [1], \"pages\": {\"next\": {\"page\": 2, \"starting_after\": \"W1\"}}}"}}, "/c | SHAPE"},
	{"Intercom", {.endpoint = "/c", CURSOR("/pages/next/starting_after"), .cursor_param = "starting_after"}, "/data", {{"{\"data\": [1], \"pages\": {\"next\": {\"page\": 2, \"starting_after\": \"W1\"}}}"}, {"{\"data\": [1], \"pages\": {\"next\": null}}"}}, "/c | /c?starting_after=W1 | end"},
	{"Jira Cloud", {.endpoint = "/s", CURSOR("/nextPageToken"), .cursor_param = "nextPageToken", .has_more_path = "!/isLast"}, "/issues", {{"{\"issues\": [1], \"nextPageToken\": \"t\"}"}, {"{\"issues\": [2], \"isLast\": true}"}}, "/s | /s?nextPageToken=t | end"},
	{"Google: an empty page, then no array", {.endpoint = "/v", CURSOR("/nextPageToken"), .cursor_param = "pageToken"}, "/items", {{"{\"items\": [], \"nextPageToken\": \"CAUQAA\"}"}, {"{\"items\": [{\"nextPageToken\": \"no\"}], \"nextPageToken\": \"\"}"}}, "/v | /v?pageToken=CAUQAA | end"},
	{"GraphQL", {.method = "POST", .endpoint = "/graphql", .body = "{\"query\": \"{ n }\", \"variables\": {\"a\": \"{cursor}\"}}", CURSOR("/data/n/pageInfo/endCursor"), .has_more_path = "/data/n/pageInfo/hasNextPage"}, "/data/n/nodes", {{"{\"data\": {\"n\": {\"nodes\": [1], \"pageInfo\": {\"hasNextPage\": true, \"endCursor\": \"Y3==\"}}}}"}, {"{\"data\": {\"n\": {\"nodes\": [1], \"pageInfo\": {\"hasNextPage\": false, \"endCursor\": \"Y4==\"}}}}"}}, "/graphql {\"query\":\"{ n }\",\"variables\":{}} | /graphql {\"query\":\"{ n }\",\"variables\":{\"a\":\"Y3==\"}} | end"},
	{"DynamoDB", {.method = "POST", .body = "{\"ExclusiveStartKey\": \"{cursor}\"}", CURSOR("/LastEvaluatedKey")}, "/Items", {{"{\"Items\": [1], \"LastEvaluatedKey\": {\"id\": {\"S\": \"a\"}}}"}, {"{\"Items\": []}"}}, " {} |  {\"ExclusiveStartKey\":{\"id\":{\"S\":\"a\"}}} | end"},
	{"Elasticsearch", {.method = "POST", .endpoint = "/_search", .body = "{\"size\": 2, \"search_after\": \"{cursor}\"}", KEYSET("/sort")}, "/hits/hits", {{"{\"hits\": {\"hits\": [{\"sort\": [1, \"a\"]}, {\"sort\": [ 2, \"b\" ]}]}}"}, {"{\"hits\": {\"hits\": []}}"}}, "/_search {\"size\":2} | /_search {\"size\":2,\"search_after\":[ 2, \"b\" ]} | end"},
	{"Discord: ids beyond 64 bits", {.endpoint = "/m", KEYSET("/id"), .cursor_param = "after"}, NULL, {{"[{\"id\": \"1\"}, {\"id\": 184467440737095516170}]"}, {"[]"}}, "/m | /m?after=184467440737095516170 | end"},
	{"PubMed: bare ids", {.endpoint = "/m", KEYSET(""), .cursor_param = "after"}, "/ids", {{"{\"ids\": [\"1\", \"2\"]}"}, {"{\"ids\": []}"}}, "/m | /m?after=2 | end"},
	{"a key as long as null", {.endpoint = "/m", KEYSET("/id"), .cursor_param = "after"}, NULL, {{"[{\"id\": 1234}]"}, {"[]"}}, "/m | /m?after=1234 | end"},
	{"keyset by name", {.endpoint = "/m", MEMBER("created_at"), .cursor_param = "after"}, NULL, {{"[{\"CreatedAt\": 1, \"created-at\": 2}]"}, {"[{\"createdAt\": 3, \"created_at\": 4}]"}, {"[{\"created_at\": 5, \"created_at\": 6}]"}, {"[{\"created\\u0061t\": 7}]"}, {"[]"}}, "/m | /m?after=1 | /m?after=4 | /m?after=6 | /m?after=7 | end"},
	{"keyset by a name that two members have", {.endpoint = "/m", MEMBER("created_at"), .cursor_param = "after"}, NULL, {{"[{\"CreatedAt\": 1, \"createdAt\": 2}]"}}, "/m | RECORD"},
	{"keyset by a name that no member has", {.endpoint = "/m", MEMBER("created_at"), .cursor_param = "after"}, NULL, {{"[{\"created\": 1, \"created\\u0000at\": 2}]"}}, "/m | RECORD"},
	{"keyset by name of no object", {.endpoint = "/m", MEMBER("created_at"), .cursor_param = "after"}, NULL, {{"[[1]]"}}, "/m | RECORD"},
	{"keyset 0 and false", {.endpoint = "/m", KEYSET("/id"), .cursor_param = "after"}, NULL, {{"[{\"id\": 0}]"}, {"[{\"id\": false}]"}, {"[]"}}, "/m | /m?after=0 | /m?after=false | end"},
	{"bioRxiv: a cursor in the path", {.endpoint = "/details/2020-01-01/{cursor}", CURSOR("/messages/0/cursor"), .page_start = "0", .cursor_end = "same"}, "/collection", {{"{\"messages\": [{\"cursor\": 30}], \"collection\": [1]}"}, {"{\"messages\": [{\"cursor\": \"30\"}], \"collection\": []}"}}, "/details/2020-01-01/0 | /details/2020-01-01/30 | end"},
	{"NASA: the key in the link", {.endpoint = "/feed", NEXT_URL("/links/next"), .auth_param = "api_key", .auth_value = "s3cret"}, "/d", {{"{\"d\": [1], \"links\": {\"next\": \"https://api.test/feed?start=2&api_key=s3cret&x=1\"}}"}, {"{\"d\": [1], \"links\": {\"next\": \"/feed?start=3\"}}"}, {"{\"d\": [1], \"links\": {}}"}}, "/feed?api_key=s3cret | /feed?start=2&x=1&api_key=s3cret | /feed?start=3&api_key=s3cret | end"},
	{"a link without change, cursor_end same", {.endpoint = "/feed", NEXT_URL("/next"), .auth_param = "k", .auth_value = "v", .cursor_end = "same"}, "/d", {{"{\"d\": [1], \"next\": \"/feed?a=1&k=v\"}"}, {"{\"d\": [1], \"next\": \"?a=1\"}"}}, "/feed?k=v | /feed?a=1&k=v | end"},
	{"a link that means none", {.endpoint = "/feed", NEXT_URL("/next"), .cursor_end = "none , -"}, "/d", {{"{\"d\": [1], \"next\": \"/feed?a=1\"}"}, {"{\"d\": [1], \"next\": \"none\"}"}}, "/feed | /feed?a=1 | end"},
	{"POST, link", {.method = "POST", .endpoint = "/q", .body = "{\"n\": \"{limit}\"}", .page_size = 3, NEXT_URL("/next")}, "/d", {{"{\"d\": [1], \"next\": \"/q?p=2\"}"}, {"{\"d\": [1], \"next\": \"\"}"}}, "/q {\"n\":3} | /q?p=2 {\"n\":3} | end"},
	{"offset by records, not by page_size", {.endpoint = "/o", OFFSET, .offset_param = "offset", .limit_param = "limit", .page_size = 100}, NULL, {{"[1, 2, 3]"}, {"[4]"}, {"[]"}}, "/o?offset=0&limit=100 | /o?offset=3&limit=100 | /o?offset=4&limit=100 | end"},
	{"USGS: offset from 1, 204 at the end", {.endpoint = "/o", OFFSET, .offset_param = "offset", .page_start = "1"}, "/features", {{"{\"features\": [1, 2]}"}, {NULL}}, "/o?offset=1 | /o?offset=3 | end"},
	{"offset with has_more", {.endpoint = "/o", OFFSET, .offset_param = "o", .has_more_path = "/more"}, "/d", {{"{\"d\": [1, 2], \"more\": 1}"}, {"{\"d\": [3], \"more\": 0}"}}, "/o?o=0 | /o?o=2 | end"},
	{"page numbers", {.endpoint = "/p", PAGES, .page_param = "page"}, NULL, {{"[1, 2]"}, {"[3]"}, {"[]"}}, "/p?page=1 | /p?page=2 | /p?page=3 | end"},
	{"page numbers from 0", {.endpoint = "/p", PAGES, .page_param = "page", .page_start = "0", .has_more_path = "!/last"}, "/content", {{"{\"content\": [1], \"last\": false}"}, {"{\"content\": [1], \"last\": true}"}}, "/p?page=0 | /p?page=1 | end"},
	{"no pagination, one page", {.endpoint = "/n"}, "/data", {{"{\"data\": [1], \"has_more\": false, \"next\": \"x\", \"total\": 1}"}}, "/n | end"},
	{"no pagination, a record with a next", {.endpoint = "/n"}, "", {{"{\"id\": 1, \"next\": \"/n/2\"}"}}, "/n | end"},
	{"forgotten pagination, a link", {.endpoint = "/n"}, NULL, {{"[1]", "Link", "</n?page=2>; rel=\"next\""}}, "/n | MISSING"},
	{"forgotten pagination, a flag", {.endpoint = "/n"}, "/data", {{"{\"data\": [1], \"meta\": {\"hasMore\": true}}"}}, "/n | MISSING"},
	{"forgotten pagination, a token", {.endpoint = "/n"}, "/data", {{"{\"data\": [1], \"response_metadata\": {\"next_cursor\": \"x\"}}"}}, "/n | MISSING"},
	{"forgotten pagination, OData", {.endpoint = "/n"}, "/value", {{"{\"value\": [1], \"@odata.nextLink\": \"/n?s=2\"}"}}, "/n | MISSING"},
	{"forgotten pagination, HAL", {.endpoint = "/n"}, "/value", {{"{\"value\": [1], \"_links\": {\"next\": {\"href\": \"/n?s=2\"}}}"}}, "/n | MISSING"},
	{"forgotten pagination, a total", {.endpoint = "/n"}, "/results", {{"{\"results\": [1, 2], \"count\": 78}"}}, "/n | MISSING"},
	{"forgotten pagination, a number of pages", {.endpoint = "/n"}, "/results", {{"{\"results\": [1, 2], \"page\": 1, \"totalPages\": 54}"}}, "/n | MISSING"},
	{"no pagination, all records", {.endpoint = "/n"}, "/results", {{"{\"results\": [1, 2], \"count\": 2, \"totalPages\": 1}"}}, "/n | end"},
	{"pagination none on purpose", {.endpoint = "/n", .pagination_given = true}, NULL, {{"[1]", "Link", "</n?page=2>; rel=\"next\""}}, "/n | end"},

	/* end signs */
	{"missing", {.endpoint = "/", CURSOR("/c"), .cursor_param = "c"}, "/d", {{"{\"d\": [1]}"}}, "/ | end"},
	{"empty object", {.endpoint = "/", CURSOR("/c"), .cursor_param = "c"}, "/d", {{"{\"d\": [1], \"c\": {}}"}}, "/ | end"},
	{"empty array", {.endpoint = "/", CURSOR("/c"), .cursor_param = "c"}, "/d", {{"{\"d\": [1], \"c\": []}"}}, "/ | end"},
	{"204", {.endpoint = "/", CURSOR("/c"), .cursor_param = "c", .has_more_path = "/more"}, "/d", {{NULL}}, "/ | end"},
	{"header without a value", {.endpoint = "/", HEADER("X-C"), .cursor_param = "c"}, NULL, {{"[1]", "X-C", "  "}}, "/ | end"},
	{"header value that means the end", {.endpoint = "/", HEADER("X-C"), .cursor_param = "c", .cursor_end = "-1,null"}, NULL, {{"[1]", "X-C", "null"}}, "/ | end"},
	{"no header", {.endpoint = "/", HEADER("X-C"), .cursor_param = "c"}, NULL, {{"[1]", "X-D", "1"}}, "/ | end"},
	{"Link without next", {.endpoint = "/", LINK}, NULL, {{"[1]", "Link", "garbage"}}, "/ | end"},
	{"a true token", {.endpoint = "/", CURSOR("/c"), .cursor_param = "c"}, "/d", {{"{\"d\": [1], \"c\": true}"}}, "/ | SHAPE"},
	{"a number for a link", {.endpoint = "/", NEXT_URL("/c")}, "/d", {{"{\"d\": [1], \"c\": 2}"}}, "/ | SHAPE"},
	{"a list for a link", {.endpoint = "/", NEXT_URL("/c")}, "/d", {{"{\"d\": [1], \"c\": [\"/2\"]}"}}, "/ | SHAPE"},
	{"a token without a place", {.endpoint = "/", CURSOR("/c")}, "/d", {{"{\"d\": [1], \"c\": \"x\"}"}}, "/ | OPTION"},
	{"no key", {.endpoint = "/", KEYSET("/id"), .cursor_param = "c"}, NULL, {{"[{\"id\": 1}, {}]"}}, "/ | RECORD"},
	{"null key", {.endpoint = "/", KEYSET("/id"), .cursor_param = "c"}, NULL, {{"[{\"id\": null}]"}}, "/ | RECORD"},

	{"cursor_end with blanks", {.endpoint = "/", CURSOR("/c"), .cursor_param = "c", .cursor_end = " none\t , a b ,, x"}, "/d", {{"{\"d\": [1], \"c\": \"a\"}"}, {"{\"d\": [1], \"c\": \"b\"}"}, {"{\"d\": [1], \"c\": \"none\"}"}}, "/ | /?c=a | /?c=b | end"},
	{"cursor_end, a value with a blank", {.endpoint = "/", CURSOR("/c"), .cursor_param = "c", .cursor_end = "none,a b ,,x"}, "/d", {{"{\"d\": [1], \"c\": \"a b\"}"}}, "/ | end"},

	{"a number beside the cursor that json-c cannot hold", {.endpoint = "/", CURSOR("/c"), .cursor_param = "c"}, "/d", {{"{\"d\": [1], \"n\": 123456789012345678901234567890, \"c\": \"x\"}"}, {"{\"n\": 123456789012345678901234567890, \"d\": []}"}}, "/ | /?c=x | end"},

	/* values that cannot be read are errors, never the end */
	{"a cursor that is no integer of ours", {.endpoint = "/", CURSOR("/c"), .cursor_param = "c"}, "/d", {{"{\"d\": [1], \"c\": 123456789012345678901234567890}"}}, "/ | JSON cursor_path"},
	{"the same beside a flag", {.endpoint = "/", PAGES, .page_param = "p", .has_more_path = "/more"}, "/d", {{"{\"d\": [1], \"more\": 123456789012345678901234567890}"}}, "/?p=1 | JSON has_more_path"},
	{"the same beside a link", {.endpoint = "/", NEXT_URL("/c")}, "/d", {{"{\"d\": [1], \"c\": 123456789012345678901234567890}"}}, "/ | JSON next_url_path"},
	{"a key that is no text", {.endpoint = "/", KEYSET("/id"), .cursor_param = "c"}, NULL, {{"[{\"id\": \"\xff\"}]"}}, "/ | JSON"},

	/* has_more */
	{"more, no token", {.endpoint = "/", CURSOR("/c"), .cursor_param = "c", .has_more_path = "/more"}, "/d", {{"{\"d\": [1], \"more\": true}"}}, "/ | MISSING"},
	{"more, token in cursor_end", {.endpoint = "/", CURSOR("/c"), .cursor_param = "c", .has_more_path = "/more", .cursor_end = "0"}, "/d", {{"{\"d\": [1], \"more\": true, \"c\": 0}"}}, "/ | MISSING"},
	{"more, no pagination", {.endpoint = "/", .has_more_path = "/more"}, "/d", {{"{\"d\": [1], \"more\": \"yes\"}"}}, "/ | MISSING"},
	{"no more, token", {.endpoint = "/", CURSOR("/c"), .cursor_param = "c", .has_more_path = "/more"}, "/d", {{"{\"d\": [1], \"more\": \"false\", \"c\": \"x\"}"}}, "/ | end"},
	{"no more, a hostile link", {.endpoint = "/", NEXT_URL("/c"), .has_more_path = "/more"}, "/d", {{"{\"d\": [1], \"more\": null, \"c\": \"https://evil.test/\"}"}}, "/ | end"},
	{"no flag, token", {.endpoint = "/", CURSOR("/c"), .cursor_param = "c", .has_more_path = "/mroe"}, "/d", {{"{\"d\": [1], \"more\": true, \"c\": \"x\"}"}}, "/ | MISSING"},
	{"no flag, no token", {.endpoint = "/", CURSOR("/c"), .cursor_param = "c", .has_more_path = "/more"}, "/d", {{"{\"d\": [1]}"}}, "/ | end"},
	{"no flag, computed", {.endpoint = "/", PAGES, .page_param = "p", .has_more_path = "/mroe"}, "/d", {{"{\"d\": [1], \"more\": true}"}}, "/?p=1 | MISSING"},
	{"no flag, computed, empty page", {.endpoint = "/", PAGES, .page_param = "p", .has_more_path = "/more"}, "/d", {{"{\"d\": []}"}}, "/?p=1 | end"},
	{"more, computed, empty page", {.endpoint = "/", PAGES, .page_param = "p", .has_more_path = "/more"}, "/d", {{"{\"d\": [], \"more\": true}"}}, "/?p=1 | LOOP"},
	{"more, keyset, empty page", {.endpoint = "/", KEYSET("/id"), .cursor_param = "c", .has_more_path = "/more"}, "/d", {{"{\"d\": [], \"more\": true}"}}, "/ | LOOP"},
	{"no inverted flag, token", {.endpoint = "/", CURSOR("/c"), .cursor_param = "c", .has_more_path = "!/done"}, "/d", {{"{\"d\": [1], \"c\": \"x\"}"}, {"{\"d\": [1]}"}}, "/ | /?c=x | end"},
	{"flag by SQL/JSON path", {.endpoint = "/", PAGES, .page_param = "p", .has_more_path = NEXT_LINK, .evaluate = evaluate}, "/d", {{"{\"d\": [1], \"links\": [{\"rel\": \"next\"}]}"}, {"{\"d\": [], \"links\": []}"}}, "/?p=1 | /?p=2 | end"},

	/* what was cut out of the envelope with the records */
	{"a flag that is the records", {.endpoint = "/", PAGES, .page_param = "p", .has_more_path = "/d"}, "/d", {{"{\"d\": [1]}"}, {"{\"d\": []}"}}, "/?p=1 | /?p=2 | end"},
	{"a token inside a record", {.endpoint = "/", CURSOR("/d/0/id"), .cursor_param = "c"}, "/d", {{"{\"d\": [{\"id\": 7}]}"}, {"{\"d\": []}"}}, "/ | /?c=7 | end"},
	{"the document is the record", {.endpoint = "/", NEXT_URL("/next")}, "", {{"{\"id\": 1, \"next\": \"/2\"}"}, {"{\"id\": 2, \"next\": null}"}}, "/ | /2 | end"},

	/* hostile links */
	{"other host", {.endpoint = "/", NEXT_URL("/c")}, "/d", {{"{\"d\": [1], \"c\": \"https://evil.test/\"}"}}, "/ | FORBIDDEN"},
	{"host that begins alike", {.endpoint = "/", NEXT_URL("/c")}, "/d", {{"{\"d\": [1], \"c\": \"https://api.test.evil.test/\"}"}}, "/ | FORBIDDEN"},
	{"other port", {.endpoint = "/", NEXT_URL("/c")}, "/d", {{"{\"d\": [1], \"c\": \"https://api.test:444/\"}"}}, "/ | FORBIDDEN"},
	{"downgrade", {.endpoint = "/", NEXT_URL("/c")}, "/d", {{"{\"d\": [1], \"c\": \"http://api.test/\"}"}}, "/ | FORBIDDEN"},
	{"userinfo", {.endpoint = "/", NEXT_URL("/c")}, "/d", {{"{\"d\": [1], \"c\": \"https://u:p@api.test/\"}"}}, "/ | FORBIDDEN"},
	{"userinfo that looks like the host", {.endpoint = "/", NEXT_URL("/c")}, "/d", {{"{\"d\": [1], \"c\": \"https://api.test@evil.test/\"}"}}, "/ | FORBIDDEN"},
	{"no scheme", {.endpoint = "/", NEXT_URL("/c")}, "/d", {{"{\"d\": [1], \"c\": \"//evil.test/x\"}"}}, "/ | FORBIDDEN"},
	{"backslashes", {.endpoint = "/", NEXT_URL("/c")}, "/d", {{"{\"d\": [1], \"c\": \"https:\\\\\\\\evil.test\\\\x\"}"}}, "/ | FORBIDDEN"},
	{"javascript", {.endpoint = "/", NEXT_URL("/c")}, "/d", {{"{\"d\": [1], \"c\": \"javascript:alert(1)\"}"}}, "/ | FORBIDDEN"},
	{"file", {.endpoint = "/", NEXT_URL("/c")}, "/d", {{"{\"d\": [1], \"c\": \"file:///etc/passwd\"}"}}, "/ | FORBIDDEN"},
	{"line break", {.endpoint = "/", NEXT_URL("/c")}, "/d", {{"{\"d\": [1], \"c\": \"/x\\r\\nHost: evil\"}"}}, "/ | FORBIDDEN"},
	{"NUL", {.endpoint = "/", NEXT_URL("/c")}, "/d", {{"{\"d\": [1], \"c\": \"/x\\u0000y\"}"}}, "/ | FORBIDDEN"},
	{"hostile href", {.endpoint = "/", NEXT_URL("/c")}, "/d", {{"{\"d\": [1], \"c\": {\"href\": \"https://evil.test/\"}}"}}, "/ | FORBIDDEN"},
	{"hostile Link header", {.endpoint = "/", LINK}, NULL, {{"[1]", "Link", "<//evil.test/x>; rel=next"}}, "/ | FORBIDDEN"},
	{"same origin in other letters", {.endpoint = "/", NEXT_URL("/c")}, "/d", {{"{\"d\": [1], \"c\": \"HTTPS://API.test:443/2\"}"}, {"{\"d\": [2]}"}}, "/ | HTTPS://API.test:443/2 | end"},
	{"same host without scheme", {.endpoint = "/", NEXT_URL("/c")}, "/d", {{"{\"d\": [1], \"c\": \"//api.test/2#top\"}"}, {"{\"d\": [2]}"}}, "/ | /2 | end"},
};

/* What the server does for NEXT_LINK and NEXT_LINK.body: the link with "rel": "next", or its member. */
static void
evaluate(CfdwArena *arena, CfdwSlice document, const char *path, char **result)
{
	CfdwJson *root;
	CfdwPointer pointer;
	CfdwError err;
	bool found = true;

	*result = NULL;
	CHECK(strncmp(path, NEXT_LINK, strlen(NEXT_LINK)) == 0);
	CHECK(cfdw_json_parse(arena, document.data, document.len, &root, &err));
	for (int i = 0; found; i++)
	{
		CfdwJson *link;

		CHECK(cfdw_pointer_parse(arena, cfdw_printf(arena, "/links/%d", i), false, &pointer, &err));
		link = cfdw_json_at(root, &pointer, &found);
		if (found && strcmp(cfdw_json_text(arena, cfdw_json_member(link, "rel")), "next") == 0)
		{
			*result = cfdw_json_dump(arena, strcmp(path, NEXT_LINK) == 0 ? link : cfdw_json_member(link, "body"));
			return;
		}
	}
}

static const char *
error_name(CfdwArena *arena, const CfdwError *err)
{
	char option[32];

	switch (err->kind)
	{
		case CFDW_ERR_OPTION:
			return "OPTION";
		case CFDW_ERR_FORBIDDEN:
			return "FORBIDDEN";
		case CFDW_ERR_MISSING:
			return "MISSING";
		case CFDW_ERR_SHAPE:
			return "SHAPE";
		case CFDW_ERR_RECORD:
			return "RECORD";
		case CFDW_ERR_LOOP:
			return "LOOP";
		case CFDW_ERR_JSON:
		case CFDW_ERR_LIMIT:
			if (sscanf(err->message, "option %31[a-z_]:", option) == 1)
				return cfdw_printf(arena, "JSON %s", option);
			return "JSON";
		default:
			return err->message;
	}
}

/* Ask one page and read it as the reply says.  false: an error. */
static bool
turn_page(CfdwArena *arena, const CfdwPagination *pagination, const Conversation *api, const Reply *reply,
		  CfdwStep *step, bool *more, CfdwBuf *log, CfdwError *err)
{
	const char *origin = "https://api.test";
	CfdwPageSpec spec = {.has_path = api->records_path != NULL};
	CfdwHeader header = {reply->header, reply->value};
	CfdwResponse response = {.status = 200, .header_count = reply->header != NULL ? 1 : 0, .headers = &header};
	CfdwPage page = {{"", 0}};
	CfdwRequest request;
	CfdwStep next;

	if (!cfdw_pagination_request(pagination, arena, step, NULL, &request, err))
		return false;
	cfdw_buf_puts(log, request.url + (strncmp(request.url, origin, strlen(origin)) == 0 ? strlen(origin) : 0));
	if (request.body != NULL)
		cfdw_buf_puts(log, cfdw_printf(arena, " %.*s", (int) request.body_len, request.body));
	cfdw_buf_puts(log, " | ");

	response.url = request.url;
	response.masked_url = request.masked_url;
	if (reply->body != NULL)
	{
		CfdwSlice body = {reply->body, strlen(reply->body)};

		if ((spec.has_path && !cfdw_pointer_parse(arena, api->records_path, true, &spec.records_path, err)) ||
			!cfdw_page_parse(arena, &spec, body, &page, err))
			return false;
	}
	if (!cfdw_pagination_next(pagination, arena, step, &response, &page, &next, more, err))
		return false;
	if (next.kind == CFDW_STEP_URL && api->endpoint.auth_value != NULL)
		CHECK(strstr(next.text, api->endpoint.auth_value) == NULL); /* this is what gets stored */
	*step = next;
	return true;
}

/* The requests that the replies lead to, then "end", "…" if there would be more, or an error's kind. */
static char *
play(CfdwArena *arena, const Conversation *api)
{
	CfdwEndpoint *endpoint = cfdw_alloc(arena, sizeof(CfdwEndpoint));
	CfdwStep step = {CFDW_STEP_FIRST};
	CfdwPagination *pagination;
	CfdwError err;
	CfdwBuf log;
	bool more = true;

	*endpoint = api->endpoint;
	if (endpoint->base_url == NULL)
		endpoint->base_url = "https://api.test";
	cfdw_buf_init(&log, arena);
	if (!cfdw_pagination_open(arena, endpoint, &pagination, &err))
		return cfdw_printf(arena, "open: %s", err.message);
	for (int i = 0; more && (i == 0 || api->replies[i].body != NULL || api->replies[i - 1].body != NULL); i++)
	{
		if (!turn_page(arena, pagination, api, &api->replies[i], &step, &more, &log, &err))
		{
			cfdw_buf_puts(&log, error_name(arena, &err));
			return log.data;
		}
	}
	cfdw_buf_puts(&log, more ? "..." : "end");
	return log.data;
}

static void
test_apis(void)
{
	for (int i = 0; i < lengthof(apis); i++)
	{
		CfdwArena *arena = cfdw_arena_new(NULL, "test");
		char *actual = play(arena, &apis[i]);

		CHECK_CASE(strcmp(actual, apis[i].expected) == 0, apis[i].name);
		CHECK_STR(actual, apis[i].expected);
		cfdw_arena_free(arena);
	}
}

/* Options that cannot work are refused before the first request, by name. */
static void
test_open(void)
{
	static const struct
	{
		CfdwEndpoint endpoint;
		const char *message; /* its beginning */
	} refused[] = {
		{{CURSOR(NULL), .cursor_param = "c"}, "this kind of pagination needs the option cursor_path"},
		{{HEADER(NULL), .cursor_param = "c"}, "this kind of pagination needs the option cursor_header"},
		{{NEXT_URL(NULL)}, "this kind of pagination needs the option next_url_path"},
		{{KEYSET(NULL), .cursor_param = "c"}, "this kind of pagination needs the option keyset_column"},
		{{CURSOR("next"), .cursor_param = "c"}, "option cursor_path: "},
		{{CURSOR("/a/*"), .cursor_param = "c"}, "option cursor_path: "},
		{{CURSOR("$.a"), .cursor_param = "c"}, "option cursor_path: an SQL/JSON path needs a database server"},
		{{NEXT_URL("/~2")}, "option next_url_path: "},
		{{NEXT_URL("/a"), .has_more_path = "!$.b"}, "option has_more_path: "},
		{{.has_more_path = "!!/b"}, "option has_more_path: "},
		{{KEYSET("/a/*"), .cursor_param = "c"}, "option keyset_column: "},
		{{KEYSET("id"), .cursor_param = "c"}, "option keyset_column: "},
		{{OFFSET, .offset_param = "o", .page_start = "x"}, "page_start \"x\" is not a whole number"},
		{{OFFSET, .offset_param = "o", .page_start = ""}, "page_start \"\" is not a whole number"},
		{{PAGES, .page_param = "o", .page_start = "-1"}, "page_start \"-1\" is not a whole number"},
		{{PAGES, .page_param = "o", .page_start = "9223372036854775808"}, "page_start \"9223372036854775808\" is not a whole number"},
		{{PAGES, .offset_param = "o"}, "the request has no place for {page}"},
	};

	for (int i = 0; i < lengthof(refused); i++)
	{
		CfdwArena *arena = cfdw_arena_new(NULL, "test");
		CfdwEndpoint endpoint = refused[i].endpoint;
		CfdwPagination *pagination;
		CfdwError err = {CFDW_OK};

		endpoint.base_url = "https://api.test";
		CHECK_CASE(!cfdw_pagination_open(arena, &endpoint, &pagination, &err), refused[i].message);
		CHECK_INT(err.kind, CFDW_ERR_OPTION);
		err.message[Min(strlen(err.message), strlen(refused[i].message))] = '\0';
		CHECK_STR(err.message, refused[i].message);
		cfdw_arena_free(arena);
	}
}

/* The last number is an error, not a jump to the beginning. */
static void
test_overflow(void)
{
	CfdwArena *arena = cfdw_arena_new(NULL, "test");
	const CfdwEndpoint endpoint = {.base_url = "https://api.test", OFFSET, .offset_param = "o"};
	const CfdwResponse response = {.status = 200, .url = "https://api.test", .masked_url = "https://api.test"};
	const CfdwPageSpec spec = {false};
	const CfdwStep step = {CFDW_STEP_NUMBER, NULL, PG_INT64_MAX};
	CfdwPagination *pagination;
	CfdwPage page;
	CfdwStep next;
	CfdwError err;
	bool more;

	CHECK(cfdw_pagination_open(arena, &endpoint, &pagination, &err));
	CHECK(cfdw_page_parse(arena, &spec, (CfdwSlice){"[1]", 3}, &page, &err));
	CHECK(!cfdw_pagination_next(pagination, arena, &step, &response, &page, &next, &more, &err));
	CHECK_INT(err.kind, CFDW_ERR_LIMIT);
	cfdw_arena_free(arena);
}

/* The token for the next walk: a value, or a URL when it has no parameter. */
static void
test_sync_token(void)
{
	static const struct
	{
		const char *body;
		const char *param;
		const char *token; /* NULL: none */
		CfdwErrorKind error;
	} cases[] = {
		{"{\"d\": [1], \"sync\": \"CPDA=\"}", "t", "\"CPDA=\""},
		{"{\"d\": [1], \"sync\": 0}", "t", "0"},
		{"{\"d\": [1], \"sync\": {\"a\": [1]}}", "t", "{\"a\":[1]}"},
		{"{\"d\": [1]}", "t", NULL},
		{"{\"d\": [], \"sync\": null}", "t", NULL},
		{"{\"d\": [], \"sync\": \"\"}", "t", NULL},
		{"{\"d\": [], \"sync\": \"https://api.test/delta?t=1&k=s3cret\"}", NULL, "\"https://api.test/delta?t=1\""},
		{"{\"d\": [], \"sync\": \"?t=2\"}", NULL, "\"https://api.test/x?t=2\""},
		{"{\"d\": [], \"sync\": \"\"}", NULL, NULL},
		{"{\"d\": [], \"sync\": \"https://evil.test/\"}", NULL, NULL, CFDW_ERR_FORBIDDEN},
		{"{\"d\": [], \"sync\": 123456789012345678901234567890}", "t", NULL, CFDW_ERR_JSON},
	};

	for (int i = 0; i < lengthof(cases); i++)
	{
		CfdwArena *arena = cfdw_arena_new(NULL, "test");
		const CfdwEndpoint endpoint = {.base_url = "https://api.test", .sync_token_path = "/sync", .sync_token_param = cases[i].param, .auth_param = "k", .auth_value = "s3cret"};
		const CfdwResponse response = {.status = 200, .url = "https://api.test/x?k=s3cret", .masked_url = "https://api.test/x?k=***"};
		CfdwPageSpec spec = {.has_path = true};
		CfdwPagination *pagination;
		CfdwPage page;
		const char *token;
		CfdwError err = {CFDW_OK};

		CHECK(cfdw_pointer_parse(arena, "/d", false, &spec.records_path, &err));
		CHECK(cfdw_pagination_open(arena, &endpoint, &pagination, &err));
		CHECK(cfdw_page_parse(arena, &spec, (CfdwSlice){cases[i].body, strlen(cases[i].body)}, &page, &err));
		CHECK_CASE(cfdw_pagination_sync_token(pagination, arena, &response, &page, &token, &err) == (cases[i].error == CFDW_OK), cases[i].body);
		CHECK_INT(err.kind, cases[i].error);
		if (err.kind == CFDW_OK)
			CHECK_STR(token, cases[i].token);
		cfdw_arena_free(arena);
	}
}

static void
test_steps(void)
{
	CfdwArena *arena = cfdw_arena_new(NULL, "test");
	char text[] = "\"a\"";
	const CfdwStep steps[] = {
		{CFDW_STEP_FIRST},
		{CFDW_STEP_CURSOR, text},
		{CFDW_STEP_CURSOR, "\"b\""},
		{CFDW_STEP_URL, "\"a\""},
		{CFDW_STEP_NUMBER, NULL, 0},
		{CFDW_STEP_NUMBER, NULL, 1},
	};
	CfdwStep copy;

	for (int i = 0; i < lengthof(steps); i++)
		for (int j = 0; j < lengthof(steps); j++)
		{
			copy = cfdw_step_copy(arena, &steps[j]);
			CHECK_INT(cfdw_step_equal(&steps[i], &copy), i == j);
		}
	copy = cfdw_step_copy(arena, &steps[1]);
	text[1] = 'x';
	CHECK_STR(copy.text, "\"a\"");
	cfdw_arena_free(arena);
}

int
main(void)
{
	test_apis();
	test_open();
	test_overflow();
	test_sync_token();
	test_steps();
	return unit_done("pagination");
}

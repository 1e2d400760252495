/*
 * walk_test.c
 *	  The walk against an API that changes between requests.
 *
 * A history is a list that grows, is rewritten in place or loses records
 * between any two requests, and statements that commit, roll back or stop
 * early.  In the end the API rests and the walk runs until it is quiet; then
 * every record that is still there must have been delivered exactly once.
 * http.c is replaced: this file's functions answer at once, from the list.
 */
#include "unit.h"
#include "walk.h"

#include <stdlib.h>

#define MAX_ROWS  400
#define HISTORIES 400

/* ---- the API ---- */

typedef enum Kind
{
	TOKEN,     /* a cursor in the body: the id after which to read */
	KEYSET,    /* as TOKEN, but the client takes the id from the last record */
	PAGE_LINK, /* a next URL that holds a page number */
	PAGE_COMPUTED,
	OFFSET
} Kind;

static struct
{
	Kind kind;
	const char *ops; /* c append, u rewrite in place, d delete; one is drawn */
	int limit;
	bool eager; /* offers a next page after a full one, even if it is empty */
	int budget; /* changes left */
	int count;
	struct
	{
		int id;
		int version;
	} rows[MAX_ROWS];
	int last_id;
	int requests;
	bool same_page_forever;
	bool constant_token;
	bool broken; /* the network */
	bool stateful;
	int once; /* requests that must not go out twice */
} api;

static unsigned int random_state;

static int
draw(int n)
{
	random_state = random_state * 1103515245u + 12345u;
	return (int) ((random_state >> 16) % (unsigned int) n);
}

static void
api_append(void)
{
	api.rows[api.count].id = ++api.last_id;
	api.rows[api.count++].version = 0;
}

static void
api_change(void)
{
	int changes[] = {0, 0, 1, 2};

	if (--api.budget < 0)
		return;
	for (int n = changes[draw(4)]; n > 0 && api.count < MAX_ROWS - 1; n--)
	{
		char op = api.ops[draw((int) strlen(api.ops))];
		int near = api.count > 4 ? api.count - 4 + draw(4) : draw(Max(api.count, 1));

		if (op == 'c')
			api_append();
		else if (op == 'u' && api.count > 0)
			api.rows[near].version++;
		else if (op == 'd' && api.count > 0)
		{
			int at = draw(10) < 6 ? near : draw(api.count);

			memmove(&api.rows[at], &api.rows[at + 1], sizeof(api.rows[0]) * (size_t) (api.count - at - 1));
			api.count--;
		}
	}
}

/* Serve one request: the number after "at=" in the URL is a token, an offset or a page. */
static char *
api_serve(CfdwArena *arena, const char *url)
{
	const char *place = strstr(url, "at=");
	int at = place ? atoi(place + 3) : 0;
	int from = 0;
	int to;
	CfdwBuf body;

	api.requests++;
	if (api.constant_token)
		at = 0;
	api_change();
	if (api.kind == TOKEN || api.kind == KEYSET)
		while (from < api.count && api.rows[from].id <= at)
			from++;
	else
		from = api.kind == OFFSET ? at : (api.same_page_forever ? 0 : at * api.limit);
	from = Min(from, api.count);
	to = Min(from + api.limit, api.count);
	cfdw_buf_init(&body, arena);
	cfdw_buf_puts(&body, "{\"data\": [");
	for (int i = from; i < to; i++)
		cfdw_buf_puts(&body, cfdw_printf(arena, "%s{\"id\": %d, \"v\": %d}", i > from ? ", " : "", api.rows[i].id, api.rows[i].version));
	cfdw_buf_puts(&body, "]");
	if (to < api.count || (api.eager && to > from && to - from == api.limit))
	{
		if (api.kind == TOKEN)
			cfdw_buf_puts(&body, cfdw_printf(arena, ", \"next\": %d", api.constant_token ? 7 : api.rows[to - 1].id));
		if (api.kind == PAGE_LINK)
			cfdw_buf_puts(&body, cfdw_printf(arena, ", \"next\": \"/list?at=%d\"", at + 1));
	}
	cfdw_buf_puts(&body, "}");
	return body.data;
}

/* ---- in place of http.c ---- */

struct CfdwTransfer
{
	CfdwResponse response;
};

bool
cfdw_http_start(CfdwArena *arena, const CfdwHttpOptions *options, const CfdwRequest *request, CfdwTransfer **out, CfdwError *err)
{
	CfdwTransfer *transfer = cfdw_alloc(arena, sizeof(CfdwTransfer));

	transfer->response.status = 200;
	transfer->response.url = transfer->response.masked_url = cfdw_strdup(arena, request->url);
	transfer->response.body.data = api_serve(arena, request->url);
	transfer->response.body.len = strlen(transfer->response.body.data);
	*out = transfer;
	api.once += options->once;
	return true;
}

bool
cfdw_http_finish(CfdwTransfer *transfer, const CfdwWaiter *waiter, const CfdwResponse **out, CfdwError *err)
{
	if (api.broken)
		return cfdw_fail(err, CFDW_ERR_TRANSFER, "connection to the server was lost");
	*out = &transfer->response;
	return true;
}

void
cfdw_http_poll(void)
{
}

const char *
cfdw_response_header(CfdwArena *arena, const CfdwResponse *response, const char *name)
{
	return NULL;
}

/* ---- statements ---- */

/* What the database holds. */
typedef struct Store
{
	char position[2000];
	int key_count;
	char keys[MAX_ROWS][32];
	int delivered[MAX_ROWS * 4]; /* by id: how often */
} Store;

static void
store_key(const char *key, void *arg)
{
	Store *store = arg;

	snprintf(store->keys[store->key_count++], sizeof(store->keys[0]), "%s", key);
}

static void
make_spec(CfdwArena *arena, CfdwWalkSpec *spec, int prefetch)
{
	CfdwEndpoint *endpoint = &spec->endpoint;
	CfdwError err;

	memset(spec, 0, sizeof(*spec));
	endpoint->base_url = "http://127.0.0.1";
	endpoint->endpoint = "/list";
	endpoint->method = "GET";
	spec->exchange.page.has_path = true;
	CHECK(cfdw_pointer_parse(arena, "/data", true, &spec->exchange.page.records_path, &err));
	spec->mode = CFDW_MODE_CURSOR;
	spec->prefetch = prefetch;
	spec->stateful = api.stateful;
	spec->exchange.retry.max_retries = 1;
	spec->waiter = &cfdw_poll_waiter;
	spec->keyed = true;
	switch (api.kind)
	{
		case TOKEN:
			endpoint->pagination = CFDW_PAGINATION_CURSOR;
			endpoint->cursor_path = "/next";
			endpoint->cursor_param = "at";
			break;
		case KEYSET:
			endpoint->pagination = CFDW_PAGINATION_KEYSET;
			endpoint->keyset_path = "/id";
			endpoint->cursor_param = "at";
			break;
		case PAGE_LINK:
			endpoint->pagination = CFDW_PAGINATION_NEXT_URL;
			endpoint->next_url_path = "/next";
			break;
		case PAGE_COMPUTED:
			endpoint->pagination = CFDW_PAGINATION_PAGE_NUMBER;
			endpoint->page_param = "at";
			endpoint->page_start = "0";
			spec->mode = CFDW_MODE_OFFSET;
			break;
		case OFFSET:
			endpoint->pagination = CFDW_PAGINATION_OFFSET;
			endpoint->offset_param = "at";
			spec->mode = CFDW_MODE_OFFSET;
			break;
	}
}

/* Run one statement; limit -1: to the end.  Returns the rows handed up, or -1 after an error. */
static int
run(Store *store, int limit, int prefetch, bool commit, CfdwError *err)
{
	CfdwArena *arena = cfdw_arena_new(NULL, "statement");
	Store *next = malloc(sizeof(Store));
	CfdwWalkSpec spec;
	CfdwPosition position;
	CfdwWalk *walk;
	CfdwWalkRecord record;
	bool end = false;
	bool ok;
	int rows = 0;

	*next = *store;
	make_spec(arena, &spec, prefetch);
	ok = cfdw_position_parse(arena, store->position[0] ? store->position : NULL, &position, err) &&
		 cfdw_walk_open(arena, &spec, &position, &walk, err);
	for (int i = 0; ok && i < store->key_count; i++)
		cfdw_walk_know(walk, store->keys[i]);
	while (ok && rows != limit && (ok = cfdw_walk_next(walk, &record, &end, err)) && !end)
	{
		char *key = cfdw_printf(arena, "%d", atoi(record.bytes.data + strlen("{\"id\": ")));
		bool hand_up;

		ok = cfdw_walk_offer(walk, key, &hand_up, err);
		if (ok && hand_up)
		{
			next->delivered[atoi(key)]++;
			rows++;
		}
	}
	if (ok)
	{
		position = cfdw_walk_position(walk);
		snprintf(next->position, sizeof(next->position), "%s", cfdw_position_dump(arena, &position));
		next->key_count = 0;
		cfdw_walk_each_key(walk, store_key, next);
		if (commit)
			*store = *next;
	}
	free(next);
	cfdw_arena_free(arena);
	return ok ? rows : -1;
}

/* ---- histories ---- */

typedef struct Outcome
{
	int ok;
	int lost;
	int doubled;
	int shifted;
	int stuck;
	int failed;
} Outcome;

static void
begin_history(Kind kind, const char *ops, unsigned int seed)
{
	int limits[] = {2, 3, 5};

	memset(&api, 0, sizeof(api));
	random_state = seed * 2654435761u + 1;
	api.kind = kind;
	api.ops = ops;
	api.limit = limits[draw(3)];
	api.eager = draw(2);
	api.budget = 30;
	for (int n = draw(8); n > 0; n--)
		api_append();
}

static void
judge(const Store *store, Outcome *outcome)
{
	bool lost = false;
	bool doubled = false;

	for (int i = 0; i < api.count; i++)
		lost = lost || store->delivered[api.rows[i].id] == 0;
	for (int id = 0; id <= api.last_id; id++)
		doubled = doubled || store->delivered[id] > 1;
	outcome->lost += lost;
	outcome->doubled += doubled;
	outcome->ok += !lost && !doubled;
}

static void
play(Kind kind, const char *ops, unsigned int seed, Outcome *outcome)
{
	Store *store = calloc(1, sizeof(Store));
	int limits[] = {-1, -1, 1, 2};
	int rows = 0;
	CfdwError err;

	begin_history(kind, ops, seed);
	for (int n = 2 + draw(6); n > 0 && rows >= 0; n--)
	{
		int limit = limits[draw(4)];
		int prefetch = draw(2);

		rows = run(store, limit, prefetch, draw(4) != 0, &err);
		api_change();
	}
	api.budget = 0;
	for (int n = 0; rows >= 0 && (rows = run(store, -1, draw(2), true, &err)) > 0; n++)
		if (n == 50)
		{
			outcome->stuck++;
			free(store);
			return;
		}
	if (rows == 0)
		judge(store, outcome);
	else if (err.kind == CFDW_ERR_SHIFTED)
		outcome->shifted++;
	else
	{
		outcome->failed++;
		fprintf(stderr, "seed %u: %s\n", seed, err.message);
	}
	free(store);
}

static void
test_histories(void)
{
	static const struct
	{
		const char *name;
		Kind kind;
		const char *ops;
		bool may_lose; /* deletes shift unread records to a page already read: no client can see it */
		bool may_shift;
	} table[] = {
		{"token append", TOKEN, "c", false, false},
		{"token rewrite", TOKEN, "ccu", false, false},
		{"token delete", TOKEN, "cccd", false, false},
		{"keyset append", KEYSET, "c", false, false},
		{"keyset rewrite", KEYSET, "ccu", false, false},
		{"keyset delete", KEYSET, "cccd", false, false},
		{"page link append", PAGE_LINK, "c", false, false},
		{"page link rewrite", PAGE_LINK, "ccu", false, false},
		{"page link delete", PAGE_LINK, "cccd", true, false},
		{"page computed append", PAGE_COMPUTED, "c", false, false},
		{"page computed rewrite", PAGE_COMPUTED, "ccu", false, false},
		{"page computed delete", PAGE_COMPUTED, "cccd", true, true},
		{"offset append", OFFSET, "c", false, false},
		{"offset rewrite", OFFSET, "ccu", false, false},
		{"offset delete", OFFSET, "cccd", false, true},
	};

	for (size_t i = 0; i < lengthof(table); i++)
	{
		Outcome outcome;

		memset(&outcome, 0, sizeof(outcome));
		for (unsigned int seed = 1; seed <= HISTORIES; seed++)
			play(table[i].kind, table[i].ops, seed, &outcome);
		printf("# %-22s %d histories: ok %d, lost %d, doubled %d, shifted %d\n", table[i].name, HISTORIES,
			   outcome.ok, outcome.lost, outcome.doubled, outcome.shifted);
		CHECK_CASE(outcome.doubled == 0, table[i].name);
		CHECK_CASE(outcome.stuck == 0, table[i].name);
		CHECK_CASE(outcome.failed == 0, table[i].name);
		CHECK_CASE(table[i].may_lose || outcome.lost == 0, table[i].name);
		CHECK_CASE(table[i].may_shift || outcome.shifted == 0, table[i].name);
	}
}

/* ---- single rules ---- */

static void
begin_list(Kind kind, int limit, int rows)
{
	begin_history(kind, "c", 1);
	api.limit = limit;
	api.eager = false;
	api.budget = 0;
	api.count = 0;
	api.last_id = 0;
	while (api.count < rows)
		api_append();
}

/* LIMIT 7 on pages of 10, then the rest; then nothing new costs one request. */
static void
test_limit(void)
{
	for (Kind kind = TOKEN; kind <= OFFSET; kind++)
	{
		Store *store = calloc(1, sizeof(Store));
		Outcome outcome;
		CfdwError err;

		memset(&outcome, 0, sizeof(outcome));
		begin_list(kind, 10, 25);
		CHECK_INT(run(store, 7, 0, true, &err), 7);
		CHECK_INT(api.requests, 1);
		CHECK_INT(run(store, -1, 0, true, &err), 18);
		api.requests = 0;
		CHECK_INT(run(store, -1, 0, true, &err), 0);
		CHECK(api.requests <= 2);
		judge(store, &outcome);
		CHECK_INT(outcome.ok, 1);
		free(store);
	}
}

/* An API that ignores the page parameter must not be read for ever, nor be taken for its end. */
static void
test_loop(void)
{
	Store *store = calloc(1, sizeof(Store));
	CfdwError err;

	begin_list(PAGE_COMPUTED, 10, 25);
	api.same_page_forever = true;
	CHECK_INT(run(store, -1, 0, true, &err), -1);
	CHECK_INT(err.kind, CFDW_ERR_LOOP);
	CHECK(api.requests <= 4);
	CHECK_STR(store->position, "");
	free(store);
}

/* A token that never changes, with the same page behind it: no end, and no loop either. */
static void
test_constant_token(void)
{
	Store *store = calloc(1, sizeof(Store));
	CfdwError err;

	begin_list(TOKEN, 10, 25);
	api.constant_token = true;
	CHECK_INT(run(store, -1, 0, true, &err), -1);
	CHECK_INT(err.kind, CFDW_ERR_LOOP);
	CHECK(api.requests <= 3);
	free(store);
}

/* An iterator on the server's side: nothing is asked ahead or twice; else both. */
static void
test_stateful(void)
{
	Store *store = calloc(1, sizeof(Store));
	CfdwError err;

	for (int stateful = 0; stateful <= 1; stateful++)
	{
		memset(store, 0, sizeof(*store));
		begin_list(TOKEN, 10, 25);
		api.stateful = stateful;
		CHECK_INT(run(store, 5, 1, true, &err), 5);
		CHECK_INT(api.requests, stateful ? 1 : 2);
		api.broken = true;
		api.requests = 0;
		CHECK_INT(run(store, -1, 1, true, &err), -1);
		CHECK_INT(err.kind, CFDW_ERR_TRANSFER);
		CHECK_INT(api.requests, stateful ? 1 : 2);
		CHECK_INT(api.once, stateful ? 2 : 0);
	}
	free(store);
}

/* A position survives its text form. */
static void
test_position(void)
{
	static const char *const texts[] = {
		"{}",
		"{\"page\": {\"first\": true}}",
		"{\"page\": {\"cursor\": \"a/b+c==\"}, \"next\": {\"cursor\": 9007199254740993}, \"pages\": 3}",
		"{\"page\": {\"url\": \"http://h/x?a=%2F\"}, \"loop\": {\"digest\": \"00000000000000ffffffffffffffffff\", \"power\": 4, \"length\": 1}}",
		"{\"page\": {\"number\": 7}, \"length\": 10, \"full\": 10}",
	};
	CfdwArena *arena = cfdw_arena_new(NULL, "test");

	for (size_t i = 0; i < lengthof(texts); i++)
	{
		CfdwPosition position;
		CfdwError err;

		CHECK(cfdw_position_parse(arena, texts[i], &position, &err));
		CHECK_STR(cfdw_position_dump(arena, &position), texts[i]);
	}
	cfdw_arena_free(arena);
}

int
main(void)
{
	test_position();
	test_limit();
	test_loop();
	test_constant_token();
	test_stateful();
	test_histories();
	return unit_done("walk");
}

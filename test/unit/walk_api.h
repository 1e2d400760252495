/*
 * walk_api.h
 *	  A list that changes between requests, in place of http.c.
 *
 * Times are seconds.  A record shows the unit of time in which it was last
 * changed, so two changes in one unit look the same.
 */
#ifndef WALK_API_H
#define WALK_API_H

#include "unit.h"
#include "walk.h"

#include <stdlib.h>
#include <time.h>

#define MAX_ROWS     120
#define MAX_VERSIONS 200
#define MAX_REQUESTS 4000
#define NO_TIME      PG_INT64_MAX
#define SECOND       INT64CONST(1000000)
#define FAR_AHEAD    1000 /* seconds; beyond what counts as clocks that differ */

/* ---- the API ---- */

typedef enum Paging
{
	BY_TOKEN,  /* a cursor in the body: where the last record stands in the order */
	BY_LINK,   /* a next URL with the number of the page */
	BY_NUMBER, /* page numbers, counted by the client until a page is empty */
	BY_OFFSET,
	SINGLE /* one page; what does not fit is cut off */
} Paging;

typedef struct Row
{
	int id;
	int version;
	int64 time;    /* of the last change, or what the record says it is */
	int64 arrival; /* when it could first be seen */
} Row;

static struct
{
	CfdwOrder order;
	Paging paging;
	int limit;         /* records a page; 0: all */
	int64 granularity; /* of printed times */
	bool exclusive;    /* since means later than, not from on */
	bool deaf;         /* knows no since and no until */
	bool by_arrival;   /* since compares with when a record arrived */
	bool no_date;      /* responses have no Date */
	bool changing;     /* a field differs in every response */
	bool sequence;     /* times are numbers of changes */
	const char *ops;   /* c create, u update, d delete, l late, f future, n without a time */
	bool fine;         /* no two changes at the same time */
	int budget;        /* steps left */
	bool refuse;       /* the next request is answered with 410 if it is for a later page */
	int fail_from;     /* requests from this one on are answered with 500; 0: none */
	int64 elapsed;     /* seconds that a response takes */

	int64 clock;
	int count;
	Row rows[MAX_ROWS];
	int last_id;
	int last_version;
	int requests;
	bool logging;
	char log[2000]; /* the query strings, one a word, "-" for none */
} api;

static unsigned int random_state;

static int
draw(int n)
{
	random_state = random_state * 1103515245u + 12345u;
	return (int) ((random_state >> 16) % (unsigned int) n);
}

static int64
api_unit(int64 time)
{
	return time == NO_TIME ? NO_TIME : time / api.granularity * api.granularity;
}

static void
api_touch(Row *row, int64 time)
{
	row->version = ++api.last_version;
	row->time = api.sequence ? row->version : time;
}

static void
api_create(int64 time)
{
	Row *row = &api.rows[api.count++];

	row->id = ++api.last_id;
	row->arrival = api.clock;
	api_touch(row, time);
}

static void
api_change(char op)
{
	Row *row = &api.rows[draw(Max(api.count, 1))];

	if (op == 'c')
		api_create(api.clock);
	else if (op == 'l')
		api_create(api.clock - draw(7));
	else if (op == 'f')
		api_create(api.clock + FAR_AHEAD);
	else if (op == 'n')
		api_create(NO_TIME);
	else if (op == 'u' && api.count > 0)
		api_touch(row, api.clock);
	else if (op == 'd' && api.count > 0)
	{
		memmove(row, row + 1, (size_t) ((char *) &api.rows[api.count] - (char *) (row + 1)));
		api.count--;
	}
}

/* Time passes, and with it comes some change. */
static void
api_step(void)
{
	static const int changes[] = {0, 0, 1, 1, 2};
	static const int coarse[] = {0, 0, 1, 2};

	if (--api.budget < 0)
		return;
	for (int n = changes[draw(5)]; n > 0 && api.count < MAX_ROWS - 1; n--)
	{
		api.clock += api.fine ? 1 + draw(3) : coarse[draw(4)];
		api_change(api.ops[draw((int) strlen(api.ops))]);
	}
}

/* Where a record stands in the order. */
static void
sort_key(const Row *row, int64 key[2])
{
	int sign = api.order == CFDW_ORDER_DESC ? -1 : 1;

	key[0] = api.order == CFDW_ORDER_NONE ? 0 : sign * (row->time == NO_TIME ? PG_INT32_MAX * INT64CONST(1000) : row->time);
	key[1] = sign * row->id;
}

static int
compare_keys(const int64 a[2], const int64 b[2])
{
	int i = a[0] == b[0];

	return a[i] < b[i] ? -1 : a[i] > b[i];
}

static int
compare_rows(const void *a, const void *b)
{
	int64 left[2];
	int64 right[2];

	sort_key(a, left);
	sort_key(b, right);
	return compare_keys(left, right);
}

static const char *
query_value(const char *url, const char *name)
{
	const char *place = strstr(url, name);

	return place ? place + strlen(name) : NULL;
}

static bool
api_matches(const Row *row, int64 since, int64 until)
{
	int64 time = api.by_arrival ? row->arrival : api_unit(row->time);

	return time == NO_TIME || (time >= since && time < until);
}

/* The rows that a request asks for, in order. */
static int
api_select(const char *url, Row *out)
{
	const char *since = api.deaf ? NULL : query_value(url, "since=");
	const char *until = api.deaf ? NULL : query_value(url, "until=");
	int64 low = since ? atoll(since) + api.exclusive : 0;
	int64 high = until ? atoll(until) : NO_TIME;
	int count = 0;

	for (int i = 0; i < api.count; i++)
		if (api_matches(&api.rows[i], low, high))
			out[count++] = api.rows[i];
	qsort(out, (size_t) count, sizeof(Row), compare_rows);
	return count;
}

static int
api_first_of_page(const Row *rows, int count, const char *at)
{
	int64 after[2];
	int64 key[2];
	int i = 0;

	if (at == NULL)
		return 0;
	if (api.paging == BY_OFFSET)
		return Min(atoi(at), count);
	if (api.paging != BY_TOKEN)
		return Min(atoi(at) * api.limit, count);
	if (sscanf(at, INT64_FORMAT "_" INT64_FORMAT, &after[0], &after[1]) != 2)
		abort();
	for (; i < count; i++)
	{
		sort_key(&rows[i], key);
		if (compare_keys(key, after) > 0)
			break;
	}
	return i;
}

static void
put_record(CfdwBuf *body, const Row *row, bool first)
{
	char text[200];
	char time[30] = "null";

	if (row->time != NO_TIME)
		snprintf(time, sizeof(time), INT64_FORMAT, api_unit(row->time));
	snprintf(text, sizeof(text), "%s{\"id\": %d, \"t\": %s, \"v\": %d", first ? "" : ", ", row->id, time, row->version);
	cfdw_buf_puts(body, text);
	if (api.changing)
	{
		snprintf(text, sizeof(text), ", \"seen\": %d", api.requests);
		cfdw_buf_puts(body, text);
	}
	cfdw_buf_putc(body, '}');
}

static void
put_next(CfdwBuf *body, const char *url, const Row *last)
{
	const char *at = query_value(url, "at=");
	const char *since = query_value(url, "since=");
	char text[200];
	int64 key[2];

	sort_key(last, key);
	if (api.paging == BY_TOKEN)
		snprintf(text, sizeof(text), ", \"next\": \"" INT64_FORMAT "_" INT64_FORMAT "\"", key[0], key[1]);
	else if (api.paging == BY_LINK && since != NULL)
		snprintf(text, sizeof(text), ", \"next\": \"?since=" INT64_FORMAT "&at=%d\"", (int64) atoll(since), at ? atoi(at) + 1 : 1);
	else if (api.paging == BY_LINK)
		snprintf(text, sizeof(text), ", \"next\": \"?at=%d\"", at ? atoi(at) + 1 : 1);
	else
		return;
	cfdw_buf_puts(body, text);
}

static char *
api_page(CfdwArena *arena, const char *url)
{
	Row rows[MAX_ROWS];
	int count = api_select(url, rows);
	int from = api_first_of_page(rows, count, query_value(url, "at="));
	int to = api.limit > 0 ? Min(from + api.limit, count) : count;
	CfdwBuf body;

	cfdw_buf_init(&body, arena);
	cfdw_buf_puts(&body, "{\"data\": [");
	for (int i = from; i < to; i++)
		put_record(&body, &rows[i], i == from);
	cfdw_buf_putc(&body, ']');
	if (to < count && to > from)
		put_next(&body, url, &rows[to - 1]);
	cfdw_buf_putc(&body, '}');
	return body.data;
}

/* What answers a request; a program may put another API here. */
static char *(*api_serve)(CfdwArena *arena, const char *url) = api_page;

static void
api_begin(CfdwOrder order, Paging paging, int limit)
{
	memset(&api, 0, sizeof(api));
	api.order = order;
	api.paging = paging;
	api.limit = limit;
	api.granularity = 1;
	api.clock = (int64) time(NULL) / 1000 * 1000; /* so that a seed gives the same history at any time */
	api.ops = "c";
}

/* ---- in place of http.c ---- */

struct CfdwTransfer
{
	CfdwResponse response;
};

static void
log_request(const char *url)
{
	const char *query = strchr(url, '?');
	size_t len = strlen(api.log);

	snprintf(api.log + len, sizeof(api.log) - len, "%s%s", len > 0 ? " " : "", query ? query + 1 : "-");
}

static bool
is_later_page(const char *at)
{
	return at != NULL && strcmp(at, "0") != 0 && strncmp(at, "0&", 2) != 0;
}

bool
cfdw_http_start(CfdwArena *arena, const CfdwHttpOptions *options, const CfdwRequest *request, CfdwTransfer **out, CfdwError *err)
{
	CfdwTransfer *transfer = cfdw_alloc(arena, sizeof(CfdwTransfer));
	CfdwResponse *response = &transfer->response;

	if (++api.requests > MAX_REQUESTS)
		return cfdw_fail(err, CFDW_ERR_INTERNAL, "this does not come to an end");
	if (api.logging)
		log_request(request->url);
	api_step();
	response->status = 200;
	response->url = response->masked_url = cfdw_strdup(arena, request->url);
	response->body.data = api_serve(arena, request->url);
	if (api.refuse && is_later_page(query_value(request->url, "at=")))
	{
		response->status = 410;
		response->body.data = "{}";
	}
	api.refuse = false;
	if (api.fail_from > 0 && api.requests >= api.fail_from)
		response->status = 500;
	response->body.len = strlen(response->body.data);
	api.clock += api.elapsed;
	response->elapsed_us = api.elapsed * SECOND;
	response->date = api.no_date ? 0 : api.clock;
	*out = transfer;
	return true;
}

bool
cfdw_http_finish(CfdwTransfer *transfer, const CfdwWaiter *waiter, const CfdwResponse **out, CfdwError *err)
{
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

#endif /* WALK_API_H */

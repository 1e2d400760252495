/*
 * walk.c
 *	  Turning pages: asking, reading ahead, and handing out records.  What a
 *	  page means is the rules' business (walk_rules.h).
 */
#include "walk_rules.h"

#include <sys/time.h>

#include "common/hashfn.h"
#include "url.h"

/* Rows between two looks at the sockets: libcurl must empty them while rows are inserted. */
#define ROWS_PER_POLL 32

#define DAY_US INT64CONST(86400000000)

static const CfdwWalkRules *
rules_of(CfdwMode mode)
{
	switch (mode)
	{
		case CFDW_MODE_NONE:
			break;
		case CFDW_MODE_CURSOR:
		case CFDW_MODE_OFFSET:
			return &cfdw_rules_append;
		case CFDW_MODE_TIMESTAMP:
			return &cfdw_rules_time;
		case CFDW_MODE_SYNC_TOKEN:
		case CFDW_MODE_KEYS:
			return &cfdw_rules_set;
	}
	return &cfdw_rules_none;
}

static int64
local_clock(void)
{
	struct timeval now;

	gettimeofday(&now, NULL);
	return now.tv_sec * INT64CONST(1000000) + now.tv_usec;
}

/*
 * The server's clock when it began to answer.  Date is written with the
 * answer, after the list was read, so the time the answer took is subtracted:
 * what changed meanwhile must not count as complete.
 */
static int64
clock_of(const CfdwFetch *fetch)
{
	const CfdwResponse *response = fetch->response;
	int64 local = local_clock();
	int64 remote = response->date * INT64CONST(1000000);

	if (response->date == 0 || remote < local - DAY_US || remote > local + DAY_US)
		return fetch->sent_at;
	return remote - response->elapsed_us;
}

bool
cfdw_walk_open(CfdwArena *arena, const CfdwWalkSpec *spec, const CfdwPosition *from, CfdwWalk **out, CfdwError *err)
{
	CfdwWalk *walk = cfdw_alloc(arena, sizeof(CfdwWalk));

	walk->arena = arena;
	walk->spec = *spec;
	walk->spec.exchange.endpoint = &walk->spec.endpoint;
	walk->rules = rules_of(spec->mode);
	if (spec->stateful)
	{
		/* a second request would get the page after it */
		walk->spec.exchange.retry.max_retries = 0;
		walk->spec.exchange.http.once = true;
	}
	walk->place = cfdw_arena_new(arena, "checkpoint_fdw position");
	walk->position = cfdw_position_copy(walk->place, from);
	walk->question_arena = cfdw_arena_new(arena, "checkpoint_fdw question");
	walk->current = cfdw_keys_new(arena);
	walk->previous = cfdw_keys_new(arena);
	walk->tally = cfdw_keys_new(arena);
	cfdw_buf_init(&walk->anchor, arena);
	walk->largest = spec->endpoint.page_size;
	walk->rows_to_poll = ROWS_PER_POLL;
	if (spec->batch_us > 0)
		walk->deadline = local_clock() + spec->batch_us;
	*out = walk;
	return cfdw_pagination_open(arena, &walk->spec.endpoint, &walk->pagination, err);
}

void
cfdw_walk_keep_position(CfdwWalk *walk, const CfdwPosition *position)
{
	CfdwArena *place = cfdw_arena_new(walk->arena, "checkpoint_fdw position");

	walk->position = cfdw_position_copy(place, position);
	cfdw_arena_free(walk->place);
	walk->place = place;
}

/* ---- requests ---- */

static bool
ask_equal(const CfdwAsk *a, const CfdwAsk *b)
{
	return cfdw_step_equal(&a->step, &b->step) && cfdw_question_equal(&a->question, &b->question) && a->reread == b->reread && a->overlap == b->overlap;
}

static void
discard(CfdwFetch *fetch)
{
	if (fetch != NULL)
		cfdw_arena_free(fetch->arena);
}

static uint64
hash_text(const char *text, size_t len, uint64 seed)
{
	return hash_bytes_extended((const unsigned char *) text, (int) len, seed);
}

/* What was asked, for the loop guard: address without the secret parameter, body, and a cursor (that may go into a header). */
static uint64
hash_request(const CfdwWalk *walk, CfdwArena *arena, const CfdwStep *step, const CfdwRequest *request)
{
	const char *secret = walk->spec.endpoint.auth_param;
	const char *url = secret ? cfdw_url_without_param(arena, request->url, secret) : request->url;
	uint64 hash = hash_text(url, strlen(url), request->body_len);

	if (request->body != NULL)
		hash = hash_text(request->body, request->body_len, hash);
	if (step->kind == CFDW_STEP_CURSOR)
		hash = hash_text(step->text, strlen(step->text), hash);
	return hash;
}

static CfdwFetch *
send(CfdwWalk *walk, const CfdwAsk *ask, CfdwError *err)
{
	CfdwArena *arena = cfdw_arena_new(walk->arena, "checkpoint_fdw page");
	CfdwFetch *fetch = cfdw_alloc(arena, sizeof(CfdwFetch));
	CfdwRequest request;

	fetch->arena = arena;
	fetch->ask.step = cfdw_step_copy(arena, &ask->step);
	fetch->ask.question = cfdw_question_copy(arena, &ask->question);
	fetch->ask.reread = ask->reread;
	fetch->ask.overlap = ask->overlap;
	memset(&request, 0, sizeof(request));
	if (!cfdw_pagination_request(walk->pagination, arena, &fetch->ask.step, &fetch->ask.question, &request, err) ||
		!cfdw_exchange_start(arena, &walk->spec.exchange, &request, ask->step.kind == CFDW_STEP_FIRST, &fetch->exchange, err))
	{
		discard(fetch);
		return NULL;
	}
	fetch->request = hash_request(walk, arena, &fetch->ask.step, &request);
	fetch->sent_at = local_clock();
	walk->counts.requests++;
	return fetch;
}

bool
cfdw_walk_fail_at(const CfdwFetch *fetch, CfdwError *err)
{
	char *detail = cfdw_strdup(fetch->arena, err->detail);

	cfdw_detail(err, "URL: %s%s%s", fetch->response->masked_url, detail[0] == '\0' ? "" : "\n", detail);
	return false;
}

static bool
is_bound_reached(const CfdwWalk *walk)
{
	return (walk->spec.batch_pages > 0 && walk->counts.pages >= walk->spec.batch_pages) ||
		   (walk->deadline > 0 && local_clock() >= walk->deadline);
}

/* Ask for the page after this one while its records are used.  An error is left to the request in the foreground. */
static void
send_ahead(CfdwWalk *walk)
{
	CfdwError ignored;

	if (walk->spec.prefetch > 0 && !walk->spec.stateful && walk->fetch->more && walk->ahead == NULL && !is_bound_reached(walk))
		walk->ahead = send(walk, &walk->fetch->next, &ignored);
}

/* The page asked ahead, if it is the one wanted now. */
static CfdwFetch *
take_ahead(CfdwWalk *walk, const CfdwAsk *ask)
{
	CfdwFetch *fetch = walk->ahead;

	walk->ahead = NULL;
	if (fetch == NULL || ask_equal(&fetch->ask, ask))
		return fetch;
	discard(fetch);
	return NULL;
}

/* Wait for a page. */
static bool
receive(CfdwWalk *walk, CfdwFetch *fetch, CfdwError *err)
{
	CfdwAnswer answer;
	bool ok = cfdw_exchange_finish(fetch->exchange, walk->spec.waiter, &answer, err);

	fetch->response = answer.response;
	fetch->page = answer.page;
	fetch->nothing = answer.nothing;
	walk->counts.requests += answer.requests - 1; /* the first is counted */
	walk->counts.retries += answer.retries;
	walk->asked_ms = ok ? 0 : answer.asked_ms;
	return ok;
}

/* Find what follows a page. */
static bool
read_page(CfdwWalk *walk, CfdwFetch *fetch, CfdwError *err)
{
	fetch->next.question = fetch->ask.question;
	fetch->page.url = fetch->response->masked_url;
	if (!fetch->nothing &&
		!cfdw_pagination_next(walk->pagination, fetch->arena, &fetch->ask.step, fetch->response, &fetch->page,
							  &fetch->next.step, &fetch->more, err))
		return cfdw_walk_fail_at(fetch, err);
	fetch->clock = clock_of(fetch);
	walk->counts.pages++;
	walk->counts.bytes += (int64) fetch->response->body.len;
	walk->counts.http_us += fetch->response->elapsed_us;
	return true;
}

static bool
contains(CfdwSlice text, const char *part)
{
	size_t len = strlen(part);

	for (size_t i = 0; i + len <= text.len; i++)
		if (pg_strncasecmp(text.data + i, part, len) == 0)
			return true;
	return false;
}

/* Does this answer say that a page or token that was stored before is gone? */
static bool
says_expired(const CfdwWalk *walk, const CfdwResponse *response)
{
	if (response == NULL)
		return false;
	return cfdw_statuses_have(&walk->spec.expired_statuses, response->status) ||
		   (walk->spec.expired_match != NULL && contains(response->body, walk->spec.expired_match));
}

bool
cfdw_walk_turn_to(CfdwWalk *walk, const CfdwAsk *ask, CfdwError *err)
{
	CfdwFetch *fetch;

	walk->page_number = walk->counts.pages + 1;
	fetch = take_ahead(walk, ask);
	if (fetch == NULL)
		fetch = send(walk, ask, err);
	if (fetch == NULL)
		return false;
	if (!receive(walk, fetch, err))
	{
		walk->expired = says_expired(walk, fetch->response);
		return false;
	}
	if (!read_page(walk, fetch, err))
		return false;
	discard(walk->fetch);
	walk->fetch = fetch;
	walk->taken = walk->offered = 0;
	if (!walk->rules->enter(walk, err))
		return false;
	send_ahead(walk);
	return true;
}

/* ---- for the rules ---- */

static bool
check_progress(CfdwWalk *walk, CfdwError *err)
{
	const CfdwFetch *fetch = walk->fetch;
	bool computed = cfdw_pagination_is_computed(walk->spec.endpoint.pagination) && fetch->page.count > 0;
	int may_repeat = cfdw_mode_has_store(walk->spec.mode) ? 1 : 0;

	if (!computed)
		may_repeat = PG_INT32_MAX;
	if (!cfdw_loop_repeats(&walk->position.loop, &walk->last, fetch->request, fetch->page.body, may_repeat))
		return true;
	cfdw_fail(err, CFDW_ERR_LOOP, "the API makes no progress: it served the same page again");
	cfdw_hint(err, "Check that the paging options name parameters that the API knows.");
	return cfdw_walk_fail_at(fetch, err);
}

bool
cfdw_walk_count_page(CfdwWalk *walk, bool progress, CfdwError *err)
{
	const CfdwFetch *fetch = walk->fetch;
	int64 cap = walk->spec.max_pages;

	if (progress && !check_progress(walk, err))
		return false;
	if (++walk->position.pages <= cap || cap == 0 || (fetch->page.count == 0 && !fetch->more))
		return true;
	cfdw_fail(err, CFDW_ERR_LIMIT, "the walk has more than max_pages (" INT64_FORMAT ") pages", cap);
	cfdw_hint(err, "Raise max_pages, or leave it out; nothing was loaded by this statement.");
	return cfdw_walk_fail_at(fetch, err);
}

bool
cfdw_walk_take_page(CfdwWalk *walk, CfdwError *err)
{
	CfdwPosition position;

	walk->rereading = walk->fetch->ask.reread;
	if (!walk->rereading && !cfdw_walk_count_page(walk, true, err))
		return false;
	position = walk->position;
	if (position.started == 0)
		position.started = walk->fetch->clock;
	if (walk->fetch->page.count > 0)
	{
		position.has_page = true;
		position.page = walk->fetch->ask.step;
		position.has_next = false;
	}
	cfdw_walk_keep_position(walk, &position);
	return true;
}

void
cfdw_walk_describe(CfdwWalk *walk)
{
	CfdwFetch *fetch = walk->fetch;

	fetch->facts = cfdw_alloc(fetch->arena, sizeof(CfdwFact) * Max(fetch->page.count, 1));
	walk->spec.store.describe(walk->spec.store.arg, fetch->arena, &fetch->page, fetch->facts);
}

/* ---- from page to page ---- */

/* Is the page used up: is nothing left of it that would be handed up? */
static bool
is_done(const CfdwWalk *walk)
{
	const CfdwFetch *fetch = walk->fetch;
	int i = walk->offered;

	if (fetch->facts == NULL)
		return i == fetch->page.count;
	for (i = walk->taken; i < fetch->page.count; i++)
		if (fetch->facts[i].verdict == CFDW_HAND_UP)
			return false;
	return true;
}

/*
 * May the statement end here?  Where a statement begins by reading a page again, or stores none, only after
 * something was handed up: else a small bound would be used up by what is known, each time.
 */
static bool
is_batch_over(const CfdwWalk *walk)
{
	bool any_page = walk->rules == &cfdw_rules_set || (walk->rules == &cfdw_rules_time && !cfdw_walk_is_anchored(walk));

	return (any_page || walk->counts.records > 0) && is_bound_reached(walk);
}

/* The walk goes on with its first request; what it knows else stays. */
void
cfdw_walk_forget_pages(CfdwPosition *position)
{
	position->has_page = position->has_next = false;
	position->next_sync_token = NULL;
	position->pages = 0;
	memset(&position->loop, 0, sizeof(position->loop));
}

/* Drop what has expired: the page, or else the token.  Keys and timestamps stay, so that nothing is doubled. */
static void
forget_place(CfdwWalk *walk)
{
	CfdwPosition position = walk->position;

	if (!position.has_page && !position.has_next)
		position.sync_token = NULL;
	cfdw_walk_forget_pages(&position);
	cfdw_walk_keep_position(walk, &position);
	walk->restarted = true;
}

/* The first request of a statement; a stored page or token that the API no longer takes is dropped once. */
static bool
turn_first(CfdwWalk *walk, CfdwError *err)
{
	bool stored = walk->position.has_page || walk->position.has_next || walk->position.sync_token != NULL;
	CfdwAsk ask;

	memset(&ask, 0, sizeof(ask));
	if (!walk->rules->first(walk, &ask, err))
		return false;
	if (cfdw_walk_turn_to(walk, &ask, err))
		return true;
	if (!stored || !walk->expired)
		return false;
	if (!walk->spec.may_restart || walk->restarted)
	{
		cfdw_hint(err, "The page or token that was kept at the checkpoint has expired. checkpoint_fdw.restart_walk() drops it; option on_expired does so by itself.");
		return false;
	}
	forget_place(walk);
	return turn_first(walk, err);
}

/* May the statement end with the page left, as the server does not give the next one yet? */
static bool
may_pause(const CfdwWalk *walk, const CfdwFetch *left)
{
	return walk->spec.may_pause && !walk->spec.stateful && walk->asked_ms > 0 && walk->fetch == left && walk->counts.records > 0;
}

static bool
leave_page(CfdwWalk *walk, CfdwError *err)
{
	CfdwPosition position = walk->position;
	CfdwFetch *fetch = walk->fetch;
	bool again = false;
	CfdwAsk ask;

	memset(&ask, 0, sizeof(ask));
	walk->rules->settle(walk, true, &position);
	if (!fetch->more && !walk->rules->finish(walk, &position, &ask, &again, err))
		return false;
	cfdw_walk_keep_position(walk, &position);
	if (!fetch->more && !again)
		walk->at_end = true;
	else if (is_batch_over(walk))
		walk->stopped = true;
	else if (!cfdw_walk_turn_to(walk, fetch->more ? &fetch->next : &ask, err))
	{
		walk->stopped = may_pause(walk, fetch);
		return walk->stopped;
	}
	return true;
}

/* ---- records ---- */

/* Skip what the rules have found out not to be handed up; is there a record left? */
static bool
find_record(CfdwWalk *walk)
{
	const CfdwFetch *fetch = walk->fetch;

	for (; walk->taken < fetch->page.count; walk->taken++)
	{
		if (fetch->facts == NULL || fetch->facts[walk->taken].verdict == CFDW_HAND_UP)
			return true;
		if (fetch->facts[walk->taken].verdict == CFDW_HELD_BACK)
			walk->counts.held_back++;
		else
			walk->counts.skipped++;
	}
	return false;
}

bool
cfdw_walk_next(CfdwWalk *walk, CfdwWalkRecord *record, bool *end, CfdwError *err)
{
	CfdwFetch *fetch;

	if (walk->ahead != NULL && --walk->rows_to_poll == 0)
	{
		cfdw_http_poll();
		walk->rows_to_poll = ROWS_PER_POLL;
	}
	if (walk->fetch == NULL && !turn_first(walk, err))
		return false;
	while (!walk->at_end && !walk->stopped && !find_record(walk))
		if (!leave_page(walk, err))
			return false;
	*end = walk->at_end || walk->stopped;
	if (*end)
		return true;
	fetch = walk->fetch;
	record->bytes = fetch->page.records[walk->taken];
	record->member = fetch->page.keys ? fetch->page.keys[walk->taken] : (CfdwSlice){NULL, 0};
	record->url = fetch->page.url;
	record->number = ++walk->taken;
	return true;
}

bool
cfdw_walk_offer(CfdwWalk *walk, const char *key, bool *hand_up, CfdwError *err)
{
	walk->offered++;
	*hand_up = true;
	if (!walk->rules->offer(walk, key, hand_up, err))
		return false;
	if (*hand_up)
		walk->counts.records++;
	else
		walk->counts.skipped++;
	return true;
}

void
cfdw_walk_reject(CfdwWalk *walk, bool again)
{
	walk->counts.records--;
	if (again)
		walk->counts.skipped++;
	else
		walk->counts.rejected++;
}

void
cfdw_walk_reopen(CfdwWalk *walk)
{
	walk->counts.skipped--;
	walk->counts.records++;
}

/* ---- what to store ---- */

CfdwPosition
cfdw_walk_position(const CfdwWalk *walk)
{
	CfdwPosition position = walk->position;
	CfdwStamp pruned = {true, 0, NULL};

	if (walk->fetch != NULL && !walk->at_end && !walk->stopped)
		walk->rules->settle(walk, is_done(walk), &position);
	if (walk->spec.stateful)
		cfdw_walk_forget_pages(&position);
	if (cfdw_walk_keep_at(walk, &position, &pruned.tick) == CFDW_KEEP_FROM)
		position.known_before = cfdw_stamp_max(position.known_before, pruned);
	return position;
}

int64
cfdw_walk_pause_ms(const CfdwWalk *walk)
{
	return walk->stopped ? walk->asked_ms : 0;
}

CfdwKeep
cfdw_walk_keep(const CfdwWalk *walk, int64 *from)
{
	CfdwPosition position = cfdw_walk_position(walk);

	return cfdw_walk_keep_at(walk, &position, from);
}

bool
cfdw_walk_at_end(const CfdwWalk *walk)
{
	return walk->at_end;
}

int64
cfdw_walk_page_number(const CfdwWalk *walk)
{
	return walk->page_number;
}

const CfdwWalkCounts *
cfdw_walk_counts(const CfdwWalk *walk)
{
	return &walk->counts;
}

/*
 * walk.c
 *	  Page after page of an endpoint; which records are new; where to go on.
 */
#include "walk.h"

/* Rows between two looks at the sockets: libcurl must empty them while rows are inserted. */
#define ROWS_PER_POLL 32

/* One page, from its request on. */
typedef struct Fetch
{
	CfdwArena *arena; /* of all that belongs to the page */
	CfdwStep step;
	CfdwTransfer *transfer;
	const CfdwResponse *response;
	CfdwPage page;
	CfdwStep next; /* of the page after it, if more */
	bool more;
	bool overlap; /* begins one record early: that record must be the anchor */
	bool next_overlap;
} Fetch;

struct CfdwWalk
{
	CfdwArena *arena;
	CfdwWalkSpec spec;
	CfdwPagination *pagination;

	CfdwArena *place; /* of the strings in position */
	CfdwPosition position;
	CfdwKeys *current;  /* keys of the records of position.page */
	CfdwKeys *previous; /* keyed lists: of the page before it */
	CfdwKeys *tally;    /* lists without key: equal records of the page */
	CfdwBuf anchor;     /* offset pagination: key of the last record handed up */

	Fetch *fetch;      /* the page being read */
	Fetch *ahead;      /* the page asked ahead */
	int taken;         /* records of it that next has returned */
	int offered;       /* records of it that went through offer */
	bool rereading;    /* it is position.page once more */
	bool had_keys;     /* … of which records are known */
	bool unknown_seen; /* … and an unknown one has come */
	bool confirming;   /* page_number: the page is asked again because the next one has records */
	bool at_end;
	int64 page_number; /* being read or waited for */
	int largest;       /* records of the largest page so far */
	int rows_to_poll;

	CfdwLastPage last; /* for the loop guard */
	CfdwWalkCounts counts;
};

static bool
is_offset(const CfdwWalk *walk)
{
	return walk->spec.mode == CFDW_MODE_OFFSET && walk->spec.endpoint.pagination == CFDW_PAGINATION_OFFSET;
}

static bool
is_page_number(const CfdwWalk *walk)
{
	return walk->spec.mode == CFDW_MODE_OFFSET && walk->spec.endpoint.pagination == CFDW_PAGINATION_PAGE_NUMBER;
}

bool
cfdw_walk_open(CfdwArena *arena, const CfdwWalkSpec *spec, const CfdwPosition *from, CfdwWalk **out, CfdwError *err)
{
	CfdwWalk *walk = cfdw_alloc(arena, sizeof(CfdwWalk));

	walk->arena = arena;
	walk->spec = *spec;
	walk->place = cfdw_arena_new(arena, "checkpoint_fdw position");
	walk->position = cfdw_position_copy(walk->place, from);
	walk->current = cfdw_keys_new(arena);
	walk->previous = cfdw_keys_new(arena);
	walk->tally = cfdw_keys_new(arena);
	cfdw_buf_init(&walk->anchor, arena);
	walk->largest = spec->endpoint.page_size;
	walk->rows_to_poll = ROWS_PER_POLL;
	*out = walk;
	return cfdw_pagination_open(arena, &walk->spec.endpoint, &walk->pagination, err);
}

static void
set_anchor(CfdwWalk *walk, const char *key)
{
	walk->anchor.len = 0;
	cfdw_buf_puts(&walk->anchor, key);
}

void
cfdw_walk_know(CfdwWalk *walk, const char *key)
{
	if (is_offset(walk))
		set_anchor(walk, key);
	cfdw_keys_add(walk->current, key);
}

/* Keep the position's strings in an arena of their own, one page long. */
static void
keep_position(CfdwWalk *walk, const CfdwPosition *position)
{
	CfdwArena *place = cfdw_arena_new(walk->arena, "checkpoint_fdw position");

	walk->position = cfdw_position_copy(place, position);
	cfdw_arena_free(walk->place);
	walk->place = place;
}

/* ---- requests ---- */

static void
discard(Fetch *fetch)
{
	if (fetch != NULL)
		cfdw_arena_free(fetch->arena);
}

static Fetch *
ask(CfdwWalk *walk, const CfdwStep *step, bool overlap, CfdwError *err)
{
	CfdwArena *arena = cfdw_arena_new(walk->arena, "checkpoint_fdw page");
	Fetch *fetch = cfdw_alloc(arena, sizeof(Fetch));
	CfdwRequest request;

	fetch->arena = arena;
	fetch->step = cfdw_step_copy(arena, step);
	fetch->overlap = overlap;
	memset(&request, 0, sizeof(request));
	if (!cfdw_pagination_request(walk->pagination, arena, &fetch->step, NULL, &request, err) ||
		!cfdw_http_start(arena, &walk->spec.http, &request, &fetch->transfer, err))
	{
		discard(fetch);
		return NULL;
	}
	walk->counts.requests++;
	return fetch;
}

/* Put the URL before what DETAIL says already. */
static bool
fail_at(const Fetch *fetch, CfdwError *err)
{
	char *detail = cfdw_strdup(fetch->arena, err->detail);

	cfdw_detail(err, "URL: %s%s%s", fetch->response->masked_url, detail[0] == '\0' ? "" : "\n", detail);
	return false;
}

static bool
check_status(const Fetch *fetch, CfdwError *err)
{
	int status = fetch->response->status;

	if (status >= 200 && status <= 299)
		return true;
	cfdw_fail(err, status == 401 || status == 403 ? CFDW_ERR_AUTH : CFDW_ERR_STATUS,
			  "the API answered with HTTP status %d", status);
	err->status = status;
	if (status == 401 || status == 403)
		cfdw_hint(err, "Check the server's option auth and the secrets in the user mapping of the current user.");
	else if (status >= 300 && status <= 399)
		cfdw_hint(err, "Redirects are not followed; put the final address into base_url or endpoint.");
	else if (status == 404 || status == 410)
		cfdw_hint(err, "Check the options base_url and endpoint.");
	else if (status == 429 || status >= 500)
		cfdw_hint(err, "Nothing was changed; run the statement again later.");
	else
		cfdw_hint(err, "Check the options endpoint, params, headers and body of the foreign table.");
	return fail_at(fetch, err);
}

/* Wait for the response; an error status is an error. */
static bool
receive(CfdwWalk *walk, Fetch *fetch, CfdwError *err)
{
	return cfdw_http_finish(fetch->transfer, walk->spec.waiter, &fetch->response, err) &&
		   check_status(fetch, err);
}

/* ---- from response to page ---- */

/*
 * Offset pagination with a checkpoint asks one record early each time: the
 * last record handed up must come first, else the list has shifted.  A page
 * that holds this record alone is the end, unless the API may serve one
 * record a page; then the record after it is asked.
 */
static void
overlap_next(CfdwWalk *walk, Fetch *fetch)
{
	int count = fetch->page.count;

	walk->largest = Max(walk->largest, count);
	if (!fetch->more)
		return;
	fetch->next.kind = CFDW_STEP_NUMBER;
	if (fetch->overlap && count == 1)
	{
		fetch->more = walk->largest <= 1;
		fetch->next.number = fetch->step.number + 1;
		return;
	}
	fetch->next.number--;
	fetch->next_overlap = true;
}

static bool
parse_body(CfdwWalk *walk, Fetch *fetch, CfdwError *err)
{
	const CfdwResponse *response = fetch->response;

	if (response->status == 204) /* RFC 9110 15.3.5: no content */
	{
		fetch->page.envelope = cfdw_strdup(fetch->arena, "null");
		fetch->page.envelope_len = 4;
		return true;
	}
	return cfdw_page_parse(fetch->arena, &walk->spec.page, response->body, &fetch->page, err) || fail_at(fetch, err);
}

/* Asked once for each page that is taken, not for one that is read again on purpose or set aside. */
static bool
check_progress(CfdwWalk *walk, Fetch *fetch, CfdwError *err)
{
	bool computed = cfdw_pagination_is_computed(walk->spec.endpoint.pagination) && fetch->page.count > 0;

	if (!cfdw_loop_repeats(&walk->position.loop, &walk->last, &fetch->step, fetch->page.body, computed))
		return true;
	cfdw_fail(err, CFDW_ERR_LOOP, "the API makes no progress: it served the same page again");
	cfdw_hint(err, "Check that the paging options name parameters that the API knows.");
	return fail_at(fetch, err);
}

static bool
is_reread(const CfdwWalk *walk, const Fetch *fetch)
{
	return walk->spec.mode != CFDW_MODE_NONE && walk->position.has_page &&
		   cfdw_step_equal(&fetch->step, &walk->position.page);
}

/* Parse the page and find what follows it. */
static bool
read_page(CfdwWalk *walk, Fetch *fetch, CfdwError *err)
{
	if (!parse_body(walk, fetch, err))
		return false;
	if (!cfdw_pagination_next(walk->pagination, fetch->arena, &fetch->step, fetch->response, &fetch->page,
							  &fetch->next, &fetch->more, err))
		return fail_at(fetch, err);
	if (is_offset(walk))
		overlap_next(walk, fetch);
	walk->counts.pages++;
	walk->counts.bytes += (int64) fetch->response->body.len;
	return true;
}

static bool
count_page(CfdwWalk *walk, CfdwError *err)
{
	const Fetch *fetch = walk->fetch;
	int64 cap = walk->spec.max_pages;

	if (++walk->position.pages <= cap || cap == 0 || (fetch->page.count == 0 && !fetch->more))
		return true;
	cfdw_fail(err, CFDW_ERR_LIMIT, "the walk has more than max_pages (" INT64_FORMAT ") pages", cap);
	cfdw_hint(err, "Raise max_pages, or leave it out; nothing was loaded by this statement.");
	return fail_at(fetch, err);
}

/* ---- turning pages ---- */

static bool turn_to(CfdwWalk *walk, const CfdwStep *step, bool overlap, CfdwError *err);

static bool
fail_shifted(const CfdwWalk *walk, CfdwError *err)
{
	cfdw_fail(err, CFDW_ERR_SHIFTED, "the list has shifted: the page at the checkpoint no longer begins with the records that were read from it");
	cfdw_hint(err, "Records were removed or put in front, or the API does not know the paging parameter. Reading by %s needs a list in which new records come last and none goes away.",
			  is_offset(walk) ? "offset" : "page number");
	return fail_at(walk->fetch, err);
}

/* The page becomes position.page; its keys start afresh. */
static void
enter_new_page(CfdwWalk *walk)
{
	CfdwPosition position = walk->position;
	CfdwKeys *keys = walk->previous;

	walk->previous = walk->current;
	walk->current = keys;
	cfdw_keys_clear(walk->current);
	if (!walk->spec.keyed)
		cfdw_keys_clear(walk->previous);
	if (is_offset(walk))
		return; /* there, the position moves record by record */
	position.has_page = true;
	position.page = walk->fetch->step;
	position.has_next = false;
	keep_position(walk, &position);
}

/*
 * page_number: a page that has a successor may have grown since it was read,
 * so it is asked once more, unless a page of its length is known to be full.
 */
static bool
must_confirm(const CfdwWalk *walk)
{
	return is_page_number(walk) && walk->position.has_page && !walk->confirming &&
		   walk->position.length != walk->position.full;
}

static bool
enter_page(CfdwWalk *walk, CfdwError *err)
{
	Fetch *fetch = walk->fetch;

	walk->taken = walk->offered = 0;
	walk->unknown_seen = false;
	walk->rereading = is_offset(walk) ? fetch->overlap : is_reread(walk, fetch);
	walk->had_keys = walk->rereading && (is_offset(walk) || cfdw_keys_count(walk->current) > 0);
	cfdw_keys_clear(walk->tally);
	if (walk->rereading)
	{
		if (fetch->page.count == 0 && walk->had_keys && walk->spec.mode == CFDW_MODE_OFFSET)
			return fail_shifted(walk, err);
		return (walk->position.pages > 0 && !is_offset(walk)) || count_page(walk, err);
	}
	if (fetch->page.count > 0 && must_confirm(walk))
	{
		walk->confirming = true;
		return turn_to(walk, &walk->position.page, false, err);
	}
	if (!check_progress(walk, fetch, err) || !count_page(walk, err))
		return false;
	if (fetch->page.count > 0 && walk->spec.mode != CFDW_MODE_NONE)
		enter_new_page(walk);
	walk->confirming = walk->confirming && fetch->page.count == 0;
	return true;
}

/* Ask for the page after this one while its records are used.  An error is left to the request in the foreground. */
static void
ask_ahead(CfdwWalk *walk)
{
	Fetch *fetch = walk->fetch;
	CfdwError ignored;

	if (walk->spec.prefetch > 0 && fetch->more && walk->ahead == NULL)
		walk->ahead = ask(walk, &fetch->next, fetch->next_overlap, &ignored);
}

/* The page asked ahead, if it is the one wanted now and arrived well; a failed one is asked again. */
static Fetch *
take_ahead(CfdwWalk *walk, const CfdwStep *step, bool overlap)
{
	Fetch *fetch = walk->ahead;
	CfdwError ignored;

	walk->ahead = NULL;
	if (fetch == NULL)
		return NULL;
	if (cfdw_step_equal(&fetch->step, step) && fetch->overlap == overlap && receive(walk, fetch, &ignored))
		return fetch;
	discard(fetch);
	return NULL;
}

static bool
turn_to(CfdwWalk *walk, const CfdwStep *step, bool overlap, CfdwError *err)
{
	Fetch *fetch;

	walk->page_number = walk->counts.pages + 1;
	fetch = take_ahead(walk, step, overlap);

	if (fetch == NULL)
	{
		fetch = ask(walk, step, overlap, err);
		if (fetch == NULL || !receive(walk, fetch, err))
			return false;
	}
	if (!read_page(walk, fetch, err))
		return false;
	discard(walk->fetch);
	walk->fetch = fetch;
	if (!enter_page(walk, err))
		return false;
	ask_ahead(walk);
	return true;
}

static bool
turn_first(CfdwWalk *walk, CfdwError *err)
{
	const CfdwPosition *position = &walk->position;
	CfdwStep first = {CFDW_STEP_FIRST, NULL, 0};

	if (walk->spec.mode == CFDW_MODE_CURSOR && position->has_next)
		return turn_to(walk, &position->next, false, err);
	if (walk->spec.mode != CFDW_MODE_NONE && position->has_page)
		return turn_to(walk, &position->page, is_offset(walk), err);
	return turn_to(walk, &first, false, err);
}

/* The position once every record of the page has been offered; before that, as it is. */
static CfdwPosition
settled(const CfdwWalk *walk)
{
	CfdwPosition position = walk->position;
	const Fetch *fetch = walk->fetch;

	if (fetch == NULL || walk->offered < fetch->page.count)
		return position;
	if (is_page_number(walk) && fetch->page.count > 0)
		position.length = fetch->page.count;
	if (walk->confirming && walk->rereading)
		position.full = fetch->page.count;
	position.has_next = fetch->more && walk->spec.mode == CFDW_MODE_CURSOR;
	position.next = fetch->next;
	if (!fetch->more) /* the walk is over */
	{
		position.pages = 0;
		memset(&position.loop, 0, sizeof(position.loop));
	}
	return position;
}

static bool
leave_page(CfdwWalk *walk, CfdwError *err)
{
	CfdwPosition position = settled(walk);
	Fetch *fetch = walk->fetch;

	keep_position(walk, &position);
	if (fetch->more)
		return turn_to(walk, &fetch->next, fetch->next_overlap, err);
	walk->at_end = true;
	return true;
}

/* ---- records ---- */

bool
cfdw_walk_next(CfdwWalk *walk, CfdwWalkRecord *record, bool *end, CfdwError *err)
{
	Fetch *fetch;

	if (walk->ahead != NULL && --walk->rows_to_poll == 0)
	{
		cfdw_http_poll();
		walk->rows_to_poll = ROWS_PER_POLL;
	}
	if (walk->fetch == NULL && !turn_first(walk, err))
		return false;
	while (!walk->at_end && walk->taken == walk->fetch->page.count)
		if (!leave_page(walk, err))
			return false;
	*end = walk->at_end;
	if (walk->at_end)
		return true;
	fetch = walk->fetch;
	record->bytes = fetch->page.records[walk->taken];
	record->member = fetch->page.keys ? fetch->page.keys[walk->taken] : (CfdwSlice){NULL, 0};
	record->number = ++walk->taken;
	return true;
}

static int64
offset_of(const CfdwWalk *walk, const CfdwStep *step)
{
	const char *start = walk->spec.endpoint.page_start;

	if (step->kind == CFDW_STEP_NUMBER)
		return step->number;
	return start ? strtoll(start, NULL, 10) : 0;
}

/* Offsets: the first record of an overlapping page is the anchor, all others move it. */
static bool
offer_by_offset(CfdwWalk *walk, const char *key, bool *hand_up, CfdwError *err)
{
	const Fetch *fetch = walk->fetch;

	if (fetch->overlap && walk->offered == 1)
	{
		*hand_up = false;
		return strcmp(key, walk->anchor.data) == 0 || fail_shifted(walk, err);
	}
	*hand_up = !walk->spec.keyed ||
			   (!cfdw_keys_has(walk->previous, key) && cfdw_keys_add(walk->current, key));
	set_anchor(walk, key);
	walk->position.has_page = true;
	walk->position.page.kind = CFDW_STEP_NUMBER;
	walk->position.page.number = offset_of(walk, &fetch->step) + walk->offered - 1;
	return true;
}

/* All other kinds: what is known of this page or the one before is dropped. */
static bool
offer_by_key(CfdwWalk *walk, const char *key, bool *hand_up, CfdwError *err)
{
	const char *full = key;
	bool known;

	if (!walk->spec.keyed)
		full = cfdw_printf(walk->fetch->arena, "%s:%d", key, cfdw_keys_tally(walk->tally, key));
	known = cfdw_keys_has(walk->current, full);
	if (walk->rereading && walk->had_keys && is_page_number(walk))
	{
		/* known records come first, or records have moved between pages */
		if (known ? walk->unknown_seen : walk->offered == 1)
			return fail_shifted(walk, err);
		walk->unknown_seen = walk->unknown_seen || !known;
	}
	*hand_up = !known && !cfdw_keys_has(walk->previous, full);
	cfdw_keys_add(walk->current, full);
	return true;
}

bool
cfdw_walk_offer(CfdwWalk *walk, const char *key, bool *hand_up, CfdwError *err)
{
	walk->offered++;
	*hand_up = true;
	if (is_offset(walk) ? !offer_by_offset(walk, key, hand_up, err) :
						  walk->spec.mode != CFDW_MODE_NONE && !offer_by_key(walk, key, hand_up, err))
		return false;
	if (*hand_up)
		walk->counts.records++;
	else
		walk->counts.skipped++;
	return true;
}

/* ---- what to store ---- */

CfdwPosition
cfdw_walk_position(const CfdwWalk *walk)
{
	return walk->at_end ? walk->position : settled(walk);
}

bool
cfdw_walk_at_end(const CfdwWalk *walk)
{
	return walk->at_end;
}

void
cfdw_walk_each_key(CfdwWalk *walk, void (*fn)(const char *key, void *arg), void *arg)
{
	if (!is_offset(walk))
		cfdw_keys_each(walk->current, fn, arg);
	else if (walk->position.has_page)
		fn(walk->anchor.data, arg);
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

/*
 * walk_append.c
 *	  Rules of the modes none, cursor and offset: new records come last.
 *
 * The page that gave the last record is asked again by the next walk, which
 * drops the records that it knows and so hands up what was appended.
 */
#include "walk_rules.h"

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

static bool
first_page(CfdwWalk *walk, CfdwAsk *ask, CfdwError *err)
{
	const CfdwPosition *position = &walk->position;

	if (walk->spec.mode == CFDW_MODE_CURSOR && position->has_next)
		ask->step = position->next;
	else if (position->has_page)
	{
		ask->step = position->page;
		ask->reread = true;
		ask->overlap = is_offset(walk);
	}
	return true;
}

/* ---- entering a page ---- */

static bool
fail_shifted(const CfdwWalk *walk, CfdwError *err)
{
	cfdw_fail(err, CFDW_ERR_SHIFTED, "the list has shifted: the page at the checkpoint no longer begins with the records that were read from it");
	cfdw_hint(err, "Records were removed or put in front, or the API does not know the paging parameter. Reading by %s needs a list in which new records come last and none goes away; else use checkpoint 'keys'.",
			  is_offset(walk) ? "offset" : "page number");
	return cfdw_walk_fail_at(walk->fetch, err);
}

/*
 * Offset pagination with a checkpoint asks one record early each time: the
 * last record handed up must come first, else the list has shifted.  A page
 * that holds this record alone is the end, unless the API says that there is
 * more or may serve one record a page; then the record after it is asked.
 */
static void
overlap_next(CfdwWalk *walk)
{
	CfdwFetch *fetch = walk->fetch;
	int count = fetch->page.count;
	bool alone = fetch->ask.overlap && count == 1;

	walk->largest = Max(walk->largest, count);
	if (!fetch->more)
		return;
	if (alone)
		fetch->more = walk->largest <= 1 || walk->spec.endpoint.has_more_path != NULL;
	else
	{
		fetch->next.step.number--;
		fetch->next.overlap = true;
	}
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
	position.page = walk->fetch->ask.step;
	position.has_next = false;
	cfdw_walk_keep_position(walk, &position);
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
confirm_page(CfdwWalk *walk, CfdwError *err)
{
	CfdwAsk ask;

	memset(&ask, 0, sizeof(ask));
	ask.step = walk->position.page;
	ask.reread = true;
	walk->confirming = true;
	return cfdw_walk_turn_to(walk, &ask, err);
}

static bool
enter_page(CfdwWalk *walk, CfdwError *err)
{
	CfdwFetch *fetch = walk->fetch;

	walk->unknown_seen = false;
	walk->rereading = is_offset(walk) ? fetch->ask.overlap : fetch->ask.reread;
	walk->had_keys = walk->rereading && (is_offset(walk) || cfdw_keys_count(walk->current) > 0);
	cfdw_keys_clear(walk->tally);
	if (is_offset(walk))
		overlap_next(walk);
	if (walk->rereading)
	{
		if (fetch->page.count == 0 && walk->had_keys && walk->spec.mode == CFDW_MODE_OFFSET)
			return fail_shifted(walk, err);
		return (walk->position.pages > 0 && !is_offset(walk)) || cfdw_walk_count_page(walk, false, err);
	}
	if (fetch->page.count > 0 && must_confirm(walk))
		return confirm_page(walk, err);
	if (!cfdw_walk_count_page(walk, true, err))
		return false;
	if (fetch->page.count > 0)
		enter_new_page(walk);
	walk->confirming = walk->confirming && fetch->page.count == 0;
	return true;
}

/* ---- offering a record ---- */

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
	const CfdwFetch *fetch = walk->fetch;

	if (fetch->ask.overlap && walk->offered == 1)
	{
		*hand_up = false;
		return strcmp(key, walk->anchor.data) == 0 || fail_shifted(walk, err);
	}
	*hand_up = !walk->spec.keyed ||
			   (!cfdw_keys_has(walk->previous, key) && cfdw_keys_add(walk->current, key));
	set_anchor(walk, key);
	walk->position.has_page = true;
	walk->position.page.kind = CFDW_STEP_NUMBER;
	walk->position.page.number = offset_of(walk, &fetch->ask.step) + walk->offered - 1;
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

static bool
offer_record(CfdwWalk *walk, const char *key, bool *hand_up, CfdwError *err)
{
	return is_offset(walk) ? offer_by_offset(walk, key, hand_up, err) : offer_by_key(walk, key, hand_up, err);
}

/* ---- where to go on ---- */

static void
settle_page(const CfdwWalk *walk, bool is_done, CfdwPosition *position)
{
	const CfdwFetch *fetch = walk->fetch;

	if (!is_done)
		return;
	if (is_page_number(walk) && fetch->page.count > 0)
		position->length = fetch->page.count;
	if (walk->confirming && walk->rereading)
		position->full = fetch->page.count;
	position->has_next = fetch->more && walk->spec.mode == CFDW_MODE_CURSOR;
	position->next = fetch->next.step;
	if (!fetch->more) /* the walk is over */
	{
		position->pages = 0;
		memset(&position->loop, 0, sizeof(position->loop));
	}
}

static bool
finish_walk(CfdwWalk *walk, CfdwPosition *position, CfdwAsk *ask, bool *again, CfdwError *err)
{
	return true; /* settle_page has closed it */
}

void
cfdw_walk_each_key(CfdwWalk *walk, void (*fn)(const char *key, void *arg), void *arg)
{
	if (!is_offset(walk))
		cfdw_keys_each(walk->current, fn, arg);
	else if (walk->position.has_page)
		fn(walk->anchor.data, arg);
}

const CfdwWalkRules cfdw_rules_append = {first_page, enter_page, offer_record, settle_page, finish_walk};

/* ---- mode none: everything, from the beginning, each time ---- */

static bool
enter_any(CfdwWalk *walk, CfdwError *err)
{
	return cfdw_walk_count_page(walk, true, err);
}

static bool
offer_any(CfdwWalk *walk, const char *key, bool *hand_up, CfdwError *err)
{
	return true;
}

static void
settle_nothing(const CfdwWalk *walk, bool is_done, CfdwPosition *position)
{
}

const CfdwWalkRules cfdw_rules_none = {first_page, enter_any, offer_any, settle_nothing, finish_walk};

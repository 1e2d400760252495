/*
 * walk_time.c
 *	  Rules of the mode timestamp: ask for what changed since the greatest
 *	  timestamp handed up.
 *
 * A walk hands up only what was there when it began: a record whose unit of
 * time was not over at `started` is left for the next walk, so that a unit is
 * either wholly in one walk or asked again.  `since` moves at the true end of
 * a walk and only up.  With record_order asc a walk re-anchors: after each
 * page it asks again from where that page ended, so nothing of a page is
 * stored and records that move to the end of the list meanwhile do no harm.
 */
#include "walk_rules.h"

#define FUTURE_US INT64CONST(300000000) /* a record dated so much after the response moves nothing */

static const CfdwTimeRules *
rules(const CfdwWalk *walk)
{
	return &walk->spec.time;
}

bool
cfdw_walk_is_anchored(const CfdwWalk *walk)
{
	/* without a filter in the request it would be the first page each time */
	return walk->spec.mode == CFDW_MODE_TIMESTAMP && rules(walk)->order == CFDW_ORDER_ASC && rules(walk)->filtered;
}

/* The unit that was open at a time of the server's clock, or later: everything before it is complete. */
static int64
complete_before(const CfdwWalk *walk, int64 clock)
{
	return rules(walk)->has_clock ? cfdw_tick_floor(clock, rules(walk)->granularity) : PG_INT64_MAX;
}

/* Dated so far after the response that it is no difference of clocks. */
static bool
is_far_ahead(const CfdwWalk *walk, const CfdwStamp *stamp)
{
	return stamp->exists && rules(walk)->has_clock && stamp->tick > walk->fetch->clock + FUTURE_US;
}

static CfdwStamp
at_most(CfdwStamp stamp, int64 tick)
{
	if (stamp.exists && stamp.tick > tick)
		return (CfdwStamp){true, tick, NULL};
	return stamp;
}

/* What a request must ask for to see everything from stamp on. */
static int64
asked_for(const CfdwWalk *walk, int64 tick, int64 lookback)
{
	int64 unit = Max(rules(walk)->granularity, rules(walk)->coarseness);

	return cfdw_tick_floor(cfdw_tick_before(cfdw_tick_before(tick, lookback), rules(walk)->exclusive ? unit : 0), unit);
}

/* ---- questions ---- */

static const char *
render(const CfdwWalk *walk, int64 tick)
{
	return rules(walk)->render(rules(walk)->arg, walk->question_arena, tick);
}

/* Ask from a stamp on: its own text where nothing is subtracted. */
static void
ask_from(CfdwWalk *walk, CfdwStamp stamp, int64 tick)
{
	CfdwQuestion question;

	memset(&question, 0, sizeof(question));
	question.numeric = rules(walk)->numeric;
	cfdw_arena_reset(walk->question_arena);
	walk->repeated = false;
	walk->asked.exists = stamp.exists;
	walk->asked.tick = cfdw_tick_floor(tick, rules(walk)->granularity);
	if (stamp.exists)
		question.since = stamp.text != NULL && tick == stamp.tick ? cfdw_strdup(walk->question_arena, stamp.text) : render(walk, tick);
	if (walk->position.until.exists)
		question.until = render(walk, walk->position.until.tick);
	walk->question = question;
}

/* What a walk asks at its beginning, and without asc all the way. */
static void
ask_since(CfdwWalk *walk)
{
	CfdwStamp since = walk->position.since;
	CfdwStamp initial = rules(walk)->initial;
	int64 tick = asked_for(walk, since.tick, rules(walk)->lookback);

	/* what is before the beginning was not wanted, and is not wanted as something late */
	if (!since.exists || (initial.exists && initial.tick <= since.tick && initial.tick > tick))
		ask_from(walk, initial, initial.tick);
	else
		ask_from(walk, since, tick);
}

/* record_order asc: everything before high has been handed up. */
static void
ask_anchor(CfdwWalk *walk, CfdwStamp high)
{
	int64 tick = asked_for(walk, high.tick, 0);

	if (!walk->asked.exists || tick > walk->asked.tick)
		ask_from(walk, high, tick);
}

/* Open the window that begins where the last one ended. */
static void
open_window(CfdwWalk *walk)
{
	CfdwStamp begin = cfdw_stamp_max(rules(walk)->initial, walk->position.since);
	CfdwPosition position = walk->position;

	if (rules(walk)->window == 0 || !rules(walk)->has_clock || position.until.exists)
		return;
	position.until.exists = true;
	position.until.tick = cfdw_tick_before(begin.tick, -rules(walk)->window);
	position.until.text = NULL;
	cfdw_walk_keep_position(walk, &position);
}

/* Somebody has put the position back by hand, to read again what is known. */
static void
forget_pruned(CfdwPosition *position)
{
	CfdwStamp reached = cfdw_stamp_max(position->since, position->high);

	if (!reached.exists || position->known_before.tick > reached.tick)
		position->known_before.exists = false;
}

static bool
first_page(CfdwWalk *walk, CfdwAsk *ask, CfdwError *err)
{
	forget_pruned(&walk->position);
	open_window(walk);
	ask_since(walk);
	if (cfdw_walk_is_anchored(walk) && walk->position.high.exists)
		ask_anchor(walk, walk->position.high);
	ask->question = walk->question;
	if (walk->position.has_next)
		ask->step = walk->position.next;
	else if (walk->position.has_page)
	{
		ask->step = walk->position.page;
		ask->reread = true;
	}
	return true;
}

/* ---- verdicts ---- */

static bool
fail_too_old(const CfdwWalk *walk, const CfdwStamp *stamp, CfdwError *err)
{
	cfdw_fail(err, CFDW_ERR_RECORD, "the API sent %s %s although %s was asked", rules(walk)->column,
			  stamp->text ? stamp->text : render(walk, stamp->tick), walk->question.since);
	cfdw_hint(err, "Check timestamp_param, timestamp_format and timezone: APIs ignore parameters that they do not know. If the API filters by another field, set timestamp_boundary to 'unchecked'.");
	return cfdw_walk_fail_at(walk->fetch, err);
}

/* Is the record before a bound?  Where the API filters by another field, its timestamp says nothing about that. */
static bool
is_before(const CfdwWalk *walk, const CfdwStamp *stamp, const CfdwStamp *bound)
{
	return stamp->exists && bound->exists && stamp->tick < bound->tick && !rules(walk)->unchecked;
}

/* Is the unit of time that it is dated in still open, as the walk sees it? */
static bool
is_in_open_unit(const CfdwWalk *walk, const CfdwStamp *stamp)
{
	return stamp->exists && rules(walk)->has_clock && !is_far_ahead(walk, stamp) &&
		   stamp->tick >= complete_before(walk, walk->position.started);
}

static bool
judge(const CfdwWalk *walk, CfdwFact *fact, CfdwError *err)
{
	const CfdwStamp *stamp = &fact->stamp;
	CfdwStamp coarse = {walk->asked.exists, cfdw_tick_before(walk->asked.tick, rules(walk)->coarseness), NULL};

	if (rules(walk)->filtered && is_before(walk, stamp, &coarse))
		return fail_too_old(walk, stamp, err);
	if (is_before(walk, stamp, &walk->asked))
		fact->verdict = CFDW_TOO_OLD;
	else if (fact->known || is_before(walk, stamp, &walk->position.known_before))
		fact->verdict = CFDW_KNOWN;
	else if (is_in_open_unit(walk, stamp))
		fact->verdict = CFDW_HELD_BACK;
	else
		fact->verdict = CFDW_HAND_UP;
	return true;
}

/* Judge the records of the page; *too_old: all of them are older than asked. */
static bool
judge_page(CfdwWalk *walk, bool *too_old, CfdwError *err)
{
	CfdwFetch *fetch = walk->fetch;

	cfdw_walk_describe(walk);
	*too_old = fetch->page.count > 0;
	for (int i = 0; i < fetch->page.count; i++)
	{
		if (!judge(walk, &fetch->facts[i], err))
			return false;
		*too_old = *too_old && fetch->facts[i].verdict == CFDW_TOO_OLD;
		walk->pass_news += fetch->facts[i].verdict == CFDW_HAND_UP;
	}
	return true;
}

/* ---- record_order asc: where the page leaves the anchor, and what comes next ---- */

static bool
fail_unit_too_long(const CfdwWalk *walk, CfdwError *err)
{
	cfdw_fail(err, CFDW_ERR_LIMIT, "the records of one unit of time fill a whole page, and there is no next page");
	cfdw_hint(err, "Set pagination, a larger page_size, or a finer timestamp_granularity if the API's timestamps have one.");
	return cfdw_walk_fail_at(walk->fetch, err);
}

/* Where nothing above it moves the anchor: still inside the lookback. */
static bool
is_looking_back(const CfdwWalk *walk, const CfdwStamp *stamp)
{
	const CfdwPosition *position = &walk->position;

	return stamp->exists && !position->high.exists && position->since.exists && stamp->tick <= position->since.tick;
}

/* The greatest timestamp of the page that counts. */
static CfdwStamp
top_of_page(const CfdwWalk *walk)
{
	const CfdwFetch *fetch = walk->fetch;
	CfdwStamp top = {false, 0, NULL};

	for (int i = 0; i < fetch->page.count; i++)
		if (!is_far_ahead(walk, &fetch->facts[i].stamp))
			top = cfdw_stamp_max(top, fetch->facts[i].stamp);
	return top;
}

/*
 * May the only page be cut off inside a unit of time?  Then the same question
 * brings the same page, and what is behind its end is never seen.  Without
 * page_size the largest page tells, if it still brought something new.
 */
static bool
is_cut_off(const CfdwWalk *walk, const CfdwStamp *top)
{
	int count = walk->fetch->page.count;
	int page_size = walk->spec.endpoint.page_size;

	if (!top->exists || top->tick >= complete_before(walk, walk->clock))
		return false;
	return page_size > 0 ? count >= page_size : walk->largest > 0 && count >= walk->largest && walk->pass_news > 0;
}

static bool
is_first(const CfdwFetch *fetch)
{
	return fetch->ask.step.kind == CFDW_STEP_FIRST;
}

/*
 * The pass ends, or would ask from further on.  May it?  Pages that go by
 * number shift when a record before them changes, so where the records of a
 * unit fill more than one, they are read again until nothing is new, and once
 * at least.  (Not those of a lookback in which nothing is new: that would
 * double the price of each walk.)
 */
static bool
must_repeat(const CfdwWalk *walk)
{
	const CfdwPosition *position = &walk->position;
	bool lookback = rules(walk)->lookback > 0 && !position->high.exists;

	if (is_first(walk->fetch) || !(walk->goal.exists || position->until.exists))
		return false; /* nothing would move */
	return walk->pass_news > 0 || !(walk->repeated || lookback);
}

static void
begin_pass(CfdwFetch *fetch)
{
	fetch->more = true;
	memset(&fetch->next.step, 0, sizeof(fetch->next.step)); /* FIRST */
}

static bool
plan_next(CfdwWalk *walk, CfdwError *err)
{
	CfdwFetch *fetch = walk->fetch;
	bool single = walk->spec.endpoint.pagination == CFDW_PAGINATION_NONE;
	CfdwStamp top = top_of_page(walk);
	CfdwStamp high;
	bool moved;

	walk->goal = at_most(top, complete_before(walk, walk->clock));
	if (is_looking_back(walk, &walk->goal))
		walk->goal.exists = false;
	high = cfdw_stamp_max(walk->position.high, walk->goal);
	moved = walk->goal.exists && (!walk->asked.exists || asked_for(walk, high.tick, 0) > walk->asked.tick);
	if ((!fetch->more || moved) && must_repeat(walk))
	{
		walk->goal.exists = false;
		walk->repeated = true;
		begin_pass(fetch);
		return true;
	}
	if (single && !moved && is_cut_off(walk, &top))
		return fail_unit_too_long(walk, err);
	walk->largest = Max(walk->largest, fetch->page.count);
	if (moved && (fetch->more || single))
	{
		ask_anchor(walk, high);
		begin_pass(fetch);
		fetch->next.question = walk->question;
	}
	return true;
}

static bool
enter_anchored(CfdwWalk *walk, CfdwError *err)
{
	CfdwFetch *fetch = walk->fetch;
	bool counted = walk->counts.pages == 1 && walk->position.pages > 0; /* by the statement before */
	bool too_old;

	if (is_first(fetch))
	{
		/* a pass may serve the same pages as the one before: it ends when nothing is new */
		memset(&walk->position.loop, 0, sizeof(walk->position.loop));
		memset(&walk->last, 0, sizeof(walk->last));
		walk->clock = fetch->clock;
		walk->pass_news = 0;
	}
	if (walk->position.started == 0)
		walk->position.started = fetch->clock;
	return (counted || cfdw_walk_count_page(walk, true, err)) && judge_page(walk, &too_old, err) && plan_next(walk, err);
}

/* ---- all orders ---- */

static bool
enter_page(CfdwWalk *walk, CfdwError *err)
{
	bool too_old;

	if (cfdw_walk_is_anchored(walk))
		return enter_anchored(walk, err);
	if (!cfdw_walk_take_page(walk, err) || !judge_page(walk, &too_old, err))
		return false;
	if (too_old && rules(walk)->order == CFDW_ORDER_DESC)
		walk->fetch->more = false; /* newest first: all that follows is older still */
	return true;
}

static bool
offer_record(CfdwWalk *walk, const char *key, bool *hand_up, CfdwError *err)
{
	walk->spec.store.deliver(walk->spec.store.arg, &walk->fetch->facts[walk->taken - 1]);
	return true;
}

/* asc, stopped inside the first page of a pass: the least timestamp left on it. */
static void
settle_inside(const CfdwWalk *walk, CfdwPosition *position)
{
	const CfdwFetch *fetch = walk->fetch;
	CfdwStamp least = {false, 0, NULL};

	if (!is_first(fetch))
		return;
	for (int i = walk->taken; i < fetch->page.count; i++)
	{
		const CfdwFact *fact = &fetch->facts[i];

		if (!fact->stamp.exists && fact->verdict == CFDW_HAND_UP)
			return; /* whether a later question would bring it is not known */
		if (fact->stamp.exists && (!least.exists || fact->stamp.tick < least.tick))
			least = fact->stamp;
	}
	least = at_most(least, complete_before(walk, walk->clock));
	if (!is_looking_back(walk, &least))
		position->high = cfdw_stamp_max(position->high, least);
}

/* The greatest timestamp handed up so far. */
static CfdwStamp
high_of_page(const CfdwWalk *walk)
{
	CfdwStamp high = walk->position.high;

	for (int i = 0; i < walk->taken; i++)
	{
		const CfdwFact *fact = &walk->fetch->facts[i];

		if (fact->verdict == CFDW_HAND_UP && !is_far_ahead(walk, &fact->stamp))
			high = cfdw_stamp_max(high, fact->stamp);
	}
	return high;
}

static void
settle_page(const CfdwWalk *walk, bool is_done, CfdwPosition *position)
{
	const CfdwFetch *fetch = walk->fetch;

	if (cfdw_walk_is_anchored(walk))
	{
		if (is_done)
			position->high = cfdw_stamp_max(position->high, walk->goal);
		else
			settle_inside(walk, position);
		return;
	}
	position->high = high_of_page(walk);
	if (!is_done)
		return;
	position->has_next = fetch->more;
	position->next = fetch->next.step;
}

/*
 * The pages are read to their end: since moves up to what was seen.  A window
 * that is in the past moves it to its own end, records or not, and the walk
 * goes on with the next one.
 */
static bool
finish_walk(CfdwWalk *walk, CfdwPosition *position, CfdwAsk *ask, bool *again, CfdwError *err)
{
	int64 cap = complete_before(walk, position->started);
	int64 pages = position->pages;
	bool past = position->until.exists && position->until.tick < cap;

	position->since = cfdw_stamp_max(position->since, past ? position->until : at_most(position->high, cap));
	position->high.exists = position->until.exists = false;
	cfdw_walk_forget_pages(position);
	if (!past)
	{
		position->started = 0;
		return true;
	}
	position->pages = pages;
	memset(&walk->last, 0, sizeof(walk->last));
	cfdw_walk_keep_position(walk, position);
	open_window(walk);
	ask_since(walk);
	*position = walk->position;
	ask->question = walk->question;
	*again = true;
	return true;
}

/* ---- what the store must keep ---- */

/* Entries that can be served again: those at or after the next question. */
static CfdwKeep
keep_by_time(const CfdwWalk *walk, const CfdwPosition *position, int64 *from)
{
	CfdwStamp base = position->since;

	if (cfdw_walk_is_anchored(walk) && position->started != 0)
		base = at_most(position->high.exists ? position->high : base, complete_before(walk, position->started));
	if (!base.exists || rules(walk)->unchecked) /* the API filters by another field: an old record may come at any time */
		return CFDW_KEEP_ALL;
	*from = asked_for(walk, base.tick, rules(walk)->lookback);
	return CFDW_KEEP_FROM;
}

CfdwKeep
cfdw_walk_keep_at(const CfdwWalk *walk, const CfdwPosition *position, int64 *from)
{
	switch (walk->spec.mode)
	{
		case CFDW_MODE_TIMESTAMP:
			return keep_by_time(walk, position, from);
		case CFDW_MODE_SYNC_TOKEN: /* what the token covers does not come again */
			return position->started != 0 ? CFDW_KEEP_ALL : CFDW_KEEP_NONE;
		default:
			return CFDW_KEEP_ALL;
	}
}

const CfdwWalkRules cfdw_rules_time = {first_page, enter_page, offer_record, settle_page, finish_walk};

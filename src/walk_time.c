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

static bool
is_asc(const CfdwWalk *walk)
{
	return rules(walk)->order == CFDW_ORDER_ASC;
}

/* The unit that was open at a time of the server's clock, or later: everything before it is complete. */
static int64
complete_before(const CfdwWalk *walk, int64 clock)
{
	return rules(walk)->has_clock ? cfdw_tick_floor(clock, rules(walk)->granularity) : PG_INT64_MAX;
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
	stamp = cfdw_stamp_copy(walk->fetch ? walk->fetch->arena : walk->arena, &stamp);
	cfdw_arena_reset(walk->question_arena);
	walk->asked.exists = stamp.exists;
	walk->asked.tick = tick;
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

	if (since.exists)
		ask_from(walk, since, asked_for(walk, since.tick, rules(walk)->lookback));
	else
		ask_from(walk, rules(walk)->initial, rules(walk)->initial.tick);
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

	if (rules(walk)->window == 0 || position.until.exists)
		return;
	position.until.exists = true;
	position.until.tick = cfdw_tick_before(begin.tick, -rules(walk)->window);
	position.until.text = NULL;
	cfdw_walk_keep_position(walk, &position);
}

static bool
first_page(CfdwWalk *walk, CfdwAsk *ask, CfdwError *err)
{
	open_window(walk);
	ask_since(walk);
	if (is_asc(walk) && walk->position.high.exists)
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
			  stamp->text ? stamp->text : render(walk, stamp->tick), walk->question.since ? walk->question.since : "a later one");
	cfdw_hint(err, "Check timestamp_param, timestamp_format and timezone: APIs ignore parameters that they do not know. If the API filters by another field, set timestamp_boundary to 'unchecked'.");
	return cfdw_walk_fail_at(walk->fetch, err);
}

static bool
judge(const CfdwWalk *walk, CfdwFact *fact, int64 clock, CfdwError *err)
{
	const CfdwStamp *stamp = &fact->stamp;
	bool open_unit = stamp->exists && stamp->tick >= complete_before(walk, walk->position.started);

	if (stamp->exists && walk->asked.exists && stamp->tick < walk->asked.tick && !rules(walk)->unchecked)
	{
		if (rules(walk)->filtered && stamp->tick < cfdw_tick_before(walk->asked.tick, rules(walk)->coarseness))
			return fail_too_old(walk, stamp, err);
		fact->verdict = CFDW_TOO_OLD;
	}
	else if (fact->known)
		fact->verdict = CFDW_KNOWN;
	else if (open_unit && stamp->tick <= clock + FUTURE_US)
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
	int64 clock = cfdw_walk_clock(fetch->response);

	cfdw_walk_describe(walk);
	*too_old = fetch->page.count > 0;
	for (int i = 0; i < fetch->page.count; i++)
	{
		if (!judge(walk, &fetch->facts[i], clock, err))
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

/* The anchor after this page: its greatest timestamp, but nothing of a unit that is not over. */
static CfdwStamp
goal_of_page(const CfdwWalk *walk)
{
	const CfdwFetch *fetch = walk->fetch;
	const CfdwPosition *position = &walk->position;
	int64 cap = complete_before(walk, walk->clock);
	CfdwStamp top = {false, 0, NULL};

	for (int i = 0; i < fetch->page.count; i++)
		top = cfdw_stamp_max(top, fetch->facts[i].stamp);
	if (top.exists && !position->high.exists && position->since.exists && top.tick <= position->since.tick)
		top.exists = false; /* still inside the lookback */
	if (top.exists && top.tick > cap)
	{
		top.tick = cap;
		top.text = NULL;
	}
	return top;
}

static bool
plan_next(CfdwWalk *walk, CfdwError *err)
{
	CfdwFetch *fetch = walk->fetch;
	bool single = walk->spec.endpoint.pagination == CFDW_PAGINATION_NONE;
	bool first = fetch->ask.step.kind == CFDW_STEP_FIRST;
	CfdwStamp goal = goal_of_page(walk);
	CfdwStamp high = cfdw_stamp_max(walk->position.high, goal);
	bool moved = goal.exists && (!walk->asked.exists || asked_for(walk, high.tick, 0) > walk->asked.tick);
	CfdwStep start = {CFDW_STEP_FIRST, NULL, 0};

	walk->goal = goal;
	if (!first && walk->pass_news > 0 && (!fetch->more || moved))
	{
		/* the pages of one unit: again, until a pass brings nothing new */
		walk->goal.exists = false;
		fetch->more = true;
		fetch->next.step = start;
		return true;
	}
	if (single && !moved && fetch->page.count > 1 && fetch->page.count >= walk->largest && walk->pass_news > 0 && walk->largest > 0)
		return fail_unit_too_long(walk, err);
	walk->largest = Max(walk->largest, fetch->page.count);
	if (moved && (fetch->more || single))
	{
		ask_anchor(walk, high);
		fetch->more = true;
		fetch->next.step = start;
		fetch->next.question = walk->question;
	}
	return true;
}

static bool
enter_asc(CfdwWalk *walk, CfdwError *err)
{
	CfdwFetch *fetch = walk->fetch;
	bool first = fetch->ask.step.kind == CFDW_STEP_FIRST;
	bool too_old;

	if (first)
	{
		walk->clock = cfdw_walk_clock(fetch->response);
		walk->pass_news = 0;
	}
	/* a pass may begin with the same bytes as the one before: it ends when nothing is new */
	return cfdw_walk_count_page(walk, !first, err) && judge_page(walk, &too_old, err) && plan_next(walk, err);
}

/* ---- all orders ---- */

static bool
enter_other(CfdwWalk *walk, CfdwError *err)
{
	CfdwFetch *fetch = walk->fetch;
	CfdwPosition position;
	bool too_old;

	walk->rereading = walk->fetch->ask.reread;
	if (walk->rereading ? walk->position.pages == 0 && !cfdw_walk_count_page(walk, false, err) :
						  !cfdw_walk_count_page(walk, true, err))
		return false;
	position = walk->position;
	if (fetch->page.count > 0)
	{
		position.has_page = true;
		position.page = fetch->ask.step;
		position.has_next = false;
		cfdw_walk_keep_position(walk, &position);
	}
	if (!judge_page(walk, &too_old, err))
		return false;
	if (too_old && rules(walk)->order == CFDW_ORDER_DESC)
		fetch->more = false; /* newest first: all that follows is older still */
	return true;
}

static bool
enter_page(CfdwWalk *walk, CfdwError *err)
{
	if (walk->position.started == 0)
		walk->position.started = cfdw_walk_clock(walk->fetch->response);
	return is_asc(walk) ? enter_asc(walk, err) : enter_other(walk, err);
}

static bool
offer_record(CfdwWalk *walk, const char *key, bool *hand_up, CfdwError *err)
{
	const CfdwFact *fact = &walk->fetch->facts[walk->taken - 1];
	bool future = rules(walk)->has_clock && fact->stamp.exists &&
				  fact->stamp.tick > cfdw_walk_clock(walk->fetch->response) + FUTURE_US;

	walk->spec.store.deliver(walk->spec.store.arg, fact);
	if (!is_asc(walk) && !future && fact->stamp.exists &&
		(!walk->position.high.exists || fact->stamp.tick > walk->position.high.tick))
	{
		CfdwPosition position = walk->position;

		position.high = fact->stamp;
		cfdw_walk_keep_position(walk, &position);
	}
	return true;
}

/* asc, stopped inside the first page of a pass: the least timestamp left on it. */
static void
settle_inside(const CfdwWalk *walk, CfdwPosition *position)
{
	const CfdwFetch *fetch = walk->fetch;
	int64 cap = complete_before(walk, walk->clock);
	CfdwStamp least = {false, 0, NULL};

	if (fetch->ask.step.kind != CFDW_STEP_FIRST)
		return;
	for (int i = walk->taken; i < fetch->page.count; i++)
	{
		const CfdwStamp *stamp = &fetch->facts[i].stamp;

		if (stamp->exists && (!least.exists || stamp->tick < least.tick))
			least = *stamp;
	}
	if (!least.exists)
		return;
	if (!position->high.exists && position->since.exists && least.tick <= position->since.tick)
		return;
	if (least.tick > cap)
	{
		least.tick = cap;
		least.text = NULL;
	}
	position->high = cfdw_stamp_max(position->high, least);
}

static void
settle_page(const CfdwWalk *walk, bool is_done, CfdwPosition *position)
{
	const CfdwFetch *fetch = walk->fetch;

	if (is_asc(walk))
	{
		if (is_done)
			position->high = cfdw_stamp_max(position->high, walk->goal);
		else
			settle_inside(walk, position);
		return;
	}
	if (!is_done)
		return;
	position->has_next = fetch->more;
	position->next = fetch->next.step;
}

/* The walk is over: since moves up to what it has seen; a window that is in the past moves it to its end. */
static bool
finish_walk(CfdwWalk *walk, CfdwPosition *position, CfdwAsk *ask, bool *again, CfdwError *err)
{
	int64 cap = complete_before(walk, position->started);
	CfdwStamp high = position->high;
	bool past = position->until.exists && position->until.tick < cap;

	if (high.exists && high.tick > cap)
	{
		high.tick = cap;
		high.text = NULL;
	}
	position->since = past ? cfdw_stamp_max(position->since, position->until) : cfdw_stamp_max(position->since, high);
	memset(&position->high, 0, sizeof(position->high));
	memset(&position->until, 0, sizeof(position->until));
	memset(&position->loop, 0, sizeof(position->loop));
	memset(&walk->last, 0, sizeof(walk->last));
	position->has_page = position->has_next = false;
	position->pages = 0;
	position->started = 0;
	if (!past)
		return true;
	/* the next window, in the same statement */
	cfdw_walk_keep_position(walk, position);
	open_window(walk);
	ask_since(walk);
	*position = walk->position;
	ask->question = walk->question;
	*again = true;
	return true;
}

/*
 * Entries that can be served again: those at or after the next question; of
 * an open walk all, as its pages may come again, except with asc.
 */
CfdwKeep
cfdw_walk_keep(const CfdwWalk *walk, int64 *from)
{
	CfdwPosition position = cfdw_walk_position(walk);
	CfdwStamp base = position.since;

	if (walk->spec.mode == CFDW_MODE_KEYS || (position.started != 0 && !is_asc(walk)))
		return CFDW_KEEP_ALL;
	if (walk->spec.mode == CFDW_MODE_SYNC_TOKEN)
		return CFDW_KEEP_NONE;
	if (position.started != 0)
	{
		int64 cap = complete_before(walk, position.started);

		if (position.high.exists)
			base = position.high;
		if (base.exists && base.tick > cap)
			base.tick = cap;
	}
	if (!base.exists)
		return CFDW_KEEP_ALL;
	*from = asked_for(walk, base.tick, rules(walk)->lookback);
	return CFDW_KEEP_FROM;
}

const CfdwWalkRules cfdw_rules_time = {first_page, enter_page, offer_record, settle_page, finish_walk};

/*
 * walk_set.c
 *	  Rules of the modes sync_token and keys: all pages of a list of any
 *	  order, of which the store knows the records that were handed up.
 *
 * sync_token: the API sends what changed since the token; the pages of one
 * walk carry the token for the next.  keys: the whole list each time.
 */
#include "walk_rules.h"

static bool
uses_token(const CfdwWalk *walk)
{
	return walk->spec.mode == CFDW_MODE_SYNC_TOKEN;
}

/* The token as a request of its own: it is a URL. */
static bool
ask_by_token(CfdwWalk *walk, CfdwAsk *ask, CfdwError *err)
{
	char *url;

	if (!cfdw_step_cursor_text(walk->question_arena, walk->position.sync_token, &url, err))
		return false;
	ask->step.kind = CFDW_STEP_URL;
	ask->step.text = url;
	return true;
}

static bool
first_page(CfdwWalk *walk, CfdwAsk *ask, CfdwError *err)
{
	const CfdwPosition *position = &walk->position;
	bool by_param = walk->spec.endpoint.sync_token_param != NULL;

	if (uses_token(walk) && by_param)
		ask->question.sync_token = position->sync_token;
	if (position->has_next)
		ask->step = position->next;
	else if (position->has_page)
	{
		ask->step = position->page;
		ask->reread = true;
	}
	else if (uses_token(walk) && !by_param && position->sync_token != NULL)
		return ask_by_token(walk, ask, err);
	return true;
}

/* The last page that has a token counts; newest first: the first page. */
static bool
find_token(CfdwWalk *walk, CfdwError *err)
{
	const CfdwFetch *fetch = walk->fetch;
	CfdwPosition position = walk->position;
	const char *token;

	if (!cfdw_pagination_sync_token(walk->pagination, fetch->arena, fetch->response, &fetch->page, &token, err))
		return cfdw_walk_fail_at(fetch, err);
	if (token == NULL || (walk->spec.order == CFDW_ORDER_DESC && position.next_sync_token != NULL))
		return true;
	position.next_sync_token = token;
	cfdw_walk_keep_position(walk, &position);
	return true;
}

static bool
enter_page(CfdwWalk *walk, CfdwError *err)
{
	CfdwFetch *fetch = walk->fetch;

	if (!cfdw_walk_take_page(walk, err) || (uses_token(walk) && !find_token(walk, err)))
		return false;
	cfdw_walk_describe(walk);
	for (int i = 0; i < fetch->page.count; i++)
		fetch->facts[i].verdict = fetch->facts[i].known ? CFDW_KNOWN : CFDW_HAND_UP;
	return true;
}

static bool
offer_record(CfdwWalk *walk, const char *key, bool *hand_up, CfdwError *err)
{
	walk->spec.store.deliver(walk->spec.store.arg, &walk->fetch->facts[walk->taken - 1]);
	return true;
}

static void
settle_page(const CfdwWalk *walk, bool is_done, CfdwPosition *position)
{
	if (!is_done)
		return;
	position->has_next = walk->fetch->more;
	position->next = walk->fetch->next.step;
}

/* Close the walk; the next one begins afresh, or with the token found. */
static bool
finish_walk(CfdwWalk *walk, CfdwPosition *position, CfdwAsk *ask, bool *again, CfdwError *err)
{
	bool empty = !position->has_page; /* no page of the walk had records */

	if (uses_token(walk) && position->next_sync_token == NULL && !(empty && position->sync_token != NULL))
	{
		cfdw_fail(err, CFDW_ERR_MISSING, "no page of the walk has a token for the next one at sync_token_path");
		cfdw_hint(err, "Check sync_token_path; without a token the next load could not go on from here.");
		return cfdw_walk_fail_at(walk->fetch, err);
	}
	if (position->next_sync_token != NULL)
		position->sync_token = position->next_sync_token;
	cfdw_walk_forget_pages(position);
	position->started = 0;
	return true;
}

const CfdwWalkRules cfdw_rules_set = {first_page, enter_page, offer_record, settle_page, finish_walk};

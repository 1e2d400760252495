/*
 * walk_time_test.c
 *	  The mode timestamp against an API that changes between requests.
 *
 * The rules are those of the model that the design was found with; what it
 * loses here, no client can see (a delete that shifts an unread record to a
 * page already read; more changes in one unit than fit a page).
 */
#include "walk_store.h"

/*
 * Of each case, in one run; ten times as many of those that the others vary.
 * HISTORIES=4000 in the environment looks harder.
 */
#define HISTORIES 40

#define ASC  CFDW_ORDER_ASC
#define DESC CFDW_ORDER_DESC
#define NONE CFDW_ORDER_NONE

typedef struct Case
{
	const char *name;
	CfdwOrder order;
	Paging paging;
	const char *ops; /* words, one of which is drawn */
	bool core;
	int64 lookback;
	int64 window; /* units */
	bool changing;
	bool restarts;
	bool deaf;
	bool by_arrival;
	bool sequence;
	bool unordered; /* the table does not say what the order is */
	bool may_twice; /* nothing is held back without a clock, so a record may come again in one statement */
	int may_lose;   /* of 100 histories */
	int may_stop;   /* of 100 histories: with an error */
} Case;

static const Case cases[] = {
	{"asc token", ASC, BY_TOKEN, "c ccu ccud", .core = true},
	{"asc link", ASC, BY_LINK, "c ccu ccud", .core = true, .may_lose = 1},
	{"asc number", ASC, BY_NUMBER, "c ccu ccud", .may_lose = 1},
	{"asc offset", ASC, BY_OFFSET, "c ccu ccud", .may_lose = 1, .may_stop = 5},
	{"asc single", ASC, SINGLE, "c ccu ccud"},
	{"desc token", DESC, BY_TOKEN, "c ccu ccud", .core = true},
	{"desc link", DESC, BY_LINK, "c ccu"},
	{"desc link delete", DESC, BY_LINK, "ccud", .may_lose = 20},
	{"desc number", DESC, BY_NUMBER, "c ccu"},
	{"desc offset", DESC, BY_OFFSET, "c ccu", .may_stop = 20},
	{"none token", NONE, BY_TOKEN, "c ccu ccud", .core = true},
	{"none link", NONE, BY_LINK, "c ccu", .core = true},
	{"none link delete", NONE, BY_LINK, "ccud", .may_lose = 20},
	{"none number", NONE, BY_NUMBER, "c ccu"},
	{"none offset", NONE, BY_OFFSET, "c ccu", .may_stop = 5},
	{"none single", NONE, SINGLE, "c ccu ccud"},
	{"undeclared token", ASC, BY_TOKEN, "c ccu ccud", .unordered = true},

	{"asc token late", ASC, BY_TOKEN, "ccl ccul", .lookback = 7},
	{"asc link late", ASC, BY_LINK, "ccl ccul", .lookback = 7, .may_lose = 1},
	{"desc token late", DESC, BY_TOKEN, "ccl ccul", .lookback = 7},
	{"none token late", NONE, BY_TOKEN, "ccl ccul", .lookback = 7},
	{"asc token odd times", ASC, BY_TOKEN, "ccuf ccun ccufn"},
	{"asc link odd times", ASC, BY_LINK, "ccuf ccun ccufn", .may_lose = 1},
	{"desc token odd times", DESC, BY_TOKEN, "ccuf ccun ccufn"},
	{"none token odd times", NONE, BY_TOKEN, "ccuf ccun ccufn"},

	{"asc token expires", ASC, BY_TOKEN, "c ccu ccud", .restarts = true},
	{"desc token expires", DESC, BY_TOKEN, "c ccu ccud", .restarts = true},
	{"desc link expires", DESC, BY_LINK, "c ccu", .restarts = true},
	{"none token expires", NONE, BY_TOKEN, "c ccu ccud", .restarts = true},
	{"none number expires", NONE, BY_NUMBER, "c ccu", .restarts = true},

	{"asc token changing", ASC, BY_TOKEN, "c", .lookback = 3, .changing = true},
	{"desc token changing", DESC, BY_TOKEN, "c", .lookback = 3, .changing = true},
	{"none token changing", NONE, BY_TOKEN, "c", .lookback = 3, .changing = true},

	{"asc token window", ASC, BY_TOKEN, "c ccu ccud", .window = 5},
	{"asc number window", ASC, BY_NUMBER, "c ccu ccud", .window = 5, .may_lose = 1},
	{"desc token window", DESC, BY_TOKEN, "c ccu ccud", .window = 5},
	{"none token window", NONE, BY_TOKEN, "c ccu ccud", .window = 5},
	{"asc token window late", ASC, BY_TOKEN, "ccl ccul", .window = 5, .lookback = 7},
	{"none token window late", NONE, BY_TOKEN, "ccl ccul", .window = 5, .lookback = 7},

	{"asc token deaf", ASC, BY_TOKEN, "c ccu ccud", .deaf = true},
	{"asc number deaf", ASC, BY_NUMBER, "c", .deaf = true},
	{"asc number deaf update", ASC, BY_NUMBER, "ccu", .deaf = true, .may_lose = 30},
	{"desc token deaf", DESC, BY_TOKEN, "c ccu ccud", .deaf = true},
	{"desc link deaf", DESC, BY_LINK, "c ccu", .deaf = true},
	{"none token deaf", NONE, BY_TOKEN, "c ccu ccud", .deaf = true},

	{"asc token by arrival", ASC, BY_TOKEN, "c ccl", .by_arrival = true},
	{"none token by arrival", NONE, BY_TOKEN, "c ccl", .by_arrival = true},
	{"asc token sequence", ASC, BY_TOKEN, "c ccu ccud", .sequence = true, .may_twice = true},
	{"asc link sequence", ASC, BY_LINK, "c ccu ccud", .sequence = true, .may_twice = true, .may_lose = 1},
};

static const char *
draw_word(const char *words)
{
	static char word[10];
	int count = 1;

	for (const char *c = words; *c != '\0'; c++)
		count += *c == ' ';
	for (int skip = draw(count); skip > 0; skip--)
		words = strchr(words, ' ') + 1;
	snprintf(word, sizeof(word), "%.*s", (int) strcspn(words, " "), words);
	return word;
}

static void
begin_api(const Case *c)
{
	static const int limits[] = {1, 2, 3, 5};

	api_begin(c->order, c->paging, limits[draw(4)]);
	if (c->paging == BY_NUMBER || c->paging == BY_OFFSET)
		api.limit += 2; /* a list that grows at its head as fast as it is read looks like one that ignores the page */
	if (c->paging == SINGLE)
		api.limit = 0;
	api.granularity = draw(4) == 0 ? 10 : 1;
	api.exclusive = draw(3) == 0;
	api.fine = draw(3) == 0;
	api.deaf = c->deaf;
	api.by_arrival = c->by_arrival;
	api.changing = c->changing;
	api.sequence = c->sequence;
	api.ops = draw_word(c->ops);
	api.budget = 30;
	if (c->paging == SINGLE && c->order == ASC && !api.exclusive && draw(2))
	{
		/* cut off: fine if a unit has one record */
		api.fine = true;
		api.granularity = 1;
		api.limit = 2;
	}
	if (c->by_arrival || c->sequence)
		api.granularity = 1;
}

static void
begin_history(const Case *c, unsigned int seed)
{
	static const int pauses[] = {0, 1, 1, 3};

	random_state = seed * 2654435761u + 1;
	begin_api(c);
	table_begin(CFDW_MODE_TIMESTAMP);
	if (c->unordered)
		table.order = NONE;
	table.exclusive = api.exclusive || draw(3) == 0; /* asking earlier than need be does no harm */
	table.unchecked = c->by_arrival;
	table.lookback = c->lookback;
	table.window = c->window * api.granularity;
	table.initial = c->window > 0 ? api.clock - 20 : 0;
	table.restarts = c->restarts;
	if (api.limit == 2 && c->paging == SINGLE)
		table.exclusive = false;
	for (int n = draw(10); n > 0; n--)
	{
		api_create(api.clock);
		api.clock += api.fine ? 1 + draw(3) : pauses[draw(4)];
	}
	store_begin();
}

/* Say which history of a case was the first that was not well. */
static void
note(Outcome *outcome, const Case *c, unsigned int seed, const CfdwError *err)
{
	if (outcome->seed != 0)
		return;
	outcome->seed = seed;
	printf("# %s, seed %u: %s\n", c->name, seed, err->kind != CFDW_OK ? err->message : "not as it should be");
}

static void
play(const Case *c, unsigned int seed, Outcome *outcome)
{
	Outcome before = *outcome;
	CfdwError err;
	int rest;

	memset(&err, 0, sizeof(err));
	begin_history(c, seed);
	rest = run_some(2 + draw(7), outcome, &err) < 0 ? -1 : run_until_quiet(&err);
	if (rest == 0)
		judge(outcome, false);
	else if (rest < 0 && err.kind != CFDW_ERR_INTERNAL)
		outcome->failed++;
	else
		outcome->stuck++;
	if (memcmp(&before, outcome, sizeof(before)) != 0)
		note(outcome, c, seed, &err);
}

static void
test_case(const Case *c, int histories)
{
	Outcome outcome;

	memset(&outcome, 0, sizeof(outcome));
	for (int seed = 1; seed <= histories; seed++)
		play(c, (unsigned int) seed, &outcome);
	printf("# %-24s %d histories: lost %d, doubled %d, twice %d, stuck %d, errors %d\n", c->name, histories,
		   outcome.lost, outcome.doubled, outcome.twice, outcome.stuck, outcome.failed);
	CHECK_CASE(outcome.lost * 100 <= c->may_lose * (histories + 100), c->name);
	CHECK_CASE(outcome.doubled == 0, c->name);
	CHECK_CASE(c->may_twice || outcome.twice == 0, c->name);
	CHECK_CASE(outcome.stuck == 0, c->name);
	CHECK_CASE(outcome.failed * 100 <= c->may_stop * (histories + 100), c->name);
}

/* By hand: the name of a case, to see that one alone. */
int
main(int argc, char **argv)
{
	const char *wanted = getenv("HISTORIES");
	int histories = wanted ? atoi(wanted) : 0;

	for (size_t i = 0; i < lengthof(cases); i++)
		if (argc == 1 || strcmp(argv[1], cases[i].name) == 0)
			test_case(&cases[i], histories > 0 ? histories : cases[i].core ? 10 * HISTORIES :
																			 HISTORIES);
	store_end();
	return unit_done("walk_time");
}

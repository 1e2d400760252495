/*
 * walk_time_rules_test.c
 *	  The rules of the mode timestamp one by one: what is asked, what is handed
 *	  up, and where the position stands afterwards.
 */
#include "walk_store.h"

#define ASC  CFDW_ORDER_ASC
#define DESC CFDW_ORDER_DESC
#define NONE CFDW_ORDER_NONE

/* ---- what is asked ---- */

static void
test_since(void)
{
	static const struct
	{
		bool exclusive;
		int64 granularity;
		int64 lookback;
		int64 time; /* of the last record */
		const char *asked;
	} cases[] = {
		{false, 1, 0, 1007, "since=1007"}, /* its own text */
		{true, 1, 0, 1007, "since=1006r"},
		{false, 1, 7, 1007, "since=1000r"},
		{true, 1, 7, 1007, "since=999r"},
		{false, 10, 0, 1007, "since=1000r"}, /* rounded down */
		{true, 10, 0, 1007, "since=990r"},
		{false, 10, 0, 1010, "since=1010"},
		{true, 10, 25, 1010, "since=970r"},
		{false, 60, 1, 1020, "since=960r"},
	};

	for (size_t i = 0; i < lengthof(cases); i++)
	{
		begin(NONE, BY_TOKEN, 5);
		table.marked = true;
		table.exclusive = cases[i].exclusive;
		table.granularity = cases[i].granularity;
		table.lookback = cases[i].lookback;
		add(cases[i].time, cases[i].time);
		CHECK_INT(load(-1), 1);
		CHECK_STR(api.log, "-");
		CHECK_INT(load(-1), 0);
		CHECK_STR(api.log, cases[i].asked);
	}
}

/* The first walk asks from timestamp_initial, with nothing subtracted. */
static void
test_initial(void)
{
	begin(NONE, BY_TOKEN, 2);
	table.initial = 1002;
	table.lookback = 10;
	table.exclusive = true;
	add(1000, 1005);
	CHECK_INT(load(-1), 4);
	CHECK_STR(api.log, "since=1002 at=0_4&since=1002");
	CHECK_INT(load(-1), 0);
	CHECK_STR(api.log, "since=1002 at=0_4&since=1002"); /* not what was before it */
	add(1013, 1013);
	CHECK_INT(load(-1), 1);
	CHECK_INT(load(-1), 0);
	CHECK_STR(api.log, "since=1002 at=0_4&since=1002 at=0_6&since=1002");
	table.lookback = 8;
	CHECK_INT(load(-1), 0);
	CHECK_STR(api.log, "since=1004 at=0_6&since=1004");
}

/* asc: after each page from where it ended; the lookback counts at the start of a walk only. */
static void
test_anchors(void)
{
	begin(ASC, BY_TOKEN, 2);
	add(1000, 1004);
	CHECK_INT(load(-1), 5);
	CHECK_STR(api.log, "- since=1001 since=1002 since=1003");
	table.lookback = 2;
	add(1005, 1007);
	CHECK_INT(load(-1), 3);
	CHECK_STR(api.log, "since=1002 at=1003_4&since=1002 since=1002 at=1003_4&since=1002 since=1005 since=1006");
}

/* asc without a filter in the request: as any other list. */
static void
test_unfiltered_asc(void)
{
	begin(ASC, BY_TOKEN, 2);
	table.filtered = false;
	add(1000, 1004);
	CHECK_INT(load(-1), 5);
	CHECK_STR(api.log, "- at=1001_2 at=1003_4");
	add(1005, 1005);
	CHECK_INT(load(-1), 1);
	CHECK_INT(last.counts.skipped, 5);
}

/* asc, stopped inside a page: the least timestamp left on it. */
static void
test_stop_inside(void)
{
	begin(ASC, BY_TOKEN, 4);
	add(1000, 1005);
	CHECK_INT(load(2), 2);
	CHECK(position_has_time("high", 1002));
	CHECK(!position_has("\"since\""));
	CHECK(!position_has("\"page\""));
	CHECK_INT(load(1), 1);
	CHECK_STR(api.log, "since=1002");
	CHECK_INT(load(-1), 3);
	CHECK_STR(api.log, "since=1003");
	CHECK(position_has_time("since", 1005));
}

/* … but a record without a timestamp may not come again when a later time is asked. */
static void
test_stop_before_null(void)
{
	begin(ASC, BY_TOKEN, 4);
	add(1000, 1001);
	api_create(NO_TIME);
	CHECK_INT(load(1), 1);
	CHECK(!position_has("\"high\""));
	CHECK_INT(load(-1), 2);
	CHECK_STR(api.log, "-");
}

static void
test_stop_inside_open_unit(void)
{
	begin(ASC, BY_TOKEN, 4);
	add(1000, 1000);
	api_create(api.clock);
	CHECK_INT(load(-1), 1);
	CHECK_INT(last.counts.held_back, 1);
	CHECK(position_has_time("since", api.clock)); /* all before it has been seen */
	add(api.clock - 1, api.clock - 1);
	CHECK_INT(load(-1), 0);
	api.clock++;
	CHECK_INT(load(-1), 1);
}

/* ---- one unit on several pages ---- */

static void
test_long_unit(void)
{
	begin(ASC, BY_LINK, 2);
	for (int i = 0; i < 5; i++)
		api_create(1000);
	add(1001, 1001);
	CHECK_INT(load(-1), 6);
	CHECK_STR(api.log, "- since=1000 since=1000&at=1 since=1000&at=2 since=1000 since=1000&at=1 since=1000&at=2");
	CHECK_INT(load(-1), 0);
	CHECK_STR(api.log, "since=1001");
}

/* At the beginning of a walk they are read once, if nothing is new: nothing would move. */
static void
test_long_unit_at_rest(void)
{
	begin(ASC, BY_LINK, 2);
	for (int i = 0; i < 5; i++)
		api_create(1000);
	CHECK_INT(load(-1), 5);
	CHECK_INT(load(-1), 0);
	CHECK_STR(api.log, "since=1000 since=1000&at=1 since=1000&at=2");
}

static int
load_single(int page_size, int64 first, int before, int same)
{
	begin(ASC, SINGLE, 3);
	table.page_size = page_size;
	add(first - before, first - 1);
	for (int i = 0; i < same; i++)
		api_create(first);
	return load(-1);
}

static void
test_long_unit_without_next(void)
{
	CHECK_INT(load_single(3, 1000, 4, 2), 6);
	CHECK_STR(api.log, "- since=998 since=1000");
	CHECK_INT(load_single(0, 1000, 4, 2), 6);

	/* a page of the unit is full: more of it may have been cut off */
	CHECK_INT(load_single(3, 1000, 0, 3), -1);
	CHECK_INT(err.kind, CFDW_ERR_LIMIT);
	CHECK_STR(err.message, "the records of one unit of time fill a whole page, and there is no next page");
	CHECK(strncmp(err.detail, "URL: http://127.0.0.1/list?since=1000", 37) == 0);
	CHECK_STR(store->position, "");
	/* how many fit is not known, but a page as long as any was all new */
	CHECK_INT(load_single(0, 1000, 2, 4), -1);
	CHECK_INT(err.kind, CFDW_ERR_LIMIT);
	/* a list of one unit, which nobody said to be cut */
	CHECK_INT(load_single(0, 1000, 0, 3), 3);

	/* a full page that ends in the open unit has all that is complete */
	begin(ASC, SINGLE, 3);
	table.page_size = 3;
	for (int i = 0; i < 3; i++)
		api_create(api.clock);
	CHECK_INT(load(-1), 0);
	CHECK_INT(last.counts.held_back, 6);
}

/* ---- what is handed up ---- */

/* A unit that is not over is left for the next walk; one dated far ahead is not, and moves nothing. */
static void
test_held_back(void)
{
	static const CfdwOrder orders[] = {ASC, DESC, NONE};

	for (size_t i = 0; i < lengthof(orders); i++)
	{
		begin(orders[i], BY_TOKEN, 10);
		add(api.clock - 1, api.clock);
		api_create(api.clock + 60);
		api_create(api.clock + 3600);
		CHECK_INT(load(-1), 2);
		CHECK_INT(last.counts.held_back, 2);
		CHECK_INT(store->versions[1], 1);
		CHECK_INT(store->versions[4], 1);
		CHECK(position_has_time("since", orders[i] == ASC ? api.clock : api.clock - 1));
		api.clock += 61;
		CHECK_INT(load(-1), 2);
		CHECK_INT(store->versions[4], 1);
	}
}

/* A response that takes five seconds may show the list as it was five seconds ago. */
static void
test_slow_answer(void)
{
	begin(NONE, BY_TOKEN, 10);
	api.elapsed = 5;
	add(api.clock - 1, api.clock + 3);
	CHECK_INT(load(-1), 1);
	CHECK_INT(last.counts.held_back, 4);
}

/* Without a Date, or with one that cannot be right, our own clock counts. */
static void
test_clocks(void)
{
	int64 now = (int64) time(NULL);

	begin(NONE, BY_TOKEN, 10);
	api.no_date = true;
	add(now - 60, now - 60);
	add(now + 60, now + 60);
	CHECK_INT(load(-1), 1);
	CHECK_INT(last.counts.held_back, 1);

	begin(NONE, BY_TOKEN, 10);
	api.clock = now - 3 * 86400;
	add(now - 60, now - 60);
	CHECK_INT(load(-1), 1);
}

static void
test_null_times(void)
{
	static const CfdwOrder orders[] = {ASC, DESC, NONE};

	for (size_t i = 0; i < lengthof(orders); i++)
	{
		begin(orders[i], BY_TOKEN, 2);
		api_create(NO_TIME);
		CHECK_INT(load(-1), 1);
		CHECK(!position_has("\"since\""));
		add(1000, 1000);
		CHECK_INT(load(-1), 1);
		CHECK(position_has_time("since", 1000));
		add(1005, 1005);
		CHECK_INT(load(-1), 1); /* the first is still known */
		CHECK(position_has_time("since", 1005));
	}
}

/* ---- where the next walk begins ---- */

static void
test_since_stays(void)
{
	static const CfdwOrder orders[] = {ASC, DESC, NONE};
	char before[sizeof(store->position)];

	for (size_t i = 0; i < lengthof(orders); i++)
	{
		begin(orders[i], BY_TOKEN, 2);
		add(1000, 1004);
		CHECK_INT(load(3), 3);
		CHECK(!position_has("\"since\"")); /* the walk is not over */
		CHECK_INT(load(-1), 2);
		CHECK(last.at_end);
		CHECK(position_has_time("since", 1004));
		CHECK(!position_has("\"high\"") && !position_has("\"started\"") && !position_has("\"page\"") && !position_has("\"next\""));
		memcpy(before, store->position, sizeof(before));
		api.count = 0;
		CHECK_INT(load(-1), 0); /* nothing there any more */
		CHECK_STR(store->position, before);
	}
}

static void
test_nothing_new(void)
{
	static const CfdwOrder orders[] = {ASC, DESC, NONE};

	for (size_t i = 0; i < lengthof(orders); i++)
		for (Paging paging = BY_TOKEN; paging <= SINGLE; paging++)
		{
			begin(orders[i], paging, paging == SINGLE ? 0 : 3);
			add(1000, 1006);
			CHECK_INT(load(-1), 7);
			api.requests = 0;
			CHECK_INT(load(-1), 0);
			CHECK_INT(api.requests, paging == BY_NUMBER || paging == BY_OFFSET ? 2 : 1);
		}
}

/* A statement that stops goes on with the page after the last one that it has used up. */
static void
test_resume(void)
{
	begin(NONE, BY_TOKEN, 2);
	add(1000, 1005);
	CHECK_INT(load(3), 3);
	CHECK(position_has("\"page\": {\"cursor\": \"0_2\"}"));
	CHECK(position_has_time("high", 1002));
	CHECK_INT(load(1), 1);
	CHECK_STR(api.log, "at=0_2");
	CHECK(position_has("\"next\": {\"cursor\": \"0_4\"}"));
	CHECK_INT(load(-1), 2);
	CHECK_STR(api.log, "at=0_4");
}

/* More lookback than before: what was delivered long ago is known, although its keys are gone. */
static void
test_longer_lookback(void)
{
	begin(NONE, BY_TOKEN, 10);
	add(1000, 1009);
	CHECK_INT(load(-1), 10);
	CHECK_INT(load(-1), 0);
	CHECK_INT(store->count, 1);
	CHECK(position_has_time("known_before", 1009));
	table.lookback = 5;
	CHECK_INT(load(-1), 0);
	CHECK_STR(api.log, "since=1004");
	add(1008, 1008); /* too late for the lookback that there was */
	CHECK_INT(load(-1), 0);
	add(1009, 1010);
	CHECK_INT(load(-1), 2);
	/* put back by hand: all again */
	snprintf(store->position, sizeof(store->position), "{\"since\": {\"text\": \"1005\", \"value\": 1005000000}, \"known_before\": {\"value\": 1009000000}}");
	store->count = 0;
	table.lookback = 0;
	CHECK_INT(load(-1), 8);
}

/* ---- older than asked ---- */

static void
test_deaf_api(void)
{
	begin(NONE, BY_TOKEN, 10);
	api.deaf = true;
	add(1000, 1005);
	CHECK_INT(load(-1), 6);
	CHECK_INT(load(-1), -1);
	CHECK_INT(err.kind, CFDW_ERR_RECORD);
	CHECK_STR(err.message, "the API sent t 1000 although 1005 was asked");
	CHECK(strncmp(err.detail, "URL: http://127.0.0.1/list?since=1005", 37) == 0);

	begin(NONE, BY_TOKEN, 10);
	api.deaf = true;
	table.filtered = table.unchecked = true;
	add(1000, 1005);
	CHECK_INT(load(-1), 6);
	CHECK_INT(load(-1), 0); /* all keys are kept */
	add(1002, 1002);
	CHECK_INT(load(-1), 1);
}

/* Not asked for, so dropped; newest first, a page of nothing else is the end. */
static void
test_unfiltered(void)
{
	begin(DESC, BY_TOKEN, 2);
	table.filtered = false;
	add(1000, 1009);
	CHECK_INT(load(-1), 10);
	api.requests = 0;
	add(1010, 1010);
	CHECK_INT(load(-1), 1);
	CHECK_INT(api.requests, 2);
	CHECK(position_has_time("since", 1010));
	CHECK(last.at_end);

	begin(NONE, BY_TOKEN, 2);
	table.filtered = false;
	add(1000, 1009);
	CHECK_INT(load(-1), 10);
	api.requests = 0;
	CHECK_INT(load(-1), 0);
	CHECK_INT(api.requests, 5);
}

int
main(void)
{
	test_since();
	test_initial();
	test_anchors();
	test_unfiltered_asc();
	test_stop_inside();
	test_stop_before_null();
	test_stop_inside_open_unit();
	test_long_unit();
	test_long_unit_at_rest();
	test_long_unit_without_next();
	test_held_back();
	test_slow_answer();
	test_clocks();
	test_null_times();
	test_since_stays();
	test_nothing_new();
	test_resume();
	test_longer_lookback();
	test_deaf_api();
	test_unfiltered();
	store_end();
	return unit_done("walk_time_rules");
}

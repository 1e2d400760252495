/*
 * walk_time_bounds_test.c
 *	  The mode timestamp: where a walk stops or must not go on, in pages,
 *	  batches, windows and loops.
 */
#include "walk_store.h"

#define ASC  CFDW_ORDER_ASC
#define NONE CFDW_ORDER_NONE

/* ---- bounds ---- */

static void
test_max_pages(void)
{
	begin(NONE, BY_TOKEN, 1);
	table.max_pages = 3;
	add(1000, 1003);
	CHECK_INT(load(2), 2);
	CHECK_INT(load(-1), -1);
	CHECK_INT(err.kind, CFDW_ERR_LIMIT);
	CHECK_STR(err.message, "the walk has more than max_pages (3) pages");
	table.max_pages = 4;
	CHECK_INT(load(-1), 2);

	/* a page read again is no other page */
	for (CfdwOrder order = CFDW_ORDER_NONE; order <= CFDW_ORDER_DESC; order++)
	{
		begin(order, BY_TOKEN, 10);
		table.max_pages = 1;
		add(1000, 1006);
		for (int i = 0; i < 6; i++)
			CHECK_INT(load(1), 1);
		CHECK_INT(load(-1), 1);
		add(1007, 1007);
		CHECK_INT(load(-1), 1); /* the next walk counts from 0 */
	}
}

/* asc stores no page, so a batch may stop only after it has moved on. */
static void
test_batch_pages(void)
{
	begin(ASC, BY_LINK, 2);
	for (int i = 0; i < 4; i++)
		api_create(1000);
	CHECK_INT(run((Statement){-1, 1, 0, false}, &err), 2);
	CHECK(!last.at_end);
	CHECK_INT(run((Statement){-1, 1, 0, false}, &err), 2);
	CHECK(!last.at_end);
	CHECK_INT(run((Statement){-1, 1, 0, false}, &err), 0);
	CHECK(last.at_end);

	begin(NONE, BY_TOKEN, 2);
	add(1000, 1003);
	CHECK_INT(run((Statement){-1, 1, 0, false}, &err), 2);
	CHECK(!last.at_end);
	CHECK_INT(run((Statement){-1, 1, 0, false}, &err), 2);
	CHECK(last.at_end);
}

static void
test_windows(void)
{
	char expected[400];
	int64 c;

	begin(NONE, BY_TOKEN, 10);
	c = api.clock;
	table.initial = c - 35;
	table.window = 10;
	add(c - 12, c - 11);
	CHECK_INT(load(-1), 2);
	snprintf(expected, sizeof(expected), "since=" INT64_FORMAT "&until=" INT64_FORMAT " since=" INT64_FORMAT "&until=" INT64_FORMAT " since=" INT64_FORMAT "&until=" INT64_FORMAT " since=" INT64_FORMAT "&until=" INT64_FORMAT,
			 c - 35, c - 25, c - 25, c - 15, c - 15, c - 5, c - 5, c + 5);
	CHECK_STR(api.log, expected);
	CHECK(position_has_time("since", c - 5)); /* the end of the last window that is over */
	CHECK(!position_has("\"until\"") && !position_has("\"started\""));
	/* a batch may stop between windows; the walk is open then */
	begin(NONE, BY_TOKEN, 10);
	table.initial = c - 35;
	table.window = 10;
	CHECK_INT(run((Statement){-1, 1, 0, false}, &err), 0);
	CHECK(!last.at_end);
	CHECK(position_has("\"pages\": 1") && position_has("\"started\""));
	CHECK(position_has_time("since", c - 25));
	CHECK(position_has_time("until", c - 15));
	api.log[0] = '\0';
	CHECK_INT(run((Statement){-1, 3, 0, false}, &err), 0);
	CHECK(last.at_end);
	CHECK(position_has_time("since", c - 5));
}

/* ---- pages that are gone, pages that come again ---- */

static void
test_expired(void)
{
	char before[sizeof(store->position)];

	begin(NONE, BY_TOKEN, 2);
	add(1000, 1005);
	CHECK_INT(load(3), 3);
	memcpy(before, store->position, sizeof(before));
	api.refuse = true;
	CHECK_INT(load(-1), -1);
	CHECK_INT(err.kind, CFDW_ERR_STATUS);
	CHECK(strstr(err.hint, "restart_walk") != NULL);
	CHECK_STR(store->position, before);
	table.restarts = true;
	api.refuse = true;
	CHECK_INT(load(-1), 3);
	CHECK_STR(api.log, "at=0_2 - at=0_2 at=0_4");
	CHECK(position_has_time("since", 1005));
	for (int version = 1; version <= 6; version++)
		CHECK_INT(store->versions[version], 1);
}

static const char *const *cycle; /* the bodies that a list of tokens leads to: one digit each */

static char *
serve_cycle(CfdwArena *arena, const char *url)
{
	const char *at = query_value(url, "at=");

	return cfdw_strdup(arena, cycle[at ? atoi(at) : 0]);
}

/* Tokens that lead back to a page that was there; also when each statement reads one page. */
static void
test_cycle(void)
{
	static const char *const own[] = {"{\"data\": [{\"id\": 1, \"t\": 1, \"v\": 1}], \"next\": \"1\"}", "{\"data\": [{\"id\": 2, \"t\": 2, \"v\": 2}], \"next\": \"1\"}"};
	static const char *const two[] = {"{\"data\": [{\"id\": 1, \"t\": 1, \"v\": 1}], \"next\": \"1\"}", "{\"data\": [{\"id\": 2, \"t\": 2, \"v\": 2}], \"next\": \"2\"}",
									  "{\"data\": [{\"id\": 3, \"t\": 3, \"v\": 3}], \"next\": \"1\"}"};
	static const char *const *const cycles[] = {own, two};
	int rows;

	for (size_t i = 0; i < lengthof(cycles); i++)
		for (int batch = 0; batch <= 1; batch++)
		{
			begin(NONE, BY_TOKEN, 2);
			cycle = cycles[i];
			api_serve = serve_cycle;
			for (int n = 0; n < 10; n++)
				if ((rows = run((Statement){-1, batch, 0, false}, &err)) < 0)
					break;
			CHECK_INT(rows, -1);
			CHECK_INT(err.kind, CFDW_ERR_LOOP);
			CHECK(api.requests <= 10);
			api_serve = api_page;
		}
}

/* Asking ahead changes nothing but when a page is asked. */
static void
test_prefetch(void)
{
	for (CfdwOrder order = CFDW_ORDER_NONE; order <= CFDW_ORDER_DESC; order++)
	{
		begin(order, BY_TOKEN, 2);
		add(1000, 1006);
		CHECK_INT(run((Statement){1, 0, 1, false}, &err), 1);
		CHECK_INT(api.requests, 2);
		CHECK_INT(run((Statement){-1, 0, 1, false}, &err), 6);
		CHECK(last.at_end);
		CHECK(position_has_time("since", 1006));
		CHECK(last.counts.requests <= last.counts.pages);
	}
}

int
main(void)
{
	test_max_pages();
	test_batch_pages();
	test_windows();
	test_expired();
	test_cycle();
	test_prefetch();
	store_end();
	return unit_done("walk_time_bounds");
}

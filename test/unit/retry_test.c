/*
 * retry_test.c
 *	  When a request is made again, and after which wait.
 */
#include "retry.h"
#include "unit.h"

static const CfdwRetryRules rules = {.max_retries = 5, .max_wait_ms = 60000};

/* The wait; -1: enough, -2: too long. */
static int64
decide(int retries, int64 waited_ms, int64 asked_ms, double dice)
{
	int64 wait_ms = -3;

	switch (cfdw_retry_decide(&rules, retries, waited_ms, asked_ms, dice, &wait_ms))
	{
		case CFDW_RETRY_WAIT:
			return wait_ms;
		case CFDW_RETRY_ENOUGH:
			return -1;
		case CFDW_RETRY_TOO_LONG:
			return -2;
	}
	return -4;
}

/* The bound doubles, the dice choose below it. */
static void
test_backoff(void)
{
	static const int bounds[] = {500, 1000, 2000, 4000, 8000};

	for (int retries = 0; retries < 5; retries++)
	{
		CHECK_INT(decide(retries, 0, 0, 1), bounds[retries]);
		CHECK_INT(decide(retries, 0, 0, 0.5), bounds[retries] / 2);
		CHECK_INT(decide(retries, 0, 0, 0), 0);
	}
	CHECK_INT(decide(5, 0, 0, 0.5), -1);
	CHECK_INT(decide(6, 0, 0, 0.5), -1);
}

static void
test_bound_of_bounds(void)
{
	CfdwRetryRules many = {.max_retries = 1000, .max_wait_ms = INT64CONST(1000000000)};
	int64 wait_ms;

	for (int retries = 6; retries < 1000; retries++)
	{
		CHECK(cfdw_retry_decide(&many, retries, 0, 0, 1, &wait_ms) == CFDW_RETRY_WAIT);
		CHECK_INT(wait_ms, 30000);
	}
}

/* What the server asks for, and up to a tenth (at most a second) more. */
static void
test_asked(void)
{
	CHECK_INT(decide(0, 0, 5000, 0), 5000);
	CHECK_INT(decide(4, 0, 5000, 1), 5500);
	CHECK_INT(decide(0, 0, 30000, 1), 31000);
	CHECK_INT(decide(0, 0, 60000, 1), 60000);
	CHECK_INT(decide(0, 0, 60001, 0), -2);
	CHECK_INT(decide(0, 0, INT64CONST(1000000000000), 1), -2);
	CHECK_INT(decide(5, 0, 5000, 0), -1);
}

/* All waits together are bounded. */
static void
test_total(void)
{
	CHECK_INT(decide(1, 55000, 5000, 1), 5000);
	CHECK_INT(decide(1, 55000, 5001, 0), -2);
	CHECK_INT(decide(4, 59000, 0, 1), 1000);
	CHECK_INT(decide(4, 59000, 0, 0.05), 400);
	CHECK_INT(decide(4, 60000, 0, 0), -1);
	CHECK_INT(decide(4, 60000, 1, 0), -2);
}

/* max_retry_wait 0: again at once, never after a wish. */
static void
test_no_wait(void)
{
	CfdwRetryRules impatient = {.max_retries = 2, .max_wait_ms = 0};
	int64 wait_ms = -1;

	CHECK(cfdw_retry_decide(&impatient, 0, 0, 0, 1, &wait_ms) == CFDW_RETRY_WAIT);
	CHECK_INT(wait_ms, 0);
	CHECK(cfdw_retry_decide(&impatient, 1, 0, 1, 1, &wait_ms) == CFDW_RETRY_TOO_LONG);
	CHECK(cfdw_retry_decide(&impatient, 2, 0, 0, 1, &wait_ms) == CFDW_RETRY_ENOUGH);
}

static void
test_words(void)
{
	static const struct
	{
		CfdwRetryWords words; /* status, Retry-After, reset, remaining */
		int64 asked_ms;
		bool is_limit;
	} cases[] = {
		{{429, -1, -1, -1}, 0, false},
		{{429, 3000, -1, -1}, 3000, false},
		{{429, 3000, 9000, 0}, 3000, false},
		{{429, 0, 9000, 0}, 0, false},
		{{429, -1, 9000, 0}, 9000, false},
		{{429, -1, 9000, -1}, 9000, false},
		{{429, -1, 9000, 12}, 0, false}, /* a limit of another kind */
		{{429, -1, -1, 0}, 0, false},
		{{503, -1, 9000, -1}, 0, false}, /* sent with every response */
		{{502, -1, 9000, 4999}, 0, false},
		{{502, -1, 9000, 0}, 9000, false},
		{{503, 2000, -1, -1}, 2000, false},
		{{403, -1, -1, -1}, 0, false},
		{{403, -1, 9000, 4999}, 0, false},
		{{403, -1, 9000, -1}, 0, false},
		{{403, -1, 9000, 0}, 9000, true},
		{{403, 60000, -1, -1}, 60000, true},
		{{403, 0, -1, -1}, 0, true},
		{{401, 60000, -1, 0}, 60000, false},
	};

	for (int i = 0; i < lengthof(cases); i++)
	{
		CHECK_INT(cfdw_retry_asked_ms(&cases[i].words), cases[i].asked_ms);
		CHECK_INT(cfdw_retry_is_limit(&cases[i].words), cases[i].is_limit);
	}
}

int
main(void)
{
	test_backoff();
	test_bound_of_bounds();
	test_asked();
	test_total();
	test_no_wait();
	test_words();
	return unit_done("retry");
}

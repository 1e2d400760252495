/*
 * retry.c
 *	  When a request that failed is made again.
 */
#include "retry.h"

#define FIRST_BOUND_MS INT64CONST(500)
#define LAST_BOUND_MS  INT64CONST(30000)
#define MAX_EXTRA_MS   INT64CONST(1000)

int64
cfdw_retry_asked_ms(const CfdwRetryWords *words)
{
	bool used_up = words->remaining == 0 || (words->remaining < 0 && words->status == 429);

	if (words->retry_after_ms >= 0)
		return words->retry_after_ms;
	return used_up ? Max(words->reset_ms, 0) : 0;
}

bool
cfdw_retry_is_limit(const CfdwRetryWords *words)
{
	return words->status == 403 && (words->retry_after_ms >= 0 || words->remaining == 0);
}

static int64
backoff_ms(int retries, double dice)
{
	int64 bound = FIRST_BOUND_MS;

	while (retries-- > 0 && bound < LAST_BOUND_MS)
		bound *= 2;
	return (int64) (dice * (double) Min(bound, LAST_BOUND_MS));
}

CfdwRetryVerdict
cfdw_retry_decide(const CfdwRetryRules *rules, int retries, int64 waited_ms, int64 asked_ms, double dice, int64 *wait_ms)
{
	int64 left = rules->max_wait_ms - waited_ms;

	if (retries >= rules->max_retries)
		return CFDW_RETRY_ENOUGH;
	if (asked_ms > left)
		return CFDW_RETRY_TOO_LONG;
	if (left <= 0 && rules->max_wait_ms > 0)
		return CFDW_RETRY_ENOUGH;
	if (asked_ms > 0)
		*wait_ms = asked_ms + (int64) (dice * (double) Min(asked_ms / 10, MAX_EXTRA_MS));
	else
		*wait_ms = backoff_ms(retries, dice);
	*wait_ms = Min(*wait_ms, Max(left, 0));
	return CFDW_RETRY_WAIT;
}

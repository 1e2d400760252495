/*
 * exchange.c
 *	  One request and its answer.
 */
#include "exchange.h"

#include "common/pg_prng.h"
#include "header.h"
#include "hosts.h"
#include "origin.h"
#include "request.h"
#include "url.h"
#include "verdict.h"

#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define MAX_REDIRECTS 5

struct CfdwExchange
{
	CfdwArena *arena;
	const CfdwExchangeRules *rules;
	bool first; /* request of the walk */
	CfdwRequest original;
	CfdwRequest request; /* the same, or where a redirect leads */
	int redirects;

	CfdwArena *attempt; /* of one request, its response and the page */
	CfdwTransfer *transfer;
	int64 waited_ms; /* between attempts */
};

static int64
now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64) now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* May this host be asked?  Every URL comes by here, links and redirects too. */
static bool
check_host(const CfdwExchange *exchange, CfdwError *err)
{
	const CfdwRequest *request = &exchange->request;
	char host[256];

	if (!cfdw_url_host(request->url, host, sizeof(host)))
		cfdw_fail(err, CFDW_ERR_URL, "malformed URL");
	else if (cfdw_hosts_check(exchange->rules->http.allowed_hosts, host, err))
		return true;
	cfdw_detail(err, "URL: %s", request->masked_url);
	return false;
}

static bool
send_request(CfdwExchange *exchange, CfdwError *err)
{
	if (!check_host(exchange, err))
		return false;
	if (exchange->attempt != NULL)
		cfdw_arena_free(exchange->attempt);
	exchange->attempt = cfdw_arena_new(exchange->arena, "checkpoint_fdw request");
	return cfdw_http_start(exchange->attempt, &exchange->rules->http, &exchange->request, &exchange->transfer, err);
}

bool
cfdw_exchange_start(CfdwArena *arena, const CfdwExchangeRules *rules, const CfdwRequest *request, bool first,
					CfdwExchange **out, CfdwError *err)
{
	CfdwExchange *exchange = cfdw_alloc(arena, sizeof(CfdwExchange));

	exchange->arena = arena;
	exchange->rules = rules;
	exchange->first = first;
	exchange->original = exchange->request = *request;
	*out = exchange;
	return send_request(exchange, err);
}

/* ---- redirects ---- */

/* Where a response sends us; NULL: nowhere that we would follow. */
static const char *
redirect_of(const CfdwExchange *exchange, const CfdwResponse *response)
{
	bool is_get = strcmp(exchange->request.method, "GET") == 0;

	switch (response->status)
	{
		case 301:
		case 302:
		case 303:
			/* a POST would become a GET, and lose what it asks */
			return is_get ? cfdw_response_header(exchange->attempt, response, "Location") : NULL;
		case 307:
		case 308:
			return cfdw_response_header(exchange->attempt, response, "Location");
		default:
			return NULL;
	}
}

static bool
follow(CfdwExchange *exchange, const CfdwResponse *response, const char *location, CfdwError *err)
{
	const CfdwEndpoint *endpoint = exchange->rules->endpoint;
	CfdwRequest *request = &exchange->request;
	char *url;

	if (++exchange->redirects > MAX_REDIRECTS)
	{
		cfdw_fail(err, CFDW_ERR_LIMIT, "the API redirects more than %d times", MAX_REDIRECTS);
		return cfdw_verdict_fail_at(exchange->attempt, response, err);
	}
	if (!cfdw_origin_resolve(exchange->arena, endpoint->base_url, endpoint->next_url_origin, response->url, location, "the redirect", &url, err))
		return cfdw_verdict_fail_at(exchange->attempt, response, err);
	request->url = cfdw_request_add_auth(exchange->arena, endpoint, url);
	request->masked_url = cfdw_request_mask(exchange->arena, endpoint, request->url);
	return true;
}

/* ---- once more ---- */

static int64
server_clock(const CfdwResponse *response)
{
	struct timeval now;

	if (response->date != 0)
		return response->date;
	gettimeofday(&now, NULL);
	return now.tv_sec;
}

/* The first of several headers that holds a time to wait; -1: none. */
static int64
wait_of(const CfdwExchange *exchange, const CfdwResponse *response, const char *const *names, int count)
{
	int64 wait_ms;

	for (int i = 0; i < count; i++)
	{
		const char *value = cfdw_response_header(exchange->attempt, response, names[i]);

		if (value != NULL && cfdw_header_wait(value, server_clock(response), &wait_ms))
			return wait_ms;
	}
	return -1;
}

static CfdwRetryWords
words_of(const CfdwExchange *exchange, const CfdwResponse *response)
{
	static const char *const after[] = {"Retry-After"};
	static const char *const resets[] = {"X-RateLimit-Reset-After", "RateLimit-Reset", "X-RateLimit-Reset", "X-Rate-Limit-Reset", "X-Sentry-Rate-Limit-Reset"};
	static const char *const rests[] = {"RateLimit-Remaining", "X-RateLimit-Remaining", "X-Rate-Limit-Remaining", "X-Sentry-Rate-Limit-Remaining"};
	CfdwRetryWords words = {.status = response->status, .remaining = -1};

	words.retry_after_ms = wait_of(exchange, response, after, lengthof(after));
	words.reset_ms = wait_of(exchange, response, resets, lengthof(resets));
	for (int i = 0; i < lengthof(rests) && words.remaining < 0; i++)
	{
		const char *value = cfdw_response_header(exchange->attempt, response, rests[i]);

		if (value != NULL && *value >= '0' && *value <= '9')
			words.remaining = (int64) strtod(value, NULL); /* Reddit's has a fraction */
	}
	return words;
}

/* From 0 to 1, another sequence in each process. */
static double
throw_dice(void)
{
	static bool seeded = false;
	static pg_prng_state state;

	if (!seeded)
		pg_prng_seed(&state, (uint64) now_us() ^ ((uint64) getpid() << 32));
	seeded = true;
	return pg_prng_double(&state);
}

static void
wait_ms(const CfdwWaiter *waiter, int64 duration)
{
	int64 end = now_us() + duration * 1000;

	for (int64 left = duration; left > 0; left = (end - now_us() + 999) / 1000)
		waiter->wait(waiter->arg, CFDW_WAIT_BACKOFF, NULL, 0, (long) left);
}

static bool
is_passing(const CfdwError *err)
{
	return err->kind == CFDW_ERR_CONNECT || err->kind == CFDW_ERR_TRANSFER || err->kind == CFDW_ERR_TIMEOUT;
}

/* Say in the error why there is no further attempt. */
static void
give_up(const CfdwExchange *exchange, CfdwRetryVerdict verdict, const CfdwAnswer *answer, CfdwError *err)
{
	char *detail = cfdw_strdup(exchange->attempt, err->detail);

	if (verdict == CFDW_RETRY_TOO_LONG)
		cfdw_hint(err, "The server wants to be asked again in " INT64_FORMAT " seconds, which is longer than max_retry_wait allows. Nothing was changed; run the statement again then.",
				  (answer->asked_ms + 999) / 1000);
	if (answer->retries > 0)
		cfdw_detail(err, "%s%sIt was asked %d times.", detail, detail[0] == '\0' ? "" : "\n", answer->retries + 1);
}

/* After an attempt that failed: wait, if it may be made again. */
static bool
wait_for_retry(CfdwExchange *exchange, const CfdwWaiter *waiter, CfdwAnswer *answer, bool again, CfdwError *err)
{
	CfdwRetryVerdict verdict;
	int64 duration;

	answer->asked_ms = 0;
	if (answer->response == NULL)
		again = is_passing(err);
	else
	{
		CfdwRetryWords words = words_of(exchange, answer->response);

		again = again || cfdw_retry_is_limit(&words);
		if (again)
			answer->asked_ms = cfdw_retry_asked_ms(&words);
	}
	if (!again)
		return false;
	verdict = cfdw_retry_decide(&exchange->rules->retry, answer->retries, exchange->waited_ms, answer->asked_ms, throw_dice(), &duration);
	if (verdict != CFDW_RETRY_WAIT)
	{
		give_up(exchange, verdict, answer, err);
		return false;
	}
	exchange->waited_ms += duration;
	wait_ms(waiter, duration);
	answer->retries++;
	return true;
}

/* One request and all that it redirects to. */
static bool
attempt(CfdwExchange *exchange, const CfdwWaiter *waiter, CfdwAnswer *answer, bool *again, CfdwError *err)
{
	for (;;)
	{
		const char *location;

		answer->requests++;
		if (!cfdw_http_finish(exchange->transfer, waiter, &answer->response, err))
			return false;
		location = redirect_of(exchange, answer->response);
		if (location == NULL)
			return cfdw_verdict(exchange->attempt, exchange->rules, exchange->first, answer, again, err);
		if (!follow(exchange, answer->response, location, err))
			return false;
		answer->response = NULL;
		if (!send_request(exchange, err))
			return false;
	}
}

bool
cfdw_exchange_finish(CfdwExchange *exchange, const CfdwWaiter *waiter, CfdwAnswer *answer, CfdwError *err)
{
	memset(answer, 0, sizeof(*answer));
	for (;;)
	{
		bool again = false;

		if (attempt(exchange, waiter, answer, &again, err))
			return true;
		if (!wait_for_retry(exchange, waiter, answer, again, err))
			return false;
		answer->response = NULL;
		memset(&answer->page, 0, sizeof(answer->page));
		exchange->request = exchange->original;
		exchange->redirects = 0;
		if (!send_request(exchange, err))
			return false;
	}
}

/*
 * exchange.h
 *	  One question to the API and its answer: a request, and the page that
 *	  comes back, whole; or an error.
 *
 * What may pass by itself (the network, a body that was cut, a status or a
 * text that asks for patience) is asked again here, the whole page each time.
 * Redirects are followed where links to a next page may lead, too; the request
 * stays the same, so a POST is followed only by the statuses that say so.
 */
#ifndef CFDW_EXCHANGE_H
#define CFDW_EXCHANGE_H

#include "pagination.h"
#include "retry.h"
#include "status.h"

/* What all requests of a walk have in common. */
typedef struct CfdwExchangeRules
{
	CfdwHttpOptions http;
	const CfdwEndpoint *endpoint;
	CfdwPageSpec page;
	CfdwRetryRules retry;
	CfdwStatuses retry_statuses;
	CfdwStatuses ignore_statuses; /* of the first request of a walk: there is nothing */
	CfdwStatuses end_statuses;    /* of a later one: there is nothing more */
	const char *error_path;       /* NULL, or a flag in a 2xx body that makes it an error; pointer or SQL/JSON path, "!" before it inverts */
	const char *retry_match;      /* NULL, or text in any case: asked again whatever the status; with a 2xx outside of the records */
} CfdwExchangeRules;

typedef struct CfdwAnswer
{
	const CfdwResponse *response; /* NULL: none came */
	CfdwPage page;
	bool nothing;   /* the status means that no page follows */
	int requests;   /* sent for it */
	int retries;    /* of these, because an earlier one failed */
	int64 asked_ms; /* with an error: so long the server wants to be left alone; 0: it does not say */
} CfdwAnswer;

typedef struct CfdwExchange CfdwExchange;

/*
 * Send a request; first: it is the first of a walk.  All that belongs to the
 * exchange lives in arena; rules and what request points to must, too.
 */
extern bool cfdw_exchange_start(CfdwArena *arena, const CfdwExchangeRules *rules, const CfdwRequest *request, bool first,
								CfdwExchange **out, CfdwError *err);

/*
 * Wait for the answer and read it; may not return (the waiter).  The URL of
 * the response is the one that gave the answer, after redirects.  Status 204
 * is a page without records, as are ignore_statuses and end_statuses.  Errors,
 * the URL in DETAIL: those of http.h and page.h; CFDW_ERR_STATUS and
 * CFDW_ERR_AUTH for another status than 2xx, with err->status; CFDW_ERR_API for
 * a body that reports an error.  What the API says is quoted, without secrets.
 * *answer is filled in any case.
 */
extern bool cfdw_exchange_finish(CfdwExchange *exchange, const CfdwWaiter *waiter, CfdwAnswer *answer, CfdwError *err);

#endif /* CFDW_EXCHANGE_H */

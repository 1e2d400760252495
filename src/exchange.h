/*
 * exchange.h
 *	  One question to the API and its answer: a request, and what comes back,
 *	  whole and with a status that means data; or an error.
 */
#ifndef CFDW_EXCHANGE_H
#define CFDW_EXCHANGE_H

#include "http.h"

typedef struct CfdwExchange CfdwExchange;

/* Send a request.  All that belongs to the exchange lives in arena; request is copied. */
extern bool cfdw_exchange_start(CfdwArena *arena, const CfdwHttpOptions *options, const CfdwRequest *request, CfdwExchange **out, CfdwError *err);

/*
 * Wait for the answer; may not return (the waiter).  Errors: those of http.h;
 * CFDW_ERR_STATUS and CFDW_ERR_AUTH for a status other than 2xx, with
 * err->status and the URL in DETAIL; *out is the response then, too (NULL if
 * there was none).
 */
extern bool cfdw_exchange_finish(CfdwExchange *exchange, const CfdwWaiter *waiter, const CfdwResponse **out, CfdwError *err);

#endif /* CFDW_EXCHANGE_H */

/*
 * retry.h
 *	  When a request that failed is made again.  Decides, and does nothing:
 *	  no clock, no waiting, no dice of its own.
 */
#ifndef CFDW_RETRY_H
#define CFDW_RETRY_H

#include "base.h"

typedef struct CfdwRetryRules
{
	int max_retries;   /* of one request; 0: none */
	int64 max_wait_ms; /* all waits of one request together */
} CfdwRetryRules;

/* What a response says about coming back; milliseconds from now, -1: it does not say. */
typedef struct CfdwRetryWords
{
	int status;
	int64 retry_after_ms;
	int64 reset_ms;  /* end of the window in which requests are counted */
	int64 remaining; /* requests left in that window, -1: it does not say */
} CfdwRetryWords;

/*
 * Milliseconds until the server wants to be asked again; 0: it does not say,
 * or says at once.  Many APIs send the window's end with every response, so
 * it counts only where nothing remains, or with a 429 that does not say what
 * remains.
 */
extern int64 cfdw_retry_asked_ms(const CfdwRetryWords *words);

/* Is a response that forbids (403) one that limits the rate? */
extern bool cfdw_retry_is_limit(const CfdwRetryWords *words);

typedef enum CfdwRetryVerdict
{
	CFDW_RETRY_WAIT,    /* wait, then ask again */
	CFDW_RETRY_ENOUGH,  /* tried often enough, or waited long enough */
	CFDW_RETRY_TOO_LONG /* the server asks for more patience than max_wait_ms leaves */
} CfdwRetryVerdict;

/*
 * What to do after a failure that may pass.  retries and waited_ms: of this
 * request so far; asked_ms: as above; dice: from 0 to 1.  Without a wish of
 * the server the wait is anything up to a bound that doubles ("full jitter"),
 * with one it is a little longer, so that not all clients return at once.
 */
extern CfdwRetryVerdict cfdw_retry_decide(const CfdwRetryRules *rules, int retries, int64 waited_ms, int64 asked_ms, double dice, int64 *wait_ms);

#endif /* CFDW_RETRY_H */

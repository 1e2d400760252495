/*
 * verdict.h
 *	  What a response is worth: a page, nothing at all, an error, or a
 *	  reason to ask again.
 */
#ifndef CFDW_VERDICT_H
#define CFDW_VERDICT_H

#include "exchange.h"

/*
 * Judge a response.  arena: of the page, as the response.  first: it answers
 * the first request of a walk.  *again: what is wrong with it may pass.
 */
extern bool cfdw_verdict(CfdwArena *arena, const CfdwExchangeRules *rules, bool first, CfdwAnswer *answer, bool *again, CfdwError *err);

/* Put the URL before what DETAIL says already.  Returns false. */
extern bool cfdw_verdict_fail_at(CfdwArena *arena, const CfdwResponse *response, CfdwError *err);

/* What the API says, for DETAIL: an excerpt of a body on one line, without secrets; "" for one that is no text for people. */
extern const char *cfdw_verdict_quote(CfdwArena *arena, const CfdwSecrets *secrets, CfdwSlice body);

#endif /* CFDW_VERDICT_H */

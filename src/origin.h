/*
 * origin.h
 *	  Where a URL that comes from outside (a link to the next page, a
 *	  redirect, a stored position) may lead: requests carry credentials.
 */
#ifndef CFDW_ORIGIN_H
#define CFDW_ORIGIN_H

#include "error.h"

/*
 * rule is the option next_url_origin: NULL or "same" (the origin of
 * base_url), "rewrite" (whatever the URL says, its path and query are asked
 * at the origin of base_url), or a list of origins with commas between them,
 * which may be asked besides that of base_url.
 */

/* Is it one of these?  (Origins are a scheme, a host and perhaps a port.) */
extern bool cfdw_origin_is_rule(CfdwArena *arena, const char *rule);

/* Does a list have an origin that is not https? */
extern bool cfdw_origin_has_plain(const char *rule);

/*
 * Resolve ref against the URL that was asked, as cfdw_url_resolve does, and
 * apply the rule.  Errors: those, and CFDW_ERR_FORBIDDEN for another origin;
 * what names the thing in the message, such as "the next page".
 */
extern bool cfdw_origin_resolve(CfdwArena *arena, const char *base_url, const char *rule, const char *asked, const char *ref,
								const char *what, char **out, CfdwError *err);

#endif /* CFDW_ORIGIN_H */

/*
 * header.h
 *	  Values of response headers: Link (RFC 8288), dates, waiting times.
 */
#ifndef CFDW_HEADER_H
#define CFDW_HEADER_H

#include "error.h"

/*
 * The target of the link with relation "next" in a Link header's value
 * (several header lines joined by ", "), or NULL.  rel may be a list, quoted
 * or not, in any case; a link with results="false" counts as none (Sentry).
 * Text that is no Link header, or an empty target, gives NULL.
 */
extern char *cfdw_header_next_link(CfdwArena *arena, const char *value);

/* Parse an HTTP date (RFC 9110 5.6.7: IMF-fixdate, RFC 850, asctime; also with a zone like +0200) into seconds since 1970.  false: none. */
extern bool cfdw_header_date(const char *value, int64 *epoch);

/*
 * A time to wait, as Retry-After and the many reset headers have it: seconds
 * ("30", "1.5"), a time since 1970 in seconds or milliseconds (recognised by
 * its size), an HTTP date or an ISO 8601 one.  *wait_ms is the time from now
 * (seconds since 1970 by the server's clock), 0 for one that is past.  false:
 * it is none of these.
 */
extern bool cfdw_header_wait(const char *value, int64 now, int64 *wait_ms);

#endif /* CFDW_HEADER_H */

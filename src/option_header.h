/*
 * option_header.h
 *	  Request headers that an option may set.
 */
#ifndef CFDW_OPTION_HEADER_H
#define CFDW_OPTION_HEADER_H

#include "base.h"

/* May it be the name of a header (RFC 9110 5.6.2)? */
extern bool cfdw_is_header_name(const char *name);

extern bool cfdw_has_control(const char *text);

/*
 * Is it a JSON object of headers that may be set?  If not, *detail is a
 * sentence or NULL, and *hint, too.  secret: they may carry secrets.
 */
extern bool cfdw_option_headers_are_good(const char *value, bool secret, char **detail, const char **hint);

#endif /* CFDW_OPTION_HEADER_H */

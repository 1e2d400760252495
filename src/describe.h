/*
 * describe.h
 *	  A position in words, for people who look at a status.
 */
#ifndef CFDW_DESCRIBE_H
#define CFDW_DESCRIBE_H

#include "position.h"

/*
 * Such as "page 12 of an open walk, since 2024-05-01T00:00:00Z", in the
 * current context.  It holds no token and no URL.  Never raises for what the
 * table's options are now.
 */
extern char *cfdw_describe_position(Oid foreign_table, const CfdwPosition *position);

#endif /* CFDW_DESCRIBE_H */

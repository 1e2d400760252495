/*
 * status.h
 *	  Sets of HTTP statuses, as options name them: "404, 410, 5xx".
 */
#ifndef CFDW_STATUS_H
#define CFDW_STATUS_H

#include "base.h"

typedef struct CfdwStatuses
{
	uint64 bits[10]; /* statuses 0 to 639 */
} CfdwStatuses;

/* Read a comma-separated list of statuses (100 to 599) and classes (5xx).  false: it is none. */
extern bool cfdw_statuses_parse(const char *text, CfdwStatuses *out);

extern bool cfdw_statuses_have(const CfdwStatuses *statuses, int status);

#endif /* CFDW_STATUS_H */

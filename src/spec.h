/*
 * spec.h
 *	  Options of a foreign table to the walk that reads it: endpoint, auth,
 *	  limits.
 */
#ifndef CFDW_SPEC_H
#define CFDW_SPEC_H

#include "option.h"
#include "walk.h"

/* checkpoint_fdw.batch_pages and batch_seconds: in place of the table's options; 0: no bound of their own. */
extern char *cfdw_guc_allowed_hosts; /* checkpoint_fdw.allowed_hosts */
extern int cfdw_guc_batch_pages;
extern int cfdw_guc_batch_seconds;

/* In the current context, which must outlive the walk; waiter and store are left to the caller.  Raises for options that do not parse. */
extern CfdwWalkSpec *cfdw_spec_make(Oid foreign_table, const CfdwOptions *options, bool keyed);

#endif /* CFDW_SPEC_H */

/*
 * spec.h
 *	  Options of a foreign table to the walk that reads it: endpoint, auth,
 *	  limits.
 */
#ifndef CFDW_SPEC_H
#define CFDW_SPEC_H

#include "option.h"
#include "walk.h"

/* In the current context, which must outlive the walk.  Raises for options that do not parse. */
extern CfdwWalkSpec *cfdw_spec_make(Oid foreign_table, const CfdwOptions *options, bool keyed);

#endif /* CFDW_SPEC_H */

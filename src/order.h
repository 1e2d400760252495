/*
 * order.h
 *	  Does a list that is read by pages come newest first?
 *
 * The modes cursor and offset go on behind the last record read, so on such
 * a list every load but the first would find nothing.
 */
#ifndef CFDW_ORDER_H
#define CFDW_ORDER_H

#include "option.h"
#include "utils/rel.h"

typedef struct CfdwOrderCheck CfdwOrderCheck;

/* For the first page of a first walk, in the current context; NULL: nothing to check. */
extern CfdwOrderCheck *cfdw_order_open(Relation relation, const CfdwOptions *options);

/* A record of the page, decoded. */
extern void cfdw_order_note(CfdwOrderCheck *check, const Datum *values, const bool *isnull);

/* The page is over: raises if its records came newest first. */
extern void cfdw_order_finish(const CfdwOrderCheck *check);

#endif /* CFDW_ORDER_H */

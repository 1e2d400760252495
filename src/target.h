/*
 * target.h
 *	  Where the rows of an advancing scan go, and which targets do not commit
 *	  together with the checkpoint.
 */
#ifndef CFDW_TARGET_H
#define CFDW_TARGET_H

#include "consumer.h"
#include "nodes/primnodes.h"
#include "utils/rel.h"

/*
 * The INTO clause of CREATE TABLE AS, SELECT INTO or CREATE MATERIALIZED VIEW
 * (viewQuery is set), if dest is PostgreSQL's own receiver of these; else NULL.
 */
extern IntoClause *cfdw_target_into_clause(DestReceiver *dest);

/* The table that such a receiver has opened: NULL before the executor runs and after it. */
extern Relation cfdw_target_into_relation(DestReceiver *dest);

/* Is dest a receiver that says DestCopyOut and is not PostgreSQL's own COPY TO? */
extern bool cfdw_target_is_foreign_copy(DestReceiver *dest);

/*
 * Set target and target_name, and the refusal if there is none yet (a
 * temporary target outside a transaction block takes the place of a refusal
 * by the plan guard, as it is always raised).  nested: the statement runs
 * inside another one's executor.
 */
extern void cfdw_target_modified(CfdwConsumer *consumer, const char *table, QueryDesc *queryDesc, ModifyTableState *sink, bool nested);
extern void cfdw_target_created(CfdwConsumer *consumer, const char *table, DestReceiver *dest, bool nested);

#endif /* CFDW_TARGET_H */

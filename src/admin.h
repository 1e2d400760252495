/*
 * admin.h
 *	  Changing checkpoints by hand, and what the procedures ingest and run
 *	  need to know of a statement.  Callers check who may.
 */
#ifndef CFDW_ADMIN_H
#define CFDW_ADMIN_H

#include "checkpoint.h"

/*
 * In all of these, consumer and partition NULL mean all (set_position: a
 * consumer is named); the rows are locked, so a running load is waited for.
 * They return how many checkpoints there were.
 */

/* Forget everything about the streams. */
extern int64 cfdw_admin_reset(Oid foreign_table, const char *consumer, const char *partition);
/*
 * Replace the position, and take the table's options as they are now;
 * keep_keys: what has been delivered stays known.  Makes the stream if there
 * is none.
 */
extern int64 cfdw_admin_set_position(Oid foreign_table, const char *consumer, const char *partition, const char *position, bool keep_keys);
/* Drop page and next (or, if there are none, the sync token) of open walks. */
extern int64 cfdw_admin_restart_walk(Oid foreign_table, const char *consumer, const char *partition);
/* Take the options as they are now; keep_page: the stored page still means the same. */
extern int64 cfdw_admin_accept_change(Oid foreign_table, const char *consumer, const char *partition, bool keep_page);
/* Copy the streams of one consumer to another, which must have none (42710). */
extern int64 cfdw_admin_fork(Oid foreign_table, const char *from_consumer, const char *to_consumer);
/* Delete dead letters with ids up to last.  Returns how many. */
extern int64 cfdw_admin_discard_rejected(Oid foreign_table, const char *consumer, const char *partition, int64 last);
/* The foreign table of a batch; InvalidOid if the batch is not kept. */
extern Oid cfdw_admin_table_of_batch(int64 batch);
/* Go back to before a batch: its position, and the keys as they were.  Returns how many batches that undid. */
extern int64 cfdw_admin_rewind(int64 batch);

/* Count a failure that was rolled back; makes the stream's row if need be. */
extern void cfdw_admin_record_failure(const CfdwTouched *touched, const char *message);
/* Put a record that the target refused, as JSON, among the dead letters of the batch that took it. */
extern void cfdw_admin_reject(const CfdwTouched *touched, const char *record, const char *sqlstate, const char *message);
/* When did a call with this key complete?  NULL: none did.  foreign_table InvalidOid: any that the user may load from. */
extern char *cfdw_admin_completed_at(Oid foreign_table, Oid user, const char *consumer, const char *key);
extern void cfdw_admin_complete(Oid foreign_table, const char *consumer, const char *key);

#endif /* CFDW_ADMIN_H */

/*
 * checkpoint.h
 *	  The catalog row of a stream: read, lock, write.  The only writer of the
 *	  schema checkpoint_fdw.
 *
 * A stream is (foreign table, consumer, partition).  Its row is locked at the
 * first fetch and written when the scan ends, both in the transaction of the
 * statement that takes the rows: position and rows commit or roll back as one.
 */
#ifndef CFDW_CHECKPOINT_H
#define CFDW_CHECKPOINT_H

#include "consumer.h"
#include "touched.h"
#include "walk.h"

typedef enum CfdwOnBusy
{
	CFDW_ON_BUSY_WAIT,
	CFDW_ON_BUSY_ERROR,
	CFDW_ON_BUSY_SKIP
} CfdwOnBusy;

extern int cfdw_guc_on_busy;       /* checkpoint_fdw.on_busy */
extern char *cfdw_guc_consumer;    /* checkpoint_fdw.consumer */
extern int cfdw_guc_batch_history; /* checkpoint_fdw.batch_history */

/* What names a stream. */
typedef struct CfdwStream
{
	Oid foreign_table;
	const char *consumer;
	const char *partition; /* JSON object text, "{}" without param columns */
} CfdwStream;

typedef struct CfdwCheckpoint
{
	CfdwStream stream;
	int64 id;              /* 0: no row (a peek before the first load) */
	char *position;        /* JSON text, NULL: the beginning */
	char *fingerprint;     /* what the position means, NULL: not yet written */
	char *target;          /* qualified name of the table it feeds, NULL: none yet */
	TransactionId xmin;    /* of the row version */
	int64 batch;           /* of this scan; 0: not drawn yet */
	MemoryContext context; /* of all this */
	CfdwTouched *touched;  /* NULL: not locked */
} CfdwCheckpoint;

/*
 * The keys that go with the position (modes cursor and offset), in the current
 * context; read_only as in sql.h.
 */
extern char **cfdw_checkpoint_keys(const CfdwCheckpoint *checkpoint, bool read_only, int *count);

/* Read under the statement's snapshot, for a peek.  Never NULL. */
extern CfdwCheckpoint *cfdw_checkpoint_read(const CfdwStream *stream);

/*
 * Lock the stream's row, making it if need be, for a scan that advances; the
 * lock is held until the transaction ends.  NULL: another session holds it
 * and on_busy is skip.  Errors: 55P03 busy with on_busy = error; 40001 the
 * row moved since the statement began and the statement cannot go on (see
 * CfdwConsumer.insert_only), or in REPEATABLE READ and above.
 */
extern CfdwCheckpoint *cfdw_checkpoint_lock(const CfdwStream *stream, const CfdwConsumer *consumer);

/*
 * Refuse (subject to plan_guard) a consumer that feeds another permanent
 * table than before: 55000.
 */
extern void cfdw_checkpoint_check_target(const CfdwCheckpoint *checkpoint, const CfdwConsumer *consumer);

/*
 * Refuse a position whose meaning has changed: an option of the table or the
 * server that it depends on is another one than when it was written (55000).
 * A scan that only peeks may do so with the credentials of another user.
 */
extern void cfdw_checkpoint_check_meaning(const CfdwCheckpoint *checkpoint, const char *fingerprint, bool peek);

/* The number of the batch that this scan writes; drawn at the first call. */
extern int64 cfdw_checkpoint_batch(CfdwCheckpoint *checkpoint);

/* Has the walk handed anything up or rejected it, or is its position another one than the checkpoint's? */
extern bool cfdw_checkpoint_has_moved(const CfdwCheckpoint *checkpoint, const CfdwWalk *walk);

/*
 * Write the walk's position and a batch row, and in the modes cursor and
 * offset the keys that go with it (delivered.h does so in the others).  If
 * nothing has moved, only what a complete scan says of the stream: checked_at.
 */
extern void cfdw_checkpoint_write(CfdwCheckpoint *checkpoint, CfdwWalk *walk, bool keys_too, const CfdwConsumer *consumer,
								  const char *fingerprint, TimestampTz started_at);

#endif /* CFDW_CHECKPOINT_H */

/*
 * checkpoint.c
 *	  Reading, locking and writing the catalog row of a stream.
 */
#include "checkpoint.h"

#include "access/transam.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "fingerprint.h"
#include "miscadmin.h"
#include "sql.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

int cfdw_guc_on_busy = CFDW_ON_BUSY_WAIT;
char *cfdw_guc_consumer = NULL;
int cfdw_guc_batch_history = 100;

#define SELECT_CHECKPOINT \
	"SELECT id, position::text, target, xmin, fingerprint FROM checkpoint_fdw.checkpoint" \
	" WHERE foreign_table = $1 AND consumer = $2" \
	" AND hashtextextended((partition::text) COLLATE \"C\", 0) = hashtextextended(($3::jsonb::text) COLLATE \"C\", 0)" \
	" AND partition = $3::jsonb"

/* ---- read and lock ---- */

static int
stream_args(const CfdwStream *stream, CfdwSqlArg *args)
{
	args[0] = cfdw_sql_oid(stream->foreign_table);
	args[1] = cfdw_sql_text(stream->consumer);
	args[2] = cfdw_sql_text(stream->partition);
	return 3;
}

static CfdwCheckpoint *
new_checkpoint(const CfdwStream *stream)
{
	CfdwCheckpoint *checkpoint = palloc0(sizeof(CfdwCheckpoint));

	checkpoint->stream = *stream;
	checkpoint->context = CurrentMemoryContext;
	return checkpoint;
}

/* Run a SELECT_CHECKPOINT with some ending; false: no row. */
static bool
select_checkpoint(CfdwSql *sql, CfdwCheckpoint *checkpoint, const char *query)
{
	CfdwSqlArg args[3];
	bool isnull;

	stream_args(&checkpoint->stream, args);
	if (cfdw_sql_run(sql, query, SPI_OK_SELECT, 3, args) == 0)
		return false;
	checkpoint->id = DatumGetInt64(cfdw_sql_get(0, 1, &isnull));
	checkpoint->position = cfdw_sql_get_text(checkpoint->context, 0, 2);
	checkpoint->target = cfdw_sql_get_text(checkpoint->context, 0, 3);
	checkpoint->xmin = DatumGetTransactionId(cfdw_sql_get(0, 4, &isnull));
	checkpoint->fingerprint = cfdw_sql_get_text(checkpoint->context, 0, 5);
	return true;
}

char **
cfdw_checkpoint_keys(const CfdwCheckpoint *checkpoint, bool read_only, int *count)
{
	CfdwSqlArg args[1] = {cfdw_sql_int8(checkpoint->id)};
	MemoryContext context = CurrentMemoryContext;
	char **keys;
	CfdwSql sql;

	cfdw_sql_begin(&sql, read_only);
	*count = (int) cfdw_sql_run(&sql, "SELECT key FROM checkpoint_fdw.delivered_key WHERE checkpoint_id = $1 AND gone IS NULL",
								SPI_OK_SELECT, 1, args);
	keys = MemoryContextAllocHuge(context, sizeof(char *) * Max(*count, 1));
	for (int i = 0; i < *count; i++)
		keys[i] = cfdw_sql_get_text(context, i, 1);
	cfdw_sql_end(&sql);
	return keys;
}

CfdwCheckpoint *
cfdw_checkpoint_read(const CfdwStream *stream)
{
	CfdwCheckpoint *checkpoint = new_checkpoint(stream);
	CfdwSql sql;

	cfdw_sql_begin(&sql, true);
	select_checkpoint(&sql, checkpoint, SELECT_CHECKPOINT);
	cfdw_sql_end(&sql);
	return checkpoint;
}

static void
insert_row(const CfdwStream *stream)
{
	CfdwSql sql;
	CfdwSqlArg args[3];

	cfdw_sql_begin(&sql, false);
	cfdw_sql_run(&sql, "INSERT INTO checkpoint_fdw.checkpoint (foreign_table, consumer, partition)"
					   " VALUES ($1, $2, $3::jsonb) ON CONFLICT DO NOTHING",
				 SPI_OK_INSERT, stream_args(stream, args), args);
	cfdw_sql_end(&sql);
}

/*
 * The insert waits for a session that has inserted the row and not committed
 * yet; where nobody may wait, a lock_timeout in a subtransaction tells.
 */
static bool
insert_row_or_busy(const CfdwStream *stream)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	volatile bool busy = false;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		int level = NewGUCNestLevel();

		(void) set_config_option("lock_timeout", "1ms", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
		insert_row(stream);
		AtEOXact_GUC(false, level);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		ErrorData *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		if (error->sqlerrcode != ERRCODE_LOCK_NOT_AVAILABLE)
			PG_RE_THROW();
		FlushErrorState();
		FreeErrorData(error);
		RollbackAndReleaseCurrentSubTransaction();
		busy = true;
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	return busy;
}

/* One try to lock the row; sets *busy if somebody else holds it and we do not wait. */
static bool
try_lock(CfdwCheckpoint *checkpoint, bool *busy)
{
	CfdwSql sql;
	bool locked;

	*busy = false;
	cfdw_sql_begin(&sql, false);
	locked = select_checkpoint(&sql, checkpoint, cfdw_guc_on_busy == CFDW_ON_BUSY_WAIT ? SELECT_CHECKPOINT " FOR UPDATE" : SELECT_CHECKPOINT " FOR UPDATE SKIP LOCKED");
	if (!locked && cfdw_guc_on_busy != CFDW_ON_BUSY_WAIT)
		*busy = select_checkpoint(&sql, checkpoint, SELECT_CHECKPOINT);
	cfdw_sql_end(&sql);
	return locked;
}

/* Was the row written by a transaction that the statement's snapshot does not see? */
static bool
is_too_new(const CfdwCheckpoint *checkpoint, Snapshot snapshot)
{
	TransactionId xmin = checkpoint->xmin;

	if (snapshot == NULL || !TransactionIdIsNormal(xmin) || TransactionIdIsCurrentTransactionId(xmin))
		return false;
	/* a frozen row keeps its old xmin, which after a wraparound seems to lie in the future */
	if (TransactionIdFollowsOrEquals(xmin, ReadNextTransactionId()))
		return false;
	return XidInMVCCSnapshot(xmin, snapshot);
}

/* Has a reset taken away a row that the statement's snapshot still sees? */
static bool
was_reset(const CfdwCheckpoint *checkpoint, Snapshot snapshot)
{
	int64 seen;

	if (snapshot == NULL)
		return false;
	PushActiveSnapshot(snapshot);
	seen = cfdw_checkpoint_read(&checkpoint->stream)->id;
	PopActiveSnapshot();
	return seen != 0 && seen != checkpoint->id;
}

CfdwCheckpoint *
cfdw_checkpoint_lock(const CfdwStream *stream, const CfdwConsumer *consumer)
{
	CfdwCheckpoint *checkpoint = new_checkpoint(stream);
	bool made = false;
	bool busy;

	while (!try_lock(checkpoint, &busy))
	{
		made = true;
		if (!busy && cfdw_guc_on_busy == CFDW_ON_BUSY_WAIT)
			insert_row(stream);
		else if (!busy)
			busy = insert_row_or_busy(stream);
		if (busy && cfdw_guc_on_busy == CFDW_ON_BUSY_SKIP)
			return NULL;
		if (busy)
			ereport(ERROR,
					(errcode(ERRCODE_LOCK_NOT_AVAILABLE),
					 errmsg("the checkpoint of foreign table \"%s\" is in use by another session", get_rel_name(stream->foreign_table)),
					 errhint("Run the statement again later, or SET checkpoint_fdw.on_busy = wait.")));
	}
	if ((IsolationUsesXactSnapshot() || !consumer->insert_only) &&
		(is_too_new(checkpoint, consumer->snapshot) || (made && was_reset(checkpoint, consumer->snapshot))))
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("the checkpoint of foreign table \"%s\" moved while this statement waited for it", get_rel_name(stream->foreign_table)),
				 errdetail("The statement reads other tables as they were before that load."),
				 errhint("Nothing was read from the API; run the statement again.")));
	checkpoint->touched = cfdw_touched_add(stream->foreign_table, stream->consumer, stream->partition);
	return checkpoint;
}

/* ---- targets ---- */

void
cfdw_checkpoint_check_target(const CfdwCheckpoint *checkpoint, const CfdwConsumer *consumer)
{
	if (cfdw_guc_plan_guard == CFDW_GUARD_OFF || consumer->from_beginning ||
		checkpoint->target == NULL || consumer->target_name == NULL ||
		strcmp(checkpoint->target, consumer->target_name) == 0)
		return;
	ereport(cfdw_guc_plan_guard == CFDW_GUARD_WARNING ? WARNING : ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("consumer \"%s\" of foreign table \"%s\" feeds table %s, not %s", checkpoint->stream.consumer,
					get_rel_name(checkpoint->stream.foreign_table), checkpoint->target, consumer->target_name),
			 errdetail("The records before the checkpoint are in %s only.", checkpoint->target),
			 errhint("SET checkpoint_fdw.consumer to a name of its own for each target; or SET checkpoint_fdw.advance = never only to look; or, if the table was renamed, SELECT checkpoint_fdw.accept_change('%s').", get_rel_name(checkpoint->stream.foreign_table))));
}

/* ---- meaning ---- */

void
cfdw_checkpoint_check_meaning(const CfdwCheckpoint *checkpoint, const char *fingerprint, bool peek)
{
	const char *name = get_rel_name(checkpoint->stream.foreign_table);
	char *what = checkpoint->fingerprint ? cfdw_fingerprint_difference(checkpoint->fingerprint, fingerprint) : NULL;

	if (what == NULL || (peek && strcmp(what, CFDW_FINGERPRINT_USER) == 0))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("%s of foreign table \"%s\" has changed since its checkpoint was written", what, name),
			 errdetail("The stored position may mean something else now."),
			 errhint("Undo the change; or SELECT checkpoint_fdw.accept_change('%s') to go on from it all the same; or checkpoint_fdw.reset('%s') to load everything again.", name, name)));
}

/* ---- write ---- */

typedef struct KeyArray
{
	ArrayBuildState *state;
} KeyArray;

static void
collect_key(const char *key, void *arg)
{
	KeyArray *keys = arg;

	keys->state = accumArrayResult(keys->state, CStringGetTextDatum(key), false, TEXTOID, CurrentMemoryContext);
}

/* The keys of the new position take the place of the old ones, which stay as history of this batch. */
static void
write_keys(CfdwSql *sql, const CfdwCheckpoint *checkpoint, CfdwWalk *walk)
{
	KeyArray keys = {NULL};
	CfdwSqlArg args[3] = {cfdw_sql_int8(checkpoint->id), cfdw_sql_int8(checkpoint->batch), {TEXTARRAYOID, (Datum) 0, false}};

	cfdw_walk_each_key(walk, collect_key, &keys);
	args[2].value = keys.state ? makeArrayResult(keys.state, CurrentMemoryContext) : PointerGetDatum(construct_empty_array(TEXTOID));
	cfdw_sql_run(sql, "UPDATE checkpoint_fdw.delivered_key SET gone = $2 WHERE checkpoint_id = $1 AND gone IS NULL"
					  " AND key NOT IN (SELECT k FROM unnest($3) k)",
				 SPI_OK_UPDATE, 3, args);
	cfdw_sql_run(sql, "INSERT INTO checkpoint_fdw.delivered_key (checkpoint_id, batch, key) SELECT $1, $2, k FROM unnest($3) k"
					  " WHERE k NOT IN (SELECT key FROM checkpoint_fdw.delivered_key WHERE checkpoint_id = $1 AND gone IS NULL)",
				 SPI_OK_INSERT, 3, args);
}

int64
cfdw_checkpoint_batch(CfdwCheckpoint *checkpoint)
{
	bool isnull;
	CfdwSql sql;

	if (checkpoint->batch > 0)
		return checkpoint->batch;
	cfdw_sql_begin(&sql, false);
	cfdw_sql_run(&sql, "SELECT nextval('checkpoint_fdw.batch_seq')", SPI_OK_SELECT, 0, NULL);
	checkpoint->batch = DatumGetInt64(cfdw_sql_get(0, 1, &isnull));
	cfdw_sql_end(&sql);
	return checkpoint->batch;
}

/* What is older than the kept history goes for good: batches, and keys that they pruned. */
static void
prune_history(CfdwSql *sql, const CfdwCheckpoint *checkpoint)
{
	CfdwSqlArg args[2] = {cfdw_sql_int8(checkpoint->id), cfdw_sql_int8(cfdw_guc_batch_history)};
	bool isnull;

	if (cfdw_sql_run(sql, "SELECT batch FROM checkpoint_fdw.batch WHERE checkpoint_id = $1 ORDER BY batch DESC OFFSET $2 LIMIT 1",
					 SPI_OK_SELECT, 2, args) == 0)
		return;
	args[1] = cfdw_sql_int8(DatumGetInt64(cfdw_sql_get(0, 1, &isnull)));
	cfdw_sql_run(sql, "DELETE FROM checkpoint_fdw.batch WHERE checkpoint_id = $1 AND batch <= $2", SPI_OK_DELETE, 2, args);
	cfdw_sql_run(sql, "DELETE FROM checkpoint_fdw.delivered_key WHERE checkpoint_id = $1 AND gone <= $2", SPI_OK_DELETE, 2, args);
}

static void
write_batch(CfdwSql *sql, const CfdwCheckpoint *checkpoint, const char *position, const CfdwWalkCounts *counts,
			const char *target, TimestampTz started_at)
{
	CfdwSqlArg args[] = {
		cfdw_sql_int8(checkpoint->batch),
		cfdw_sql_int8(checkpoint->id),
		cfdw_sql_text(target),
		cfdw_sql_text(checkpoint->position),
		cfdw_sql_text(position),
		cfdw_sql_int8(counts->records),
		cfdw_sql_int8(counts->skipped),
		cfdw_sql_int8(counts->held_back),
		cfdw_sql_int8(counts->rejected),
		cfdw_sql_int8(counts->pages),
		cfdw_sql_int8(counts->requests),
		cfdw_sql_int8(counts->retries),
		cfdw_sql_int8(counts->bytes),
		{TIMESTAMPTZOID, TimestampTzGetDatum(started_at), false}};

	cfdw_sql_run(sql, "INSERT INTO checkpoint_fdw.batch (batch, checkpoint_id, target, from_position, to_position,"
					  " records, skipped, held_back, rejected, pages, requests, retries, bytes, started_at)"
					  " VALUES ($1, $2, $3, $4::jsonb, $5::jsonb, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
				 SPI_OK_INSERT, lengthof(args), args);
	prune_history(sql, checkpoint);
}

/* The row itself; moved: position, batch and the like, else only that the end of the list was seen. */
static void
update_row(CfdwSql *sql, const CfdwCheckpoint *checkpoint, const CfdwWalk *walk, bool moved, const char *position, bool pending,
		   const char *target, const char *fingerprint)
{
	CfdwSqlArg args[] = {
		cfdw_sql_int8(checkpoint->id),
		cfdw_sql_text(checkpoint->position),
		cfdw_sql_text(position),
		cfdw_sql_text(target),
		cfdw_sql_text(fingerprint),
		cfdw_sql_int8(checkpoint->batch),
		cfdw_sql_bool(pending),
		cfdw_sql_bool(moved),
		cfdw_sql_bool(cfdw_walk_at_end(walk)),
		cfdw_sql_int8(cfdw_walk_counts(walk)->held_back),
		cfdw_sql_int8(cfdw_walk_pause_ms(walk))};

	if (cfdw_sql_run(sql, "UPDATE checkpoint_fdw.checkpoint SET position = $3::jsonb, target = coalesce($4, target), fingerprint = $5,"
						  " batch = CASE WHEN $8 THEN $6 ELSE batch END, pending = $7,"
						  " updated_at = CASE WHEN $8 THEN clock_timestamp() ELSE updated_at END,"
						  " checked_at = CASE WHEN $9 THEN clock_timestamp() ELSE checked_at END,"
						  " held_back = CASE WHEN $9 THEN $10 ELSE held_back END,"
						  " not_before = CASE WHEN $11 > 0 THEN clock_timestamp() + $11 * interval '1 ms' END, failures = 0, last_error = NULL"
						  " WHERE id = $1 AND position IS NOT DISTINCT FROM $2::jsonb",
					 SPI_OK_UPDATE, lengthof(args), args) != 1)
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("the checkpoint of foreign table \"%s\" was changed while it was being advanced", get_rel_name(checkpoint->stream.foreign_table)),
				 errhint("Run the statement again; do not reset or advance a checkpoint from within the statement that loads.")));
}

/* The stored position in our own spelling (jsonb orders members its own way). */
static const char *
stored_position(const CfdwCheckpoint *checkpoint)
{
	CfdwPosition position;
	CfdwError err;

	if (!cfdw_position_parse(CurrentMemoryContext, checkpoint->position, &position, &err))
		return "";
	return cfdw_position_dump(CurrentMemoryContext, &position);
}

bool
cfdw_checkpoint_has_moved(const CfdwCheckpoint *checkpoint, const CfdwWalk *walk)
{
	CfdwPosition position = cfdw_walk_position(walk);

	return cfdw_walk_counts(walk)->records > 0 || cfdw_walk_counts(walk)->rejected > 0 ||
		   strcmp(cfdw_position_dump(CurrentMemoryContext, &position), stored_position(checkpoint)) != 0;
}

/* Is a walk open?  One over an iterator has no page to go on from, but has not seen all. */
static bool
is_pending(const CfdwPosition *position)
{
	return position->pages > 0 || position->started != 0;
}

static void
note_write(const CfdwCheckpoint *checkpoint, const CfdwWalk *walk)
{
	const CfdwWalkCounts *counts = cfdw_walk_counts(walk);
	CfdwPosition position = cfdw_walk_position(walk);
	CfdwTouched *touched = checkpoint->touched;

	touched->written = true;
	touched->batch = checkpoint->batch;
	touched->pages = counts->pages;
	touched->records = counts->records;
	touched->rejected = counts->rejected;
	touched->pending = is_pending(&position);
	touched->pause_ms = cfdw_walk_pause_ms(walk);
	touched->complete = cfdw_walk_at_end(walk);
}

void
cfdw_checkpoint_write(CfdwCheckpoint *checkpoint, CfdwWalk *walk, bool keys_too, const CfdwConsumer *consumer,
					  const char *fingerprint, TimestampTz started_at)
{
	CfdwPosition position = cfdw_walk_position(walk);
	char *text = cfdw_position_dump(CurrentMemoryContext, &position);
	const char *target = consumer->target_is_new ? NULL : consumer->target_name;
	bool moved = cfdw_checkpoint_has_moved(checkpoint, walk);
	CfdwSql sql;

	if (moved)
		cfdw_checkpoint_batch(checkpoint);
	else
		checkpoint->batch = 0; /* drawn, and not needed */
	cfdw_sql_begin(&sql, false);
	if (moved)
		write_batch(&sql, checkpoint, text, cfdw_walk_counts(walk), consumer->target_name, started_at);
	if (moved && keys_too)
		write_keys(&sql, checkpoint, walk);
	update_row(&sql, checkpoint, walk, moved, text, is_pending(&position), target, fingerprint);
	cfdw_sql_end(&sql);
	note_write(checkpoint, walk);
	if (cfdw_walk_pause_ms(walk) > 0)
		ereport(NOTICE,
				(errmsg("the API wants to be left alone for " INT64_FORMAT " s; foreign table \"%s\" has more", (cfdw_walk_pause_ms(walk) + 999) / 1000,
						get_rel_name(checkpoint->stream.foreign_table))));
}

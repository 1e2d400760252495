/*
 * admin.c
 *	  Statements on the catalog behind the functions for users.
 */
#include "admin.h"

#include "catalog/pg_type.h"
#include "sql.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#define STREAMS \
	" c.foreign_table = $1 AND ($2 IS NULL OR c.consumer = $2) AND ($3 IS NULL OR c.partition = $3::jsonb)"

static int
stream_args(Oid foreign_table, const char *consumer, const char *partition, CfdwSqlArg *args)
{
	args[0] = cfdw_sql_oid(foreign_table);
	args[1] = cfdw_sql_text(consumer);
	args[2] = cfdw_sql_text(partition);
	return 3;
}

/* Lock the rows, in the order of their ids, and return the ids as an array of bigint in the current context. */
static Datum
lock_streams(CfdwSql *sql, Oid foreign_table, const char *consumer, const char *partition, int64 *count)
{
	CfdwSqlArg args[3];
	bool isnull;

	cfdw_sql_run(sql, "SELECT coalesce(array_agg(t.id), '{}'), count(*) FROM"
					  " (SELECT c.id FROM checkpoint_fdw.checkpoint c WHERE" STREAMS " ORDER BY c.id FOR UPDATE) t",
				 SPI_OK_SELECT, stream_args(foreign_table, consumer, partition, args), args);
	*count = DatumGetInt64(cfdw_sql_get(0, 2, &isnull));
	return cfdw_sql_get(0, 1, &isnull);
}

/* Run one statement over the ids ($1), with at most one more argument. */
static void
run_on(CfdwSql *sql, Datum ids, const char *query, int expected, const CfdwSqlArg *more)
{
	CfdwSqlArg args[2] = {{INT8ARRAYOID, ids, false}, more ? *more : cfdw_sql_text(NULL)};

	cfdw_sql_run(sql, query, expected, more ? 2 : 1, args);
}

int64
cfdw_admin_reset(Oid foreign_table, const char *consumer, const char *partition)
{
	int64 count;
	Datum ids;
	CfdwSql sql;

	cfdw_sql_begin(&sql, false);
	ids = lock_streams(&sql, foreign_table, consumer, partition, &count);
	run_on(&sql, ids, "DELETE FROM checkpoint_fdw.delivered_key WHERE checkpoint_id = ANY ($1)", SPI_OK_DELETE, NULL);
	run_on(&sql, ids, "DELETE FROM checkpoint_fdw.rejected_record WHERE checkpoint_id = ANY ($1)", SPI_OK_DELETE, NULL);
	run_on(&sql, ids, "DELETE FROM checkpoint_fdw.batch WHERE checkpoint_id = ANY ($1)", SPI_OK_DELETE, NULL);
	run_on(&sql, ids, "DELETE FROM checkpoint_fdw.checkpoint WHERE id = ANY ($1)", SPI_OK_DELETE, NULL);
	cfdw_sql_end(&sql);
	return count;
}

static void
insert_stream(CfdwSql *sql, Oid foreign_table, const char *consumer, const char *partition)
{
	CfdwSqlArg args[3];

	cfdw_sql_run(sql, "INSERT INTO checkpoint_fdw.checkpoint (foreign_table, consumer, partition)"
					  " VALUES ($1, $2, coalesce($3, '{}')::jsonb) ON CONFLICT DO NOTHING",
				 SPI_OK_INSERT, stream_args(foreign_table, consumer, partition, args), args);
}

/* A batch without records, so that rewind undoes it. */
int64
cfdw_admin_set_position(Oid foreign_table, const char *consumer, const char *partition, const char *position, bool keep_keys)
{
	CfdwSqlArg text = cfdw_sql_text(position);
	int64 count;
	Datum ids;
	CfdwSql sql;

	cfdw_sql_begin(&sql, false);
	insert_stream(&sql, foreign_table, consumer, partition);
	ids = lock_streams(&sql, foreign_table, consumer, partition, &count);
	run_on(&sql, ids, "WITH b AS (INSERT INTO checkpoint_fdw.batch (checkpoint_id, from_position, to_position, records, skipped, pages, requests, bytes, started_at)"
					  " SELECT id, position, $2::jsonb, 0, 0, 0, 0, 0, clock_timestamp() FROM checkpoint_fdw.checkpoint WHERE id = ANY ($1)"
					  " RETURNING batch, checkpoint_id)"
					  " UPDATE checkpoint_fdw.checkpoint c SET position = $2::jsonb, fingerprint = NULL, updated_at = clock_timestamp(),"
					  " pending = coalesce($2::jsonb ?| '{pages,started}', false), batch = b.batch FROM b WHERE c.id = b.checkpoint_id",
		   SPI_OK_UPDATE, &text);
	if (!keep_keys)
		run_on(&sql, ids, "UPDATE checkpoint_fdw.delivered_key k SET gone = c.batch FROM checkpoint_fdw.checkpoint c"
						  " WHERE c.id = ANY ($1) AND k.checkpoint_id = c.id AND k.gone IS NULL",
			   SPI_OK_UPDATE, NULL);
	cfdw_sql_end(&sql);
	return count;
}

int64
cfdw_admin_restart_walk(Oid foreign_table, const char *consumer, const char *partition)
{
	int64 count;
	Datum ids;
	CfdwSql sql;

	cfdw_sql_begin(&sql, false);
	ids = lock_streams(&sql, foreign_table, consumer, partition, &count);
	run_on(&sql, ids, "UPDATE checkpoint_fdw.checkpoint SET position = CASE WHEN position ?| '{page,next}'"
					  " THEN position - '{page,next,pages,loop}'::text[] ELSE position - '{sync_token,loop}'::text[] END WHERE id = ANY ($1)",
		   SPI_OK_UPDATE, NULL);
	cfdw_sql_end(&sql);
	return count;
}

int64
cfdw_admin_accept_change(Oid foreign_table, const char *consumer, const char *partition, bool keep_page)
{
	CfdwSqlArg keep = cfdw_sql_bool(keep_page);
	int64 count;
	Datum ids;
	CfdwSql sql;

	cfdw_sql_begin(&sql, false);
	ids = lock_streams(&sql, foreign_table, consumer, partition, &count);
	run_on(&sql, ids, "UPDATE checkpoint_fdw.checkpoint SET fingerprint = NULL, target = NULL,"
					  " position = (CASE WHEN $2 THEN position ELSE position - '{page,next,pages,loop}'::text[] END)"
					  " #- '{since,text}' #- '{high,text}' WHERE id = ANY ($1)", /* as the API wrote them, perhaps in another format */
		   SPI_OK_UPDATE, &keep);
	cfdw_sql_end(&sql);
	return count;
}

/* New streams (n) of consumer $3 with those of consumer $2 (c) that they are copies of. */
#define COPIES \
	" (SELECT * FROM checkpoint_fdw.checkpoint WHERE foreign_table = $1 AND consumer = $3) n" \
	" JOIN checkpoint_fdw.checkpoint c ON c.foreign_table = $1 AND c.consumer = $2 AND c.partition = n.partition"

int64
cfdw_admin_fork(Oid foreign_table, const char *from_consumer, const char *to_consumer)
{
	CfdwSqlArg args[3] = {cfdw_sql_oid(foreign_table), cfdw_sql_text(from_consumer), cfdw_sql_text(to_consumer)};
	int64 count;
	CfdwSql sql;

	cfdw_sql_begin(&sql, false);
	(void) lock_streams(&sql, foreign_table, from_consumer, NULL, &count);
	if (cfdw_sql_run(&sql, "SELECT FROM checkpoint_fdw.checkpoint WHERE foreign_table = $1 AND consumer = $3 AND $2 IS NOT NULL LIMIT 1",
					 SPI_OK_SELECT, 3, args) > 0)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("consumer \"%s\" of foreign table \"%s\" has a checkpoint already", to_consumer, get_rel_name(foreign_table)),
				 errhint("Choose another name, or reset that consumer first.")));
	cfdw_sql_run(&sql, "INSERT INTO checkpoint_fdw.checkpoint (foreign_table, consumer, partition, position, fingerprint, pending, updated_at)"
					   " SELECT foreign_table, $3, partition, position, fingerprint, pending, clock_timestamp() FROM checkpoint_fdw.checkpoint"
					   " WHERE foreign_table = $1 AND consumer = $2",
				 SPI_OK_INSERT, 3, args);
	cfdw_sql_run(&sql, "INSERT INTO checkpoint_fdw.delivered_key (checkpoint_id, batch, key, \"timestamp\")"
					   " SELECT n.id, k.batch, k.key, k.\"timestamp\" FROM" COPIES " JOIN checkpoint_fdw.delivered_key k ON k.checkpoint_id = c.id AND k.gone IS NULL",
				 SPI_OK_INSERT, 3, args);
	cfdw_sql_run(&sql, "INSERT INTO checkpoint_fdw.rejected_record (checkpoint_id, batch, key, \"timestamp\", record, sqlstate, error, rejected_at)"
					   " SELECT n.id, r.batch, r.key, r.\"timestamp\", r.record, r.sqlstate, r.error, r.rejected_at FROM" COPIES " JOIN checkpoint_fdw.rejected_record r ON r.checkpoint_id = c.id AND r.corrected IS NULL AND r.key IS NOT NULL",
				 SPI_OK_INSERT, 3, args);
	cfdw_sql_end(&sql);
	return count;
}

int64
cfdw_admin_discard_rejected(Oid foreign_table, const char *consumer, const char *partition, int64 last)
{
	CfdwSqlArg args[4];
	int64 count;
	CfdwSql sql;

	stream_args(foreign_table, consumer, partition, args);
	args[3] = cfdw_sql_int8(last);
	cfdw_sql_begin(&sql, false);
	count = (int64) cfdw_sql_run(&sql, "DELETE FROM checkpoint_fdw.rejected_record r USING checkpoint_fdw.checkpoint c"
									   " WHERE r.checkpoint_id = c.id AND r.id <= $4 AND" STREAMS,
								 SPI_OK_DELETE, lengthof(args), args);
	cfdw_sql_end(&sql);
	return count;
}

Oid
cfdw_admin_table_of_batch(int64 batch)
{
	CfdwSqlArg args[1] = {cfdw_sql_int8(batch)};
	Oid table = InvalidOid;
	bool isnull;
	CfdwSql sql;

	cfdw_sql_begin(&sql, true);
	if (cfdw_sql_run(&sql, "SELECT c.foreign_table FROM checkpoint_fdw.batch b JOIN checkpoint_fdw.checkpoint c ON c.id = b.checkpoint_id WHERE b.batch = $1",
					 SPI_OK_SELECT, 1, args) > 0)
		table = DatumGetObjectId(cfdw_sql_get(0, 1, &isnull));
	cfdw_sql_end(&sql);
	return table;
}

int64
cfdw_admin_rewind(int64 batch)
{
	CfdwSqlArg args[2] = {cfdw_sql_int8(batch)};
	int64 undone;
	bool isnull;
	CfdwSql sql;

	cfdw_sql_begin(&sql, false);
	if (cfdw_sql_run(&sql, "SELECT c.id FROM checkpoint_fdw.checkpoint c JOIN checkpoint_fdw.batch b ON b.checkpoint_id = c.id"
						   " WHERE b.batch = $1 FOR UPDATE OF c",
					 SPI_OK_SELECT, 1, args) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("batch " INT64_FORMAT " is gone: it was rewound or reset meanwhile", batch)));
	args[1] = cfdw_sql_int8(DatumGetInt64(cfdw_sql_get(0, 1, &isnull)));
	cfdw_sql_run(&sql, "UPDATE checkpoint_fdw.checkpoint c SET position = b.from_position, pending = coalesce(b.from_position ?| '{pages,started}', false),"
					   " updated_at = clock_timestamp(),"
					   " batch = (SELECT max(p.batch) FROM checkpoint_fdw.batch p WHERE p.checkpoint_id = $2 AND p.batch < $1)"
					   " FROM checkpoint_fdw.batch b WHERE b.batch = $1 AND c.id = $2",
				 SPI_OK_UPDATE, 2, args);
	cfdw_sql_run(&sql, "DELETE FROM checkpoint_fdw.delivered_key WHERE checkpoint_id = $2 AND batch >= $1", SPI_OK_DELETE, 2, args);
	cfdw_sql_run(&sql, "UPDATE checkpoint_fdw.delivered_key SET gone = NULL WHERE checkpoint_id = $2 AND gone >= $1", SPI_OK_UPDATE, 2, args);
	cfdw_sql_run(&sql, "DELETE FROM checkpoint_fdw.rejected_record WHERE checkpoint_id = $2 AND batch >= $1", SPI_OK_DELETE, 2, args);
	cfdw_sql_run(&sql, "UPDATE checkpoint_fdw.rejected_record SET corrected = NULL WHERE checkpoint_id = $2 AND corrected >= $1", SPI_OK_UPDATE, 2, args);
	undone = (int64) cfdw_sql_run(&sql, "DELETE FROM checkpoint_fdw.batch WHERE checkpoint_id = $2 AND batch >= $1", SPI_OK_DELETE, 2, args);
	cfdw_sql_end(&sql);
	return undone;
}

/* ---- for ingest and run ---- */

/* A row that is locked belongs to another load by now, which will have its own result. */
void
cfdw_admin_record_failure(const CfdwTouched *touched, const char *message)
{
	CfdwSqlArg args[4];
	CfdwSql sql;

	stream_args(touched->foreign_table, touched->consumer, touched->partition, args);
	args[3] = cfdw_sql_text(message);
	cfdw_sql_begin(&sql, false);
	insert_stream(&sql, touched->foreign_table, touched->consumer, touched->partition);
	cfdw_sql_run(&sql, "UPDATE checkpoint_fdw.checkpoint SET failures = failures + 1, last_error = $4"
					   " WHERE id IN (SELECT c.id FROM checkpoint_fdw.checkpoint c WHERE" STREAMS " FOR UPDATE SKIP LOCKED)",
				 SPI_OK_UPDATE, 4, args);
	cfdw_sql_end(&sql);
}

void
cfdw_admin_reject(const CfdwTouched *touched, const char *record, const char *sqlstate, const char *message)
{
	CfdwSqlArg args[] = {cfdw_sql_int8(touched->batch), {BYTEAOID, CStringGetTextDatum(record), false}, cfdw_sql_text(sqlstate), cfdw_sql_text(message)};
	CfdwSql sql;

	cfdw_sql_begin(&sql, false);
	cfdw_sql_run(&sql, "INSERT INTO checkpoint_fdw.rejected_record (checkpoint_id, batch, record, sqlstate, error)"
					   " SELECT checkpoint_id, batch, $2, $3, $4 FROM checkpoint_fdw.batch WHERE batch = $1",
				 SPI_OK_INSERT, lengthof(args), args);
	cfdw_sql_run(&sql, "UPDATE checkpoint_fdw.batch SET rejected = rejected + 1, records = records - 1 WHERE batch = $1", SPI_OK_UPDATE, 1, args);
	cfdw_sql_end(&sql);
}

char *
cfdw_admin_completed_at(Oid foreign_table, Oid user, const char *consumer, const char *key)
{
	CfdwSqlArg args[] = {cfdw_sql_oid(foreign_table), cfdw_sql_text(consumer), cfdw_sql_text(key), cfdw_sql_oid(user)};
	MemoryContext context = CurrentMemoryContext;
	char *when;
	CfdwSql sql;

	cfdw_sql_begin(&sql, true);
	cfdw_sql_run(&sql, "SELECT min(completed_at)::text FROM checkpoint_fdw.completed_call"
					   " WHERE (foreign_table = $1 OR $1 = 0) AND consumer = $2 AND key = $3 AND has_table_privilege($4, foreign_table, 'UPDATE')",
				 SPI_OK_SELECT, lengthof(args), args);
	when = cfdw_sql_get_text(context, 0, 1);
	cfdw_sql_end(&sql);
	return when;
}

/* Another call with the same key may have been faster. */
void
cfdw_admin_complete(Oid foreign_table, const char *consumer, const char *key)
{
	CfdwSqlArg args[3];
	CfdwSql sql;

	cfdw_sql_begin(&sql, false);
	cfdw_sql_run(&sql, "INSERT INTO checkpoint_fdw.completed_call (foreign_table, consumer, key) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
				 SPI_OK_INSERT, stream_args(foreign_table, consumer, key, args), args);
	cfdw_sql_end(&sql);
}

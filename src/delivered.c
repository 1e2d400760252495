/*
 * delivered.c
 *	  Looking up, adding and pruning delivered keys.
 */
#include "delivered.h"

#include "catalog/pg_type.h"
#include "sql.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* What stands for "no timestamp" in a primary key. */
#define NO_STAMP PG_INT64_MIN

#define FORGET "UPDATE checkpoint_fdw.delivered_key SET gone = $2 WHERE checkpoint_id = $1 AND gone IS NULL"

/* Entries that are written at once. */
#define PORTION 1000

struct CfdwDelivered
{
	CfdwCheckpoint *checkpoint;
	bool writes;
	bool afresh;
	MemoryContext portion; /* of the entries that wait to be written */
	int count;
	Datum keys[PORTION];
	Datum ticks[PORTION];
	CfdwKeys *own; /* a scan that does not write: what it has handed up */
};

CfdwDelivered *
cfdw_delivered_open(CfdwCheckpoint *checkpoint, bool writes, bool afresh)
{
	CfdwDelivered *delivered = palloc0(sizeof(CfdwDelivered));

	delivered->checkpoint = checkpoint;
	delivered->writes = writes;
	delivered->afresh = afresh;
	delivered->portion = AllocSetContextCreate(CurrentMemoryContext, "checkpoint_fdw delivered", ALLOCSET_DEFAULT_SIZES);
	delivered->own = cfdw_keys_new(CurrentMemoryContext);
	return delivered;
}

int64
cfdw_delivered_tick(const CfdwStamp *stamp)
{
	return stamp->exists ? stamp->tick : NO_STAMP;
}

/* Key and timestamp as one string. */
static char *
entry_text(const char *key, int64 tick)
{
	return psprintf(INT64_FORMAT " %s", tick, key);
}

/* ---- look up ---- */

/* The catalog's entries for the keys of a page. */
static CfdwKeys *
read_entries(CfdwDelivered *delivered, int count, const CfdwFact *facts)
{
	CfdwKeys *found = cfdw_keys_new(CurrentMemoryContext);
	Datum *keys = palloc(sizeof(Datum) * Max(count, 1));
	CfdwSqlArg args[3] = {cfdw_sql_int8(delivered->checkpoint->id), {TEXTARRAYOID, (Datum) 0, false}, cfdw_sql_int8(delivered->afresh ? delivered->checkpoint->batch : 0)};
	uint64 rows;
	CfdwSql sql;

	for (int i = 0; i < count; i++)
		keys[i] = CStringGetTextDatum(facts[i].key);
	args[1].value = PointerGetDatum(construct_array(keys, count, TEXTOID, -1, false, TYPALIGN_INT));
	cfdw_sql_begin(&sql, !delivered->writes);
	rows = cfdw_sql_run(&sql, "SELECT key, \"timestamp\" FROM checkpoint_fdw.delivered_key"
							  " WHERE checkpoint_id = $1 AND key = ANY ($2) AND gone IS NULL AND batch >= $3",
						SPI_OK_SELECT, 3, args);
	for (uint64 row = 0; row < rows; row++)
	{
		bool isnull;
		char *key = TextDatumGetCString(cfdw_sql_get(row, 1, &isnull));

		cfdw_keys_add(found, entry_text(key, DatumGetInt64(cfdw_sql_get(row, 2, &isnull))));
	}
	cfdw_sql_end(&sql);
	return found;
}

static void write_portion(CfdwDelivered *delivered);

void
cfdw_delivered_look_up(CfdwDelivered *delivered, int count, CfdwFact *facts)
{
	MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext, "checkpoint_fdw look up", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(scratch);
	CfdwKeys *found;

	write_portion(delivered);
	if (delivered->checkpoint->id == 0 || (delivered->afresh && delivered->checkpoint->batch == 0))
		found = cfdw_keys_new(scratch);
	else
		found = read_entries(delivered, count, facts);
	for (int i = 0; i < count; i++)
	{
		char *entry = entry_text(facts[i].key, cfdw_delivered_tick(&facts[i].stamp));

		/* an entry that is added here is one that comes again on this page */
		facts[i].known = cfdw_keys_has(delivered->own, entry) || !cfdw_keys_add(found, entry);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(scratch);
}

/* ---- add ---- */

static void
write_portion(CfdwDelivered *delivered)
{
	CfdwSqlArg args[4];
	CfdwSql sql;

	if (delivered->count == 0)
		return;
	args[0] = cfdw_sql_int8(delivered->checkpoint->id);
	args[1] = cfdw_sql_int8(cfdw_checkpoint_batch(delivered->checkpoint));
	args[2] = (CfdwSqlArg){TEXTARRAYOID, PointerGetDatum(construct_array(delivered->keys, delivered->count, TEXTOID, -1, false, TYPALIGN_INT)), false};
	args[3] = (CfdwSqlArg){INT8ARRAYOID, PointerGetDatum(construct_array(delivered->ticks, delivered->count, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE)), false};
	cfdw_sql_begin(&sql, false);
	cfdw_sql_run(&sql, "INSERT INTO checkpoint_fdw.delivered_key (checkpoint_id, batch, key, \"timestamp\")"
					   " SELECT $1, $2, u.k, u.t FROM unnest($3, $4) u (k, t) ON CONFLICT DO NOTHING",
				 SPI_OK_INSERT, 4, args);
	cfdw_sql_end(&sql);
	delivered->count = 0;
	MemoryContextReset(delivered->portion);
}

void
cfdw_delivered_add(CfdwDelivered *delivered, const CfdwFact *fact)
{
	MemoryContext old;

	if (!delivered->writes)
	{
		char *entry = entry_text(fact->key, cfdw_delivered_tick(&fact->stamp));

		cfdw_keys_add(delivered->own, entry);
		pfree(entry);
		return;
	}
	if (delivered->count == PORTION)
		write_portion(delivered);
	old = MemoryContextSwitchTo(delivered->portion);
	delivered->keys[delivered->count] = CStringGetTextDatum(fact->key);
	delivered->ticks[delivered->count++] = Int64GetDatum(cfdw_delivered_tick(&fact->stamp));
	MemoryContextSwitchTo(old);
}

/* ---- prune ---- */

void
cfdw_delivered_finish(CfdwDelivered *delivered, CfdwKeep keep, int64 from)
{
	CfdwSqlArg args[3];
	CfdwSql sql;

	write_portion(delivered);
	args[0] = cfdw_sql_int8(delivered->checkpoint->id);
	args[1] = cfdw_sql_int8(cfdw_checkpoint_batch(delivered->checkpoint));
	args[2] = cfdw_sql_int8(from);
	cfdw_sql_begin(&sql, false);
	if (delivered->afresh) /* what earlier batches have delivered says nothing any more */
		cfdw_sql_run(&sql, FORGET " AND batch < $2", SPI_OK_UPDATE, 2, args);
	if (keep == CFDW_KEEP_NONE)
		cfdw_sql_run(&sql, FORGET, SPI_OK_UPDATE, 2, args);
	else if (keep == CFDW_KEEP_FROM)
		cfdw_sql_run(&sql, FORGET " AND \"timestamp\" < $3 AND \"timestamp\" <> (-9223372036854775808)::bigint", SPI_OK_UPDATE, 3, args);
	cfdw_sql_end(&sql);
}

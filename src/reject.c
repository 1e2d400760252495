/*
 * reject.c
 *	  Records that do not fit the columns.
 */
#include "reject.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "delivered.h"
#include "lib/stringinfo.h"
#include "sql.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

struct CfdwRejects
{
	CfdwCheckpoint *checkpoint;
	const char *table;
	bool writes;
	MemoryContext context;
	CfdwKeys *keys;      /* with a dead letter that nothing has corrected yet … */
	CfdwKeys *entries;   /* … and their timestamps, as cfdw_delivered keeps both … */
	CfdwKeys *versions;  /* … and the bytes */
	CfdwKeys *corrected; /* of these keys, by this scan */
	int64 passed_over;   /* by a scan that does not write */
	char *first;         /* the error of the first of them */
};

/* ---- what is known ---- */

static char *
entry_text(const char *key, int64 tick)
{
	return psprintf(INT64_FORMAT " %s", tick, key);
}

/* The entry with a hash of the record, two times 64 bits. */
static char *
version_text(const char *entry, CfdwSlice record)
{
	const unsigned char *bytes = (const unsigned char *) record.data;

	return psprintf("%016llx%016llx %s",
					(unsigned long long) hash_bytes_extended(bytes, (int) record.len, 0),
					(unsigned long long) hash_bytes_extended(bytes, (int) record.len, 1), entry);
}

static void
know(CfdwRejects *rejects, const char *key, int64 tick, CfdwSlice record)
{
	char *entry = entry_text(key, tick);

	cfdw_keys_add(rejects->keys, key);
	cfdw_keys_add(rejects->entries, entry);
	cfdw_keys_add(rejects->versions, version_text(entry, record));
}

static void
read_dead_letters(CfdwRejects *rejects)
{
	CfdwSqlArg args[] = {cfdw_sql_int8(rejects->checkpoint->id)};
	MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext, "checkpoint_fdw dead letters", ALLOCSET_DEFAULT_SIZES);
	CfdwSql sql;
	uint64 rows;

	cfdw_sql_begin(&sql, !rejects->writes);
	rows = cfdw_sql_run(&sql, "SELECT key, \"timestamp\", record FROM checkpoint_fdw.rejected_record"
							  " WHERE checkpoint_id = $1 AND corrected IS NULL AND key IS NOT NULL",
						SPI_OK_SELECT, lengthof(args), args);
	MemoryContextSwitchTo(scratch);
	for (uint64 row = 0; row < rows; row++)
	{
		bool isnull;
		char *key = TextDatumGetCString(cfdw_sql_get(row, 1, &isnull));
		int64 tick = DatumGetInt64(cfdw_sql_get(row, 2, &isnull));
		bytea *record = DatumGetByteaPP(cfdw_sql_get(row, 3, &isnull));

		know(rejects, key, tick, (CfdwSlice){VARDATA_ANY(record), VARSIZE_ANY_EXHDR(record)});
		MemoryContextReset(scratch);
	}
	cfdw_sql_end(&sql);
	MemoryContextSwitchTo(rejects->context);
	MemoryContextDelete(scratch);
}

CfdwRejects *
cfdw_rejects_open(CfdwCheckpoint *checkpoint, const char *table, bool writes)
{
	CfdwRejects *rejects = palloc0(sizeof(CfdwRejects));

	rejects->checkpoint = checkpoint;
	rejects->table = table;
	rejects->writes = writes;
	rejects->context = CurrentMemoryContext;
	rejects->keys = cfdw_keys_new(CurrentMemoryContext);
	rejects->entries = cfdw_keys_new(CurrentMemoryContext);
	rejects->versions = cfdw_keys_new(CurrentMemoryContext);
	rejects->corrected = cfdw_keys_new(CurrentMemoryContext);
	if (checkpoint->id > 0)
		read_dead_letters(rejects);
	return rejects;
}

bool
cfdw_rejects_reopens(const CfdwRejects *rejects, const char *key, const CfdwStamp *stamp, CfdwSlice record)
{
	char *entry;

	if (!cfdw_keys_has(rejects->keys, key) || cfdw_keys_has(rejects->corrected, key))
		return false;
	entry = entry_text(key, cfdw_delivered_tick(stamp));
	return cfdw_keys_has(rejects->entries, entry) && !cfdw_keys_has(rejects->versions, version_text(entry, record));
}

bool
cfdw_rejects_corrected(const CfdwRejects *rejects, const char *key, const CfdwStamp *stamp)
{
	return cfdw_keys_has(rejects->corrected, key) && cfdw_keys_has(rejects->entries, entry_text(key, cfdw_delivered_tick(stamp)));
}

/* ---- decoding ---- */

/* What a record can be blamed for: its data, a constraint of a domain, a limit that it exceeds. */
static bool
is_about_record(int sqlstate)
{
	int category = ERRCODE_TO_CATEGORY(sqlstate);

	return category == ERRCODE_DATA_EXCEPTION || category == ERRCODE_INTEGRITY_CONSTRAINT_VIOLATION ||
		   category == ERRCODE_PROGRAM_LIMIT_EXCEEDED;
}

/* NULL if all went well. */
static ErrorData *
decode(CfdwRecordDecoder *decoder, const CfdwRecordInfo *info, Datum *values, bool *isnull)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	ErrorData *volatile error = NULL;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		cfdw_record_decode(decoder, info, values, isnull);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
		if (!is_about_record(error->sqlerrcode))
			ReThrowError(error);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	return error;
}

/* The message with the column, which the first line of the context names. */
static char *
error_text(const ErrorData *error)
{
	if (error->context == NULL)
		return pstrdup(error->message);
	return psprintf("%s, %.*s", error->message, (int) strcspn(error->context, "\n"), error->context);
}

static void
write_dead_letter(CfdwRejects *rejects, const char *key, int64 tick, CfdwSlice record, const ErrorData *error)
{
	CfdwSqlArg args[] = {
		cfdw_sql_int8(rejects->checkpoint->id),
		cfdw_sql_int8(cfdw_checkpoint_batch(rejects->checkpoint)),
		cfdw_sql_text(key),
		cfdw_sql_int8(tick),
		{BYTEAOID, PointerGetDatum(cstring_to_text_with_len(record.data, (int) record.len)), false},
		cfdw_sql_text(unpack_sql_state(error->sqlerrcode)),
		cfdw_sql_text(error_text(error))};
	CfdwSql sql;

	cfdw_sql_begin(&sql, false);
	cfdw_sql_run(&sql, "INSERT INTO checkpoint_fdw.rejected_record (checkpoint_id, batch, key, \"timestamp\", record, sqlstate, error)"
					   " VALUES ($1, $2, $3, $4, $5, $6, $7)",
				 SPI_OK_INSERT, lengthof(args), args);
	cfdw_sql_end(&sql);
}

static void
note_corrected(CfdwRejects *rejects, const char *key)
{
	CfdwSqlArg args[] = {cfdw_sql_int8(rejects->checkpoint->id), cfdw_sql_text(key)};
	CfdwSql sql;

	cfdw_keys_add(rejects->corrected, key);
	if (!rejects->writes)
		return;
	cfdw_sql_begin(&sql, false);
	cfdw_sql_run(&sql, psprintf("UPDATE checkpoint_fdw.rejected_record SET corrected = " INT64_FORMAT " WHERE checkpoint_id = $1 AND key = $2 AND corrected IS NULL", cfdw_checkpoint_batch(rejects->checkpoint)),
				 SPI_OK_UPDATE, lengthof(args), args);
	cfdw_sql_end(&sql);
}

static CfdwDecoded
reject(CfdwRejects *rejects, const CfdwRecordInfo *info, const char *key, const CfdwStamp *stamp, const ErrorData *error)
{
	int64 tick = cfdw_delivered_tick(stamp);

	if (cfdw_keys_has(rejects->versions, version_text(entry_text(key, tick), info->record)))
		return CFDW_REJECTED_AGAIN;
	know(rejects, key, tick, info->record);
	if (rejects->writes)
		write_dead_letter(rejects, key, tick, info->record, error);
	else if (rejects->passed_over++ == 0)
		rejects->first = MemoryContextStrdup(rejects->context, error_text(error));
	return CFDW_REJECTED;
}

CfdwDecoded
cfdw_rejects_decode(CfdwRejects *rejects, CfdwRecordDecoder *decoder, const CfdwRecordInfo *info, const char *key,
					const CfdwStamp *stamp, Datum *values, bool *isnull)
{
	ErrorData *error;

#if PG_VERSION_NUM < 170000 /* later ones allow internal subtransactions there */
	if (IsInParallelMode())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a foreign table with on_record_error 'reject' cannot be read in a parallel query"),
				 errhint("SET max_parallel_workers_per_gather = 0, or use PostgreSQL 17 or later.")));
#endif
	error = decode(decoder, info, values, isnull);
	if (error != NULL)
		return reject(rejects, info, key, stamp, error);
	if (cfdw_keys_has(rejects->keys, key) && !cfdw_keys_has(rejects->corrected, key))
		note_corrected(rejects, key);
	return CFDW_DECODED;
}

void
cfdw_rejects_finish(const CfdwRejects *rejects)
{
	if (rejects->passed_over > 0)
		ereport(WARNING,
				(errcode(ERRCODE_WARNING),
				 errmsg_plural(INT64_FORMAT " record of foreign table \"%s\" was passed over, as it does not fit the columns",
							   INT64_FORMAT " records of foreign table \"%s\" were passed over, as they do not fit the columns",
							   (unsigned long) rejects->passed_over, rejects->passed_over, rejects->table),
				 errdetail("The first error is: %s.", rejects->first),
				 errhint("A load puts such records into the view checkpoint_fdw.rejected.")));
}

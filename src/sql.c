/*
 * sql.c
 *	  The wrapper around SPI.
 */
#include "sql.h"

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#define MAX_ARGS           16
#define STATEMENTS_AT_ONCE 32

CfdwSqlArg
cfdw_sql_text(const char *s)
{
	CfdwSqlArg arg = {TEXTOID, (Datum) 0, s == NULL};

	if (s != NULL)
		arg.value = CStringGetTextDatum(s);
	return arg;
}

CfdwSqlArg
cfdw_sql_int8(int64 value)
{
	CfdwSqlArg arg = {INT8OID, Int64GetDatum(value), false};

	return arg;
}

CfdwSqlArg
cfdw_sql_oid(Oid value)
{
	CfdwSqlArg arg = {OIDOID, ObjectIdGetDatum(value), false};

	return arg;
}

CfdwSqlArg
cfdw_sql_bool(bool value)
{
	CfdwSqlArg arg = {BOOLOID, BoolGetDatum(value), false};

	return arg;
}

/* The owner of the catalog: whoever owns checkpoint_fdw.checkpoint. */
static Oid
catalog_owner(void)
{
	Oid namespace = get_namespace_oid("checkpoint_fdw", true);
	Oid relation = OidIsValid(namespace) ? get_relname_relid("checkpoint", namespace) : InvalidOid;
	HeapTuple tuple = OidIsValid(relation) ? SearchSysCache1(RELOID, ObjectIdGetDatum(relation)) : NULL;
	Oid owner;

	if (!HeapTupleIsValid(tuple))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("the catalog of checkpoint_fdw is missing"),
				 errhint("Run CREATE EXTENSION checkpoint_fdw in this database.")));
	owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	ReleaseSysCache(tuple);
	return owner;
}

static void
set_locally(const char *name, const char *value)
{
	(void) set_config_option(name, value, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

void
cfdw_sql_begin(CfdwSql *sql, bool read_only)
{
	Oid owner = catalog_owner();

	sql->read_only = read_only;
	sql->pushed_snapshot = !ActiveSnapshotSet();
	if (sql->pushed_snapshot)
		PushActiveSnapshot(GetTransactionSnapshot());
	if (SPI_connect() != SPI_OK_CONNECT)
		ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not connect to SPI")));
	GetUserIdAndSecContext(&sql->save_user, &sql->save_sec_context);
	SetUserIdAndSecContext(owner, sql->save_sec_context | SECURITY_LOCAL_USERID_CHANGE | SECURITY_NOFORCE_RLS);
	sql->guc_level = NewGUCNestLevel();
	set_locally("search_path", "pg_catalog, pg_temp");
	set_locally("enable_seqscan", "off");
}

void
cfdw_sql_end(CfdwSql *sql)
{
	AtEOXact_GUC(false, sql->guc_level);
	SetUserIdAndSecContext(sql->save_user, sql->save_sec_context);
	SPI_finish();
	if (sql->pushed_snapshot)
		PopActiveSnapshot();
}

/* Statements that have been run, with their plans. */
typedef struct Statement
{
	const char *query;
	SPIPlanPtr plan;
} Statement;

static Statement *statements = NULL;
static int statement_count = 0;

static SPIPlanPtr
prepare(const char *query, int nargs, Oid *types)
{
	/* a statement is a constant, so its address is enough to know it again */
	for (int i = 0; i < statement_count; i++)
	{
		if (statements[i].query == query)
			return statements[i].plan;
	}
	if (statement_count % STATEMENTS_AT_ONCE == 0)
	{
		Size size = sizeof(Statement) * (statement_count + STATEMENTS_AT_ONCE);

		statements = statements ? repalloc(statements, size) : MemoryContextAlloc(TopMemoryContext, size);
	}
	statements[statement_count].query = query;
	statements[statement_count].plan = SPI_prepare_cursor(query, nargs, types, CURSOR_OPT_GENERIC_PLAN);
	if (statements[statement_count].plan == NULL || SPI_keepplan(statements[statement_count].plan) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not prepare a catalog statement: %s", SPI_result_code_string(SPI_result)),
				 errdetail("Statement: %s", query)));
	return statements[statement_count++].plan;
}

uint64
cfdw_sql_run(CfdwSql *sql, const char *query, int expected, int nargs, const CfdwSqlArg *args)
{
	Oid types[MAX_ARGS];
	Datum values[MAX_ARGS];
	char nulls[MAX_ARGS] = {0};
	int code;

	Assert(nargs <= MAX_ARGS);
	for (int i = 0; i < nargs; i++)
	{
		types[i] = args[i].type;
		values[i] = args[i].value;
		nulls[i] = args[i].isnull ? 'n' : ' ';
	}
	code = SPI_execute_plan(prepare(query, nargs, types), values, nulls, sql->read_only, 0);
	if (code != expected)
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("unexpected result %s of a catalog statement", SPI_result_code_string(code)),
				 errdetail("Statement: %s", query)));
	return SPI_processed;
}

char *
cfdw_sql_get_text(MemoryContext context, uint64 row, int column)
{
	char *value = SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column);

	return value ? MemoryContextStrdup(context, value) : NULL;
}

Datum
cfdw_sql_get(uint64 row, int column, bool *isnull)
{
	return SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column, isnull);
}

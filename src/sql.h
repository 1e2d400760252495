/*
 * sql.h
 *	  SQL run by the extension itself, on its own catalog: one wrapper.
 *
 * Statements run as the owner of the extension's tables with search_path =
 * pg_catalog, pg_temp, and without sequential scans (in SERIALIZABLE
 * transactions these would conflict with every other stream's row).  User,
 * settings and SPI state are undone by (sub)transaction abort if anything
 * fails in between.
 */
#ifndef CFDW_SQL_H
#define CFDW_SQL_H

#include "base.h"
#include "executor/spi.h"

typedef struct CfdwSql
{
	bool read_only; /* under the active snapshot, legal in read-only transactions and on a standby */
	Oid save_user;
	int save_sec_context;
	int guc_level;
	bool pushed_snapshot;
} CfdwSql;

typedef struct CfdwSqlArg
{
	Oid type;
	Datum value;
	bool isnull;
} CfdwSqlArg;

extern CfdwSqlArg cfdw_sql_text(const char *s); /* NULL: null */
extern CfdwSqlArg cfdw_sql_int8(int64 value);
extern CfdwSqlArg cfdw_sql_oid(Oid value);
extern CfdwSqlArg cfdw_sql_bool(bool value);

extern void cfdw_sql_begin(CfdwSql *sql, bool read_only);
extern void cfdw_sql_end(CfdwSql *sql);

/*
 * Run one statement; expected is its SPI_OK_… code, anything else is an
 * ERROR (XX000).  Returns the number of rows; results are in SPI_tuptable
 * until cfdw_sql_end.  query is a string constant, planned once in a session
 * and known again by its address: a statement may visit thousands of streams.
 */
extern uint64 cfdw_sql_run(CfdwSql *sql, const char *query, int expected, int nargs, const CfdwSqlArg *args);

/* A column of a result row as text in the given context, NULL for null. */
extern char *cfdw_sql_get_text(MemoryContext context, uint64 row, int column);
/* A column of a by-value type. */
extern Datum cfdw_sql_get(uint64 row, int column, bool *isnull);

#endif /* CFDW_SQL_H */

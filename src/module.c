/*
 * module.c
 *	  What PostgreSQL sees of the library: the magic block, settings and hooks
 *	  when it is loaded, and the handler with the scan's callbacks.
 */
#include "postgres.h"

#include "checkpoint.h"
#include "consumer.h"
#include "fmgr.h"
#include "foreign/fdwapi.h"
#include "plan.h"
#include "scan.h"
#include "spec.h"
#include "utils/guc.h"

#if PG_VERSION_NUM >= 180000
PG_MODULE_MAGIC_EXT(.name = "checkpoint_fdw", .version = "1.0");
#else
PG_MODULE_MAGIC;
#endif

extern PGDLLEXPORT void _PG_init(void); /* fmgr.h declares it from 16 on only */

PG_FUNCTION_INFO_V1(checkpoint_fdw_handler);

static const struct config_enum_entry advance_words[] = {
	{"auto", CFDW_ADVANCE_AUTO, false},
	{"never", CFDW_ADVANCE_NEVER, false},
	{NULL, 0, false}};

static const struct config_enum_entry start_words[] = {
	{"checkpoint", CFDW_START_CHECKPOINT, false},
	{"beginning", CFDW_START_BEGINNING, false},
	{NULL, 0, false}};

static const struct config_enum_entry on_busy_words[] = {
	{"wait", CFDW_ON_BUSY_WAIT, false},
	{"error", CFDW_ON_BUSY_ERROR, false},
	{"skip", CFDW_ON_BUSY_SKIP, false},
	{NULL, 0, false}};

static const struct config_enum_entry guard_words[] = {
	{"error", CFDW_GUARD_ERROR, false},
	{"warning", CFDW_GUARD_WARNING, false},
	{"off", CFDW_GUARD_OFF, false},
	{NULL, 0, false}};

static bool
check_consumer(char **newval, void **extra, GucSource source)
{
	if (**newval != '\0')
		return true;
	GUC_check_errdetail("A consumer has a name of at least one character.");
	return false;
}

static void
define_settings(void)
{
	DefineCustomEnumVariable("checkpoint_fdw.advance", "Whether statements that store rows move the checkpoint.",
							 NULL, &cfdw_guc_advance, CFDW_ADVANCE_AUTO, advance_words, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomEnumVariable("checkpoint_fdw.start", "Where a scan begins: at the checkpoint or at the beginning.",
							 NULL, &cfdw_guc_start, CFDW_START_CHECKPOINT, start_words, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomEnumVariable("checkpoint_fdw.on_busy", "What to do when another session holds the checkpoint.",
							 NULL, &cfdw_guc_on_busy, CFDW_ON_BUSY_WAIT, on_busy_words, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomEnumVariable("checkpoint_fdw.plan_guard", "What to do with a plan that could take a record and not use it.",
							 NULL, &cfdw_guc_plan_guard, CFDW_GUARD_ERROR, guard_words, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomStringVariable("checkpoint_fdw.consumer", "Name of the consumer; each has its own checkpoint in every foreign table.",
							   NULL, &cfdw_guc_consumer, "default", PGC_USERSET, 0, check_consumer, NULL, NULL);
	DefineCustomIntVariable("checkpoint_fdw.batch_history", "Rows of the commit log that are kept for each checkpoint.",
							NULL, &cfdw_guc_batch_history, 100, 1, 1000000, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("checkpoint_fdw.batch_pages", "Pages after which a load stops, to go on with the next one; 0 leaves it to the foreign table.",
							NULL, &cfdw_guc_batch_pages, 0, 0, INT_MAX, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("checkpoint_fdw.batch_seconds", "Time after which a load stops, at the end of a page; 0 leaves it to the foreign table.",
							NULL, &cfdw_guc_batch_seconds, 0, 0, 86400, PGC_USERSET, GUC_UNIT_S, NULL, NULL, NULL);
	MarkGUCPrefixReserved("checkpoint_fdw");
}

/* Runs once per process, at the first use of the library. */
void
_PG_init(void)
{
	define_settings();
	cfdw_consumer_install(cfdw_scan_is_ours, cfdw_scan_is_checkpointed);
}

Datum
checkpoint_fdw_handler(PG_FUNCTION_ARGS)
{
	FdwRoutine *routine = makeNode(FdwRoutine);

	routine->GetForeignRelSize = cfdwGetForeignRelSize;
	routine->GetForeignPaths = cfdwGetForeignPaths;
	routine->GetForeignPlan = cfdwGetForeignPlan;
	routine->BeginForeignScan = cfdwBeginForeignScan;
	routine->IterateForeignScan = cfdwIterateForeignScan;
	routine->ReScanForeignScan = cfdwReScanForeignScan;
	routine->EndForeignScan = cfdwEndForeignScan;
	PG_RETURN_POINTER(routine);
}

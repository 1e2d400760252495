/*
 * module.c
 *	  What PostgreSQL sees of the library: the magic block, settings and hooks
 *	  when it is loaded, and the handler with the scan's callbacks.
 */
#include "postgres.h"

#include "checkpoint.h"
#include "consumer.h"
#include "explain.h"
#include "fmgr.h"
#include "foreign/fdwapi.h"
#include "plan.h"
#include "scan.h"
#include "guc.h"
#include "spec.h"

#if PG_VERSION_NUM >= 180000
PG_MODULE_MAGIC_EXT(.name = "checkpoint_fdw", .version = "1.0");
#else
PG_MODULE_MAGIC;
#endif

extern PGDLLEXPORT void _PG_init(void); /* fmgr.h declares it from 16 on only */

PG_FUNCTION_INFO_V1(checkpoint_fdw_handler);

/* Runs once per process, at the first use of the library. */
void
_PG_init(void)
{
	cfdw_guc_define();
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
	routine->ExplainForeignScan = cfdwExplainForeignScan;
	PG_RETURN_POINTER(routine);
}

/*
 * call.c
 *	  What the procedures ingest and run need of the library; they are written
 *	  in PL/pgSQL, as only a procedure can commit between two batches.
 */
#include "postgres.h"

#include "access/xact.h"
#include "admin.h"
#include "argument.h"
#include "executor/spi.h"
#include "foreign/fdwapi.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "option.h"
#include "scan.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(checkpoint_fdw_begin_call);
PG_FUNCTION_INFO_V1(checkpoint_fdw_check_source);
PG_FUNCTION_INFO_V1(checkpoint_fdw_touched);
PG_FUNCTION_INFO_V1(checkpoint_fdw_record_failure);
PG_FUNCTION_INFO_V1(checkpoint_fdw_reject);
PG_FUNCTION_INFO_V1(checkpoint_fdw_completed_at);
PG_FUNCTION_INFO_V1(checkpoint_fdw_complete);
PG_FUNCTION_INFO_V1(checkpoint_fdw_throw);

/* ---- before the first batch ---- */

static void
check_transaction(void)
{
	if (IsTransactionBlock() || IsSubTransaction())
		ereport(ERROR,
				(errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
				 errmsg("a procedure that commits after each batch cannot run inside a transaction block"),
				 errhint("Send the CALL as a statement of its own: without BEGIN, without an EXCEPTION clause around it, and without other statements in the same string.")));
	if (!SPI_inside_nonatomic_context())
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TRANSACTION_TERMINATION),
				 errmsg("a procedure that commits after each batch cannot run inside a function"),
				 errhint("Send the CALL as a statement of its own, or from a procedure or DO block that is free to commit: not SECURITY DEFINER, without a SET clause.")));
}

/* With these, each batch would begin where the one before began. */
static void
check_settings(void)
{
	if (cfdw_guc_advance == CFDW_ADVANCE_NEVER)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("checkpoint_fdw.advance is never, so a batch would not move the checkpoint"),
				 errhint("RESET checkpoint_fdw.advance.")));
	if (cfdw_guc_start == CFDW_START_BEGINNING)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("checkpoint_fdw.start is beginning, so each batch would begin there"),
				 errhint("RESET checkpoint_fdw.start, and use checkpoint_fdw.reset() to load everything again.")));
}

Datum
checkpoint_fdw_begin_call(PG_FUNCTION_ARGS)
{
	check_transaction();
	check_settings();
	PG_RETURN_VOID();
}

Datum
checkpoint_fdw_check_source(PG_FUNCTION_ARGS)
{
	Oid relation = cfdw_arg_table(fcinfo, 0);

	if (GetFdwRoutineByRelId(relation)->IterateForeignScan != cfdwIterateForeignScan)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a foreign table of checkpoint_fdw", get_rel_name(relation))));
	(void) cfdw_arg_consumed_table(fcinfo, 0);
	if (cfdw_options_for_table(relation, GetUserId())->checkpoint == CFDW_MODE_NONE)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("foreign table \"%s\" has no checkpoint, so it cannot be loaded in batches", get_rel_name(relation)),
				 errhint("Set the option checkpoint on the table, or load it with a single INSERT … SELECT.")));
	PG_RETURN_VOID();
}

/* ---- after a batch ---- */

Datum
checkpoint_fdw_touched(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	ListCell *cell;

	InitMaterializedSRF(fcinfo, 0);
	foreach(cell, cfdw_touched_list())
	{
		const CfdwTouched *touched = lfirst(cell);
		bool moved = touched->batch > 0;
		Datum values[11] = {ObjectIdGetDatum(touched->foreign_table), CStringGetTextDatum(touched->consumer), CStringGetTextDatum(touched->partition),
							Int64GetDatum(touched->rows), Int64GetDatum(touched->batch), Int64GetDatum(touched->pages), Int64GetDatum(touched->records),
							Int64GetDatum(touched->rejected), BoolGetDatum(touched->pending), BoolGetDatum(touched->complete), Float8GetDatum(touched->pause_ms / 1000.0)};
		bool isnull[11] = {false, false, false, false, !moved};

		for (int i = 5; i < lengthof(isnull); i++)
			isnull[i] = !touched->written;
		tuplestore_putvalues(result->setResult, result->setDesc, values, isnull);
	}
	return (Datum) 0;
}

static CfdwTouched *
last_touched(void)
{
	return cfdw_touched_list() == NIL ? NULL : llast(cfdw_touched_list());
}

/* The stream that the failed statement read last; a failure before any was read belongs to none. */
Datum
checkpoint_fdw_record_failure(PG_FUNCTION_ARGS)
{
	const CfdwTouched *touched = last_touched();

	if (touched != NULL)
		cfdw_admin_record_failure(touched, cfdw_arg_text(fcinfo, 0));
	PG_RETURN_VOID();
}

Datum
checkpoint_fdw_reject(PG_FUNCTION_ARGS)
{
	CfdwTouched *touched = last_touched();

	if (touched == NULL || touched->batch == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("this transaction has taken no record")));
	cfdw_admin_reject(touched, cfdw_arg_text(fcinfo, 0), cfdw_arg_text(fcinfo, 1), cfdw_arg_text(fcinfo, 2));
	touched->rejected++;
	touched->records--;
	PG_RETURN_VOID();
}

/* ---- idempotence keys ---- */

Datum
checkpoint_fdw_completed_at(PG_FUNCTION_ARGS)
{
	Oid relation = PG_ARGISNULL(0) ? InvalidOid : cfdw_arg_consumed_table(fcinfo, 0);
	char *when = cfdw_admin_completed_at(relation, GetUserId(), cfdw_arg_text(fcinfo, 1), cfdw_arg_text(fcinfo, 2));

	if (when == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(when));
}

Datum
checkpoint_fdw_complete(PG_FUNCTION_ARGS)
{
	cfdw_admin_complete(cfdw_arg_consumed_table(fcinfo, 0), cfdw_arg_text(fcinfo, 1), cfdw_arg_text(fcinfo, 2));
	PG_RETURN_VOID();
}

/* ---- errors ---- */

/* A member of the failure, NULL if it is empty: this is how PL/pgSQL says that there is none. */
static char *
text_or_none(Jsonb *failure, const char *name)
{
	char *text = cfdw_arg_member(failure, name);

	return text != NULL && *text != '\0' ? text : NULL;
}

static int
sqlstate_of(const char *text)
{
	if (text == NULL || strlen(text) != 5)
		return ERRCODE_INTERNAL_ERROR;
	return MAKE_SQLSTATE(text[0], text[1], text[2], text[3], text[4]);
}

/* RAISE of PL/pgSQL can neither leave a part of an error out nor give its context back. */
Datum
checkpoint_fdw_throw(PG_FUNCTION_ARGS)
{
	Jsonb *failure = PG_GETARG_JSONB_P(0);
	const char *detail = text_or_none(failure, "detail");
	const char *hint = text_or_none(failure, "hint");
	const char *context = text_or_none(failure, "context");
	static const struct
	{
		const char *member;
		int field;
	} names[] = {
		{"schema_name", PG_DIAG_SCHEMA_NAME},
		{"table_name", PG_DIAG_TABLE_NAME},
		{"column_name", PG_DIAG_COLUMN_NAME},
		{"datatype_name", PG_DIAG_DATATYPE_NAME},
		{"constraint_name", PG_DIAG_CONSTRAINT_NAME}};

	if (errstart(ERROR, TEXTDOMAIN))
	{
		errcode(sqlstate_of(text_or_none(failure, "sqlstate")));
		errmsg_internal("%s", cfdw_arg_member(failure, "message"));
		if (detail)
			errdetail_internal("%s", detail);
		if (hint)
			errhint("%s", hint);
		if (context)
			errcontext("%s", context);
		for (int i = 0; i < lengthof(names); i++)
			if (text_or_none(failure, names[i].member))
				err_generic_string(names[i].field, text_or_none(failure, names[i].member));
		errfinish(__FILE__, __LINE__, __func__);
	}
	PG_RETURN_VOID();
}

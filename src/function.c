/*
 * function.c
 *	  SQL functions about checkpoints; documented by COMMENT ON in the install
 *	  script.
 */
#include "postgres.h"

#include "access/relation.h"
#include "admin.h"
#include "argument.h"
#include "describe.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "option.h"
#include "report.h"
#include "timecol.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(checkpoint_fdw_reset);
PG_FUNCTION_INFO_V1(checkpoint_fdw_set_position);
PG_FUNCTION_INFO_V1(checkpoint_fdw_restart_walk);
PG_FUNCTION_INFO_V1(checkpoint_fdw_accept_change);
PG_FUNCTION_INFO_V1(checkpoint_fdw_fork);
PG_FUNCTION_INFO_V1(checkpoint_fdw_rewind);
PG_FUNCTION_INFO_V1(checkpoint_fdw_position_text);
PG_FUNCTION_INFO_V1(checkpoint_fdw_discard_rejected);
PG_FUNCTION_INFO_V1(checkpoint_fdw_record_text);

static bool
has_store(Oid relation)
{
	return cfdw_mode_has_store(cfdw_options_for_table(relation, GetUserId())->checkpoint);
}

/* ---- for users ---- */

Datum
checkpoint_fdw_reset(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(cfdw_admin_reset(cfdw_arg_owned_table(fcinfo, 0), cfdw_arg_text(fcinfo, 1), cfdw_arg_jsonb(fcinfo, 2)));
}

/* ---- a position written by a person ---- */

static CfdwStamp
parse_since(Oid relation, const CfdwOptions *options, const char *text)
{
	MemoryContext context = CurrentMemoryContext;
	Relation table = relation_open(relation, AccessShareLock);
	CfdwStamp stamp = {false, 0, NULL};

	PG_TRY();
	{
		stamp = cfdw_timecol_parse(cfdw_timecol_open(table, options), text);
	}
	PG_CATCH();
	{
		ErrorData *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		error->hint = pstrdup("Write it as the API does, or as in {\"since\": \"2024-05-01T00:00:00Z\"}.");
		ReThrowError(error);
	}
	PG_END_TRY();
	relation_close(table, AccessShareLock);
	return stamp;
}

/* A member that is not understood would silently mean the beginning. */
static void
check_members(Jsonb *given, const char *understood)
{
	Jsonb *known = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(understood)));
	JsonbIterator *iterator = JsonbIteratorInit(&given->root);
	JsonbIteratorToken token;
	JsonbValue value;

	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token != WJB_KEY || findJsonbValueFromContainer(&known->root, JB_FOBJECT, &value) != NULL)
			continue;
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"%.*s\" says nothing in a position of this table", value.val.string.len, value.val.string.val),
				 errhint("A position looks like the column position of checkpoint_fdw.status; in checkpoint mode timestamp, {\"since\": \"2024-05-01T00:00:00Z\"} will do.")));
	}
}

/* Members that another mode writes would be carried along and mean nothing. */
static void
keep_members_of_mode(CfdwPosition *position, int mode)
{
	if (mode != CFDW_MODE_TIMESTAMP)
		position->since.exists = position->high.exists = position->until.exists = false;
	if (mode != CFDW_MODE_SYNC_TOKEN)
		position->sync_token = position->next_sync_token = NULL;
}

/* The position as the catalog keeps it. */
static char *
parse_position(Oid relation, const CfdwOptions *options, Jsonb *given)
{
	char *since = cfdw_arg_member(given, "since");
	Jsonb *rest = given;
	CfdwPosition position;
	CfdwError err;
	char *text;

	if (since != NULL)
		rest = DatumGetJsonbP(DirectFunctionCall2(jsonb_delete, JsonbPGetDatum(given), CStringGetTextDatum("since")));
	if (!cfdw_position_parse(CurrentMemoryContext, JsonbToCString(NULL, &rest->root, VARSIZE(rest)), &position, &err))
	{
		cfdw_hint(&err, "A position looks like the column position of checkpoint_fdw.status; in checkpoint mode timestamp, {\"since\": \"2024-05-01T00:00:00Z\"} will do.");
		cfdw_report(&err);
	}
	if (since != NULL && options->checkpoint == CFDW_MODE_TIMESTAMP)
		position.since = parse_since(relation, options, since);
	keep_members_of_mode(&position, options->checkpoint);
	text = cfdw_position_dump(CurrentMemoryContext, &position);
	check_members(given, text);
	return text;
}

Datum
checkpoint_fdw_set_position(PG_FUNCTION_ARGS)
{
	Oid relation = cfdw_arg_owned_table(fcinfo, 0);
	CfdwOptions *options = cfdw_options_for_table(relation, GetUserId());
	char *position = PG_ARGISNULL(1) ? NULL : parse_position(relation, options, PG_GETARG_JSONB_P(1));
	char *consumer = cfdw_arg_text(fcinfo, 2);

	PG_RETURN_INT64(cfdw_admin_set_position(relation, consumer ? consumer : cfdw_guc_consumer, cfdw_arg_jsonb(fcinfo, 3), position,
											cfdw_mode_has_store(options->checkpoint)));
}

Datum
checkpoint_fdw_position_text(PG_FUNCTION_ARGS)
{
	Oid relation = cfdw_arg_table(fcinfo, 0);
	CfdwPosition position;
	CfdwError err;

	if (!cfdw_position_parse(CurrentMemoryContext, cfdw_arg_jsonb(fcinfo, 1), &position, &err))
		cfdw_report(&err);
	PG_RETURN_TEXT_P(cstring_to_text(cfdw_describe_position(relation, &position)));
}

Datum
checkpoint_fdw_restart_walk(PG_FUNCTION_ARGS)
{
	Oid relation = cfdw_arg_owned_table(fcinfo, 0);

	if (!has_store(relation))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the page is all that the checkpoint of foreign table \"%s\" has", get_rel_name(relation)),
				 errdetail("In checkpoint mode cursor and offset a walk without it would load every record again."),
				 errhint("Use checkpoint_fdw.rewind, checkpoint_fdw.set_position or checkpoint_fdw.reset.")));
	PG_RETURN_INT64(cfdw_admin_restart_walk(relation, cfdw_arg_text(fcinfo, 1), cfdw_arg_jsonb(fcinfo, 2)));
}

Datum
checkpoint_fdw_accept_change(PG_FUNCTION_ARGS)
{
	Oid relation = cfdw_arg_owned_table(fcinfo, 0);

	/* without the page, a checkpoint that is nothing else would load every record again */
	PG_RETURN_INT64(cfdw_admin_accept_change(relation, cfdw_arg_text(fcinfo, 1), cfdw_arg_jsonb(fcinfo, 2), !has_store(relation)));
}

Datum
checkpoint_fdw_fork(PG_FUNCTION_ARGS)
{
	Oid relation = cfdw_arg_owned_table(fcinfo, 0);
	char *from = cfdw_arg_text(fcinfo, 1);
	char *to = cfdw_arg_text(fcinfo, 2);

	if (from == NULL || to == NULL || *to == '\0')
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("both consumers must be named"),
				 errhint("Write checkpoint_fdw.fork('table', 'default', 'other').")));
	PG_RETURN_INT64(cfdw_admin_fork(relation, from, to));
}

Datum
checkpoint_fdw_rewind(PG_FUNCTION_ARGS)
{
	int64 batch = PG_GETARG_INT64(0);
	Oid relation = cfdw_admin_table_of_batch(batch);

	if (!OidIsValid(relation) || get_rel_name(relation) == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("batch " INT64_FORMAT " is not kept", batch),
				 errhint("The view checkpoint_fdw.batches lists the batches that are; checkpoint_fdw.batch_history sets how many.")));
	cfdw_arg_check_owner(relation);
	PG_RETURN_INT64(cfdw_admin_rewind(batch));
}

/* ---- dead letters ---- */

Datum
checkpoint_fdw_discard_rejected(PG_FUNCTION_ARGS)
{
	Oid relation = cfdw_arg_owned_table(fcinfo, 0);
	int64 last = PG_ARGISNULL(1) ? PG_INT64_MAX : PG_GETARG_INT64(1);

	PG_RETURN_INT64(cfdw_admin_discard_rejected(relation, cfdw_arg_text(fcinfo, 2), cfdw_arg_jsonb(fcinfo, 3), last));
}

Datum
checkpoint_fdw_record_text(PG_FUNCTION_ARGS)
{
	bytea *record = PG_GETARG_BYTEA_PP(0);

	if (pg_verifymbstr(VARDATA_ANY(record), VARSIZE_ANY_EXHDR(record), true))
		PG_RETURN_TEXT_P(cstring_to_text_with_len(VARDATA_ANY(record), VARSIZE_ANY_EXHDR(record)));
	return DirectFunctionCall2(binary_encode, PG_GETARG_DATUM(0), CStringGetTextDatum("escape"));
}

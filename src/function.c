/*
 * function.c
 *	  SQL functions about checkpoints; documented by COMMENT ON in the install
 *	  script.
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/xact.h"
#include "admin.h"
#include "catalog/pg_class.h"
#include "describe.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "option.h"
#include "report.h"
#include "timecol.h"
#include "utils/acl.h"
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
PG_FUNCTION_INFO_V1(checkpoint_fdw_begin_call);
PG_FUNCTION_INFO_V1(checkpoint_fdw_clear_writes);
PG_FUNCTION_INFO_V1(checkpoint_fdw_writes);
PG_FUNCTION_INFO_V1(checkpoint_fdw_record_failure);
PG_FUNCTION_INFO_V1(checkpoint_fdw_reject);
PG_FUNCTION_INFO_V1(checkpoint_fdw_completed_at);
PG_FUNCTION_INFO_V1(checkpoint_fdw_complete);

/* ---- arguments ---- */

static char *
text_arg(FunctionCallInfo fcinfo, int n)
{
	return PG_ARGISNULL(n) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(n));
}

static char *
jsonb_arg(FunctionCallInfo fcinfo, int n)
{
	Jsonb *jsonb;

	if (PG_ARGISNULL(n))
		return NULL;
	jsonb = PG_GETARG_JSONB_P(n);
	return JsonbToCString(NULL, &jsonb->root, VARSIZE(jsonb));
}

static Oid
table_arg(FunctionCallInfo fcinfo, int n)
{
	Oid relation = PG_ARGISNULL(n) ? InvalidOid : PG_GETARG_OID(n);
	const char *name = OidIsValid(relation) ? get_rel_name(relation) : NULL;

	if (name == NULL || get_rel_relkind(relation) != RELKIND_FOREIGN_TABLE)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 name ? errmsg("\"%s\" is not a foreign table", name) : errmsg("no foreign table is named"),
				 errhint("Name a foreign table of checkpoint_fdw.")));
	return relation;
}

/* The checkpoints of a foreign table belong to its owner. */
static void
check_owner(Oid relation)
{
	bool owner;

#if PG_VERSION_NUM >= 160000
	owner = object_ownercheck(RelationRelationId, relation, GetUserId());
#else
	owner = pg_class_ownercheck(relation, GetUserId());
#endif
	if (!owner)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of foreign table %s", get_rel_name(relation)),
				 errhint("Ask its owner, or read with a checkpoint_fdw.consumer of your own.")));
}

static Oid
owned_table_arg(FunctionCallInfo fcinfo, int n)
{
	Oid relation = table_arg(fcinfo, n);

	check_owner(relation);
	return relation;
}

/* Internal functions of the procedures write on behalf of whoever may consume. */
static Oid
consumed_table_arg(FunctionCallInfo fcinfo, int n)
{
	Oid relation = table_arg(fcinfo, n);

	if (pg_class_aclcheck(relation, GetUserId(), ACL_UPDATE) != ACLCHECK_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied to advance the checkpoint of foreign table \"%s\"", get_rel_name(relation)),
				 errhint("Ask the owner for UPDATE on the table.")));
	return relation;
}

static CfdwStream
stream_args(FunctionCallInfo fcinfo)
{
	CfdwStream stream = {consumed_table_arg(fcinfo, 0), text_arg(fcinfo, 1), jsonb_arg(fcinfo, 2)};

	if (stream.consumer == NULL)
		stream.consumer = cfdw_guc_consumer;
	if (stream.partition == NULL)
		stream.partition = "{}";
	return stream;
}

static bool
has_store(Oid relation)
{
	return cfdw_mode_has_store(cfdw_options_for_table(relation, GetUserId())->checkpoint);
}

/* ---- for users ---- */

Datum
checkpoint_fdw_reset(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(cfdw_admin_reset(owned_table_arg(fcinfo, 0), text_arg(fcinfo, 1), jsonb_arg(fcinfo, 2)));
}

/* ---- a position written by a person ---- */

/* The text of a member, or NULL; of an object that is no object, NULL. */
static char *
member_text(Jsonb *object, const char *name)
{
	JsonbValue key = {.type = jbvString};
	JsonbValue *value;

	key.val.string.val = unconstify(char *, name);
	key.val.string.len = strlen(name);
	value = JB_ROOT_IS_OBJECT(object) ? findJsonbValueFromContainer(&object->root, JB_FOBJECT, &key) : NULL;
	if (value == NULL || (value->type != jbvString && value->type != jbvNumeric))
		return NULL;
	if (value->type == jbvString)
		return pnstrdup(value->val.string.val, value->val.string.len);
	return DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(value->val.numeric)));
}

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
	char *since = member_text(given, "since");
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
	Oid relation = owned_table_arg(fcinfo, 0);
	CfdwOptions *options = cfdw_options_for_table(relation, GetUserId());
	char *position = PG_ARGISNULL(1) ? NULL : parse_position(relation, options, PG_GETARG_JSONB_P(1));
	char *consumer = text_arg(fcinfo, 2);

	PG_RETURN_INT64(cfdw_admin_set_position(relation, consumer ? consumer : cfdw_guc_consumer, jsonb_arg(fcinfo, 3), position,
											cfdw_mode_has_store(options->checkpoint)));
}

Datum
checkpoint_fdw_position_text(PG_FUNCTION_ARGS)
{
	Oid relation = table_arg(fcinfo, 0);
	CfdwPosition position;
	CfdwError err;

	if (!cfdw_position_parse(CurrentMemoryContext, jsonb_arg(fcinfo, 1), &position, &err))
		cfdw_report(&err);
	PG_RETURN_TEXT_P(cstring_to_text(cfdw_describe_position(relation, &position)));
}

Datum
checkpoint_fdw_restart_walk(PG_FUNCTION_ARGS)
{
	Oid relation = owned_table_arg(fcinfo, 0);

	if (!has_store(relation))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the page is all that the checkpoint of foreign table \"%s\" has", get_rel_name(relation)),
				 errdetail("In checkpoint mode cursor and offset a walk without it would load every record again."),
				 errhint("Use checkpoint_fdw.rewind, checkpoint_fdw.set_position or checkpoint_fdw.reset.")));
	PG_RETURN_INT64(cfdw_admin_restart_walk(relation, text_arg(fcinfo, 1), jsonb_arg(fcinfo, 2)));
}

Datum
checkpoint_fdw_accept_change(PG_FUNCTION_ARGS)
{
	Oid relation = owned_table_arg(fcinfo, 0);

	/* without the page, a checkpoint that is nothing else would load every record again */
	PG_RETURN_INT64(cfdw_admin_accept_change(relation, text_arg(fcinfo, 1), jsonb_arg(fcinfo, 2), !has_store(relation)));
}

Datum
checkpoint_fdw_fork(PG_FUNCTION_ARGS)
{
	Oid relation = owned_table_arg(fcinfo, 0);
	char *from = text_arg(fcinfo, 1);
	char *to = text_arg(fcinfo, 2);

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
	check_owner(relation);
	PG_RETURN_INT64(cfdw_admin_rewind(batch));
}

/* ---- for the procedures ---- */

Datum
checkpoint_fdw_begin_call(PG_FUNCTION_ARGS)
{
	if (IsTransactionBlock())
		ereport(ERROR,
				(errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
				 errmsg("a procedure that commits after each batch cannot run inside a transaction block"),
				 errhint("Send the CALL as a statement of its own: without BEGIN, and without other statements in the same string.")));
	PG_RETURN_VOID();
}

Datum
checkpoint_fdw_clear_writes(PG_FUNCTION_ARGS)
{
	cfdw_checkpoint_clear_writes();
	PG_RETURN_VOID();
}

Datum
checkpoint_fdw_writes(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	const CfdwWrite *writes;
	int count = cfdw_checkpoint_writes(&writes);

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < count; i++)
	{
		Datum values[4] = {Int64GetDatum(writes[i].checkpoint_id), Int64GetDatum(writes[i].batch),
						   BoolGetDatum(writes[i].pending), BoolGetDatum(writes[i].complete)};
		bool isnull[4] = {false, writes[i].batch == 0, false, false};

		tuplestore_putvalues(result->setResult, result->setDesc, values, isnull);
	}
	return (Datum) 0;
}

Datum
checkpoint_fdw_record_failure(PG_FUNCTION_ARGS)
{
	CfdwStream stream = stream_args(fcinfo);

	cfdw_admin_record_failure(&stream, text_arg(fcinfo, 3));
	PG_RETURN_VOID();
}

Datum
checkpoint_fdw_reject(PG_FUNCTION_ARGS)
{
	CfdwStream stream = stream_args(fcinfo);

	cfdw_admin_reject(&stream, text_arg(fcinfo, 3), text_arg(fcinfo, 4), text_arg(fcinfo, 5));
	PG_RETURN_VOID();
}

Datum
checkpoint_fdw_completed_at(PG_FUNCTION_ARGS)
{
	char *when = cfdw_admin_completed_at(consumed_table_arg(fcinfo, 0), text_arg(fcinfo, 1), text_arg(fcinfo, 2));

	if (when == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(when));
}

Datum
checkpoint_fdw_complete(PG_FUNCTION_ARGS)
{
	cfdw_admin_complete(consumed_table_arg(fcinfo, 0), text_arg(fcinfo, 1), text_arg(fcinfo, 2));
	PG_RETURN_VOID();
}

/*
 * argument.c
 *	  Arguments of the SQL functions.
 */
#include "argument.h"

#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

char *
cfdw_arg_text(FunctionCallInfo fcinfo, int n)
{
	return PG_ARGISNULL(n) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(n));
}

char *
cfdw_arg_jsonb(FunctionCallInfo fcinfo, int n)
{
	Jsonb *jsonb;

	if (PG_ARGISNULL(n))
		return NULL;
	jsonb = PG_GETARG_JSONB_P(n);
	return JsonbToCString(NULL, &jsonb->root, VARSIZE(jsonb));
}

char *
cfdw_arg_member(Jsonb *object, const char *name)
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

Oid
cfdw_arg_table(FunctionCallInfo fcinfo, int n)
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

void
cfdw_arg_check_owner(Oid foreign_table)
{
	bool owner;

#if PG_VERSION_NUM >= 160000
	owner = object_ownercheck(RelationRelationId, foreign_table, GetUserId());
#else
	owner = pg_class_ownercheck(foreign_table, GetUserId());
#endif
	if (!owner)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of foreign table %s", get_rel_name(foreign_table)),
				 errhint("Ask its owner, or read with a checkpoint_fdw.consumer of your own.")));
}

Oid
cfdw_arg_owned_table(FunctionCallInfo fcinfo, int n)
{
	Oid relation = cfdw_arg_table(fcinfo, n);

	cfdw_arg_check_owner(relation);
	return relation;
}

Oid
cfdw_arg_consumed_table(FunctionCallInfo fcinfo, int n)
{
	Oid relation = cfdw_arg_table(fcinfo, n);

	if (pg_class_aclcheck(relation, GetUserId(), ACL_UPDATE) != ACLCHECK_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied to advance the checkpoint of foreign table \"%s\"", get_rel_name(relation)),
				 errhint("Ask the owner for UPDATE on the table.")));
	return relation;
}

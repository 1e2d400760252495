/*
 * function.c
 *	  SQL functions about checkpoints; documented by COMMENT ON in the install
 *	  script.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "checkpoint.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(checkpoint_fdw_reset);

/* The checkpoints of a foreign table belong to its owner. */
static void
check_owner(Oid relation)
{
	const char *name = get_rel_name(relation);
	bool owner;

	if (name == NULL || get_rel_relkind(relation) != RELKIND_FOREIGN_TABLE)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 name ? errmsg("\"%s\" is not a foreign table", name) : errmsg("relation with OID %u does not exist", relation),
				 errhint("Name a foreign table of checkpoint_fdw.")));
#if PG_VERSION_NUM >= 160000
	owner = object_ownercheck(RelationRelationId, relation, GetUserId());
#else
	owner = pg_class_ownercheck(relation, GetUserId());
#endif
	if (!owner)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of foreign table %s", name),
				 errhint("Ask its owner, or read with a checkpoint_fdw.consumer of your own.")));
}

Datum
checkpoint_fdw_reset(PG_FUNCTION_ARGS)
{
	char *consumer = PG_ARGISNULL(1) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(1));
	char *partition = NULL;
	Oid relation;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	relation = PG_GETARG_OID(0);
	check_owner(relation);
	if (!PG_ARGISNULL(2))
	{
		Jsonb *jsonb = PG_GETARG_JSONB_P(2);

		partition = JsonbToCString(NULL, &jsonb->root, VARSIZE(jsonb));
	}
	PG_RETURN_INT64(cfdw_checkpoint_reset(relation, consumer, partition));
}

/*
 * target.c
 *	  Where the rows of an advancing scan go (see target.h).
 *
 * The checkpoint commits with the transaction.  A target whose rows do not
 * share that fate loses them or gets them twice: a temporary table outside a
 * transaction block (the rows die with the session, the position stays), an
 * unlogged one (a crash empties it), a foreign one (it commits elsewhere).
 */
#include "target.h"

#include "access/relation.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "commands/createas.h"
#include "nodes/parsenodes.h"
#include "nodes/plannodes.h"
#include "rewrite/prs2lock.h"
#include "rewrite/rewriteDefine.h"
#include "tcop/pquery.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/*
 * The head of DR_intorel, which is private to createas.c; these members are
 * the same from 14 to 19.  Read only after the receiver's functions have
 * shown that it is PostgreSQL's own.
 */
typedef struct IntoReceiver
{
	DestReceiver pub;
	IntoClause *into;
	Relation rel;
} IntoReceiver;

static bool
is_own_into(DestReceiver *dest)
{
	DestReceiver *own;
	bool same;

	if (dest == NULL || dest->mydest != DestIntoRel)
		return false;
	own = CreateIntoRelDestReceiver(NULL);
	same = own->receiveSlot == dest->receiveSlot && own->rStartup == dest->rStartup;
	pfree(own);
	return same;
}

IntoClause *
cfdw_target_into_clause(DestReceiver *dest)
{
	return is_own_into(dest) ? ((IntoReceiver *) dest)->into : NULL;
}

Relation
cfdw_target_into_relation(DestReceiver *dest)
{
	return is_own_into(dest) ? ((IntoReceiver *) dest)->rel : NULL;
}

bool
cfdw_target_is_foreign_copy(DestReceiver *dest)
{
	DestReceiver *own;
	bool foreign;

	if (dest == NULL || dest->mydest != DestCopyOut)
		return false;
	own = CreateDestReceiver(DestCopyOut);
	foreign = own->receiveSlot != dest->receiveSlot;
	pfree(own);
	return foreign;
}

static void
refuse(CfdwConsumer *consumer, int sqlstate, bool guard)
{
	consumer->refusal_sqlstate = sqlstate;
	consumer->refusal_is_guard = guard;
}

/* Does the statement run inside a function, procedure or DO block, whose transaction goes on after it? */
static bool
runs_in_function(bool nested)
{
	PlannedStmt *top;

	if (nested || ActivePortal == NULL || ActivePortal->stmts == NIL)
		return true;
	top = linitial_node(PlannedStmt, ActivePortal->stmts);
	return top->utilityStmt != NULL && (IsA(top->utilityStmt, DoStmt) || IsA(top->utilityStmt, CallStmt));
}

/*
 * A temporary target is fine where the transaction goes on, because the rows
 * can be used before it commits: in a transaction block, and inside a
 * function if the table does not outlive the transaction.  A table made by
 * the same transaction counts as such; whether an existing one was declared
 * ON COMMIT DROP or DELETE ROWS cannot be seen.
 */
static void
check_temporary(CfdwConsumer *consumer, const char *table, bool short_lived, bool nested)
{
	bool function = runs_in_function(nested);

	if (IsTransactionBlock() || (function && short_lived))
		return;
	cfdw_fail(&consumer->refusal, CFDW_ERR_OPTION, "cannot load records of foreign table \"%s\" into a temporary table outside a transaction block", table);
	cfdw_detail(&consumer->refusal, "The checkpoint would be committed at once and stay; the rows would not.");
	if (function)
		cfdw_hint(&consumer->refusal, "Create the table with ON COMMIT DROP and use its rows in the same function, or call the function between BEGIN and COMMIT; only to look at the records, SET checkpoint_fdw.advance = never.");
	else
		cfdw_hint(&consumer->refusal, "Put the load and what uses the rows between BEGIN and COMMIT; only to look at the records, SET checkpoint_fdw.advance = never.");
	refuse(consumer, ERRCODE_NO_ACTIVE_SQL_TRANSACTION, false);
}

static void
refuse_target(CfdwConsumer *consumer, const char *table, const char *what, const char *detail)
{
	if (consumer->refusal.kind != CFDW_OK)
		return;
	cfdw_fail(&consumer->refusal, CFDW_ERR_OPTION, "cannot load records of foreign table \"%s\" into %s", table, what);
	cfdw_detail(&consumer->refusal, "%s", detail);
	cfdw_hint(&consumer->refusal, "Use an ordinary table, or set checkpoint_fdw.plan_guard to off.");
	refuse(consumer, ERRCODE_FEATURE_NOT_SUPPORTED, true);
}

static void
check_storage(CfdwConsumer *consumer, const char *table, char relkind, char persistence)
{
	if (relkind == RELKIND_FOREIGN_TABLE)
		refuse_target(consumer, table, "another foreign table", "The rows would commit on a server of their own, not together with the checkpoint.");
	else if (persistence == RELPERSISTENCE_UNLOGGED)
		refuse_target(consumer, table, "an unlogged table", "A crash empties an unlogged table, while the checkpoint stays.");
}

/* A partitioned target's partitions are opened as rows arrive; all of them are looked at here, before any request. */
static void
check_partitions(CfdwConsumer *consumer, const char *table, Oid root)
{
	List *partitions = find_all_inheritors(root, NoLock, NULL);
	ListCell *cell;

	foreach(cell, partitions)
		check_storage(consumer, table, get_rel_relkind(lfirst_oid(cell)), get_rel_persistence(lfirst_oid(cell)));
	list_free(partitions);
}

/* Do the rules of a relation make one statement of one, as a plain INSTEAD rule of one action does? */
static bool
rewrites_to_one(RuleLock *rules, CmdType event)
{
	int matching = 0;
	bool one = true;

	for (int i = 0; rules != NULL && i < rules->numLocks; i++)
	{
		RewriteRule *rule = rules->rules[i];

		if (rule->event != event || rule->enabled == RULE_DISABLED)
			continue;
		matching++;
		one = rule->isInstead && rule->qual == NULL && list_length(rule->actions) <= 1;
		if (!one)
			break;
	}
	return one && matching <= 1;
}

static void
check_rules_of(CfdwConsumer *consumer, const char *table, Oid relid, CmdType event)
{
	Relation relation = relation_open(relid, AccessShareLock);

	if (!rewrites_to_one(relation->rd_rules, event))
		refuse_target(consumer, table, "a table with rules", "Each rule runs the query once more, and each run would get other records.");
	relation_close(relation, NoLock);
}

/*
 * The relation that the user named is in every query that its rules make,
 * with the privilege that it needs (and for UPDATE with the columns: a row
 * locked FOR UPDATE has none).
 */
static void
check_rules(CfdwConsumer *consumer, const char *table, PlannedStmt *statement)
{
	ListCell *cell;

#if PG_VERSION_NUM >= 160000
	foreach(cell, statement->permInfos)
	{
		RTEPermissionInfo *entry = lfirst_node(RTEPermissionInfo, cell);
#else
	foreach(cell, statement->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, cell);
#endif
		if (entry->requiredPerms & ACL_INSERT)
			check_rules_of(consumer, table, entry->relid, CMD_INSERT);
		if ((entry->requiredPerms & ACL_UPDATE) && !bms_is_empty(entry->updatedCols))
			check_rules_of(consumer, table, entry->relid, CMD_UPDATE);
		if (entry->requiredPerms & ACL_DELETE)
			check_rules_of(consumer, table, entry->relid, CMD_DELETE);
	}
}

/* A temporary table gets no name: it is a station on the way, not the table that the consumer feeds. */
static void
set_target(CfdwConsumer *consumer, Relation relation)
{
	if (OidIsValid(consumer->target))
		return; /* a CTE that feeds several: the first one stands for all */
	consumer->target = RelationGetRelid(relation);
	if (relation->rd_rel->relpersistence != RELPERSISTENCE_TEMP)
		consumer->target_name = quote_qualified_identifier(get_namespace_name(RelationGetNamespace(relation)), RelationGetRelationName(relation));
}

static bool
is_new(Relation relation)
{
	return relation->rd_createSubid != InvalidSubTransactionId;
}

void
cfdw_target_modified(CfdwConsumer *consumer, const char *table, QueryDesc *queryDesc, ModifyTableState *sink, bool nested)
{
	Relation root = sink->rootResultRelInfo->ri_RelationDesc;

	set_target(consumer, root);
	if (root->rd_rel->relpersistence == RELPERSISTENCE_TEMP)
		check_temporary(consumer, table, is_new(root), nested);
	if (root->rd_rel->relkind == RELKIND_PARTITIONED_TABLE)
		check_partitions(consumer, table, RelationGetRelid(root));
	for (int i = 0; i < sink->mt_nrels; i++)
	{
		Form_pg_class form = sink->resultRelInfo[i].ri_RelationDesc->rd_rel;

		check_storage(consumer, table, form->relkind, form->relpersistence);
	}
	check_rules(consumer, table, queryDesc->plannedstmt);
}

void
cfdw_target_created(CfdwConsumer *consumer, const char *table, DestReceiver *dest, bool nested)
{
	Relation relation = cfdw_target_into_relation(dest);
	IntoClause *into = cfdw_target_into_clause(dest);

	set_target(consumer, relation);
	consumer->target_is_new = true;
	if (relation->rd_rel->relpersistence == RELPERSISTENCE_TEMP)
		check_temporary(consumer, table, into->onCommit == ONCOMMIT_DROP || into->onCommit == ONCOMMIT_DELETE_ROWS, nested);
	check_storage(consumer, table, relation->rd_rel->relkind, relation->rd_rel->relpersistence);
}

/*
 * bind.c
 *	  Conditions that give param columns their values: the planner's side.
 */
#include "bind.h"

#include "access/sysattr.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "parser/parse_coerce.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"
#include "utils/partcache.h"

/* More sets of outer relations than this are not tried. */
#define MAX_OUTER_SETS 16

CfdwBindTable *
cfdw_bind_open(Relation relation, Index relid)
{
	CfdwBindTable *table = palloc0(sizeof(CfdwBindTable));

	table->relid = relid;
	table->params = cfdw_params_open(relation);
	for (int i = 0; i < table->params->count; i++)
		table->attributes = bms_add_member(table->attributes, table->params->items[i].attnum - FirstLowInvalidHeapAttributeNumber);
	if (table->params->count == 0 || !relation->rd_rel->relispartition)
		return table;
	table->bounds = RelationGetPartitionQual(relation);
	ChangeVarNodes((Node *) table->bounds, 1, relid, 0);
	return table;
}

/* ---- one condition ---- */

static bool
is_column(Node *node, Index relid, int attnum)
{
	Var *var;

	while (node != NULL && IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	var = (Var *) node;
	return var != NULL && IsA(var, Var) && var->varno == relid && var->varattno == attnum && var->varlevelsup == 0;
}

/* Does an operator compare with = , byte by byte as far as text is concerned? */
static bool
is_equality(Oid operator, Oid collation, const CfdwParam *param)
{
	if (get_mergejoin_opfamilies(operator) == NIL)
		return false;
	return !OidIsValid(param->collation) || (collation == param->collation && get_collation_isdeterministic(collation));
}

/* Is it the same for all rows of the scan, however often it is evaluated? */
static bool
is_fixed(PlannerInfo *root, Index relid, Node *value)
{
	return !bms_is_member(relid, pull_varnos(root, value)) && !contain_volatile_functions(value) && !contain_subplans(value);
}

/* A value that is not of the column's type is cast; whether it is still the same, the filters find out. */
static CfdwBinding
bind_to(PlannerInfo *root, Index relid, Node *value, Oid type, bool is_array)
{
	CfdwBinding binding = {NULL, is_array};

	if (is_fixed(root, relid, value) && OidIsValid(type))
		binding.value = (Expr *) coerce_to_target_type(NULL, value, exprType(value), type, -1, COERCION_ASSIGNMENT, COERCE_IMPLICIT_CAST, -1);
	return binding;
}

static CfdwBinding
match_operator(PlannerInfo *root, Index relid, const CfdwParam *param, OpExpr *clause)
{
	CfdwBinding none = {NULL, false};
	Node *left;
	Node *right;

	if (list_length(clause->args) != 2 || !is_equality(clause->opno, clause->inputcollid, param))
		return none;
	left = linitial(clause->args);
	right = lsecond(clause->args);
	if (is_column(left, relid, param->attnum))
		return bind_to(root, relid, right, param->type, false);
	if (is_column(right, relid, param->attnum))
		return bind_to(root, relid, left, param->type, false);
	return none;
}

static CfdwBinding
match_array(PlannerInfo *root, Index relid, const CfdwParam *param, ScalarArrayOpExpr *clause)
{
	CfdwBinding none = {NULL, false};

	if (!clause->useOr || !is_equality(clause->opno, clause->inputcollid, param) || !is_column(linitial(clause->args), relid, param->attnum))
		return none;
	return bind_to(root, relid, lsecond(clause->args), get_array_type(param->type), true);
}

/* The planner makes of flag = true just flag, of flag = false NOT flag. */
static CfdwBinding
match_boolean(Index relid, const CfdwParam *param, Node *clause)
{
	CfdwBinding binding = {NULL, false};

	if (is_column(clause, relid, param->attnum))
		binding.value = (Expr *) makeBoolConst(true, false);
	else if (is_notclause(clause) && is_column((Node *) get_notclausearg(clause), relid, param->attnum))
		binding.value = (Expr *) makeBoolConst(false, false);
	return binding;
}

static CfdwBinding
match_clause(PlannerInfo *root, Index relid, const CfdwParam *param, Node *clause)
{
	if (IsA(clause, OpExpr))
		return match_operator(root, relid, param, (OpExpr *) clause);
	if (IsA(clause, ScalarArrayOpExpr))
		return match_array(root, relid, param, (ScalarArrayOpExpr *) clause);
	if (param->type == BOOLOID)
		return match_boolean(relid, param, clause);
	return (CfdwBinding){NULL, false};
}

/* ---- all conditions ---- */

/* May a condition be evaluated before others?  A view that hides rows must not tell what it hides. */
static CfdwBinding
match_restriction(PlannerInfo *root, RelOptInfo *baserel, const CfdwParam *param, RestrictInfo *rinfo)
{
	if (rinfo->pseudoconstant || !restriction_is_securely_promotable(rinfo, baserel))
		return (CfdwBinding){NULL, false};
	return match_clause(root, baserel->relid, param, (Node *) rinfo->clause);
}

/* A bound is an equality, or "column IS NULL OR" one. */
static CfdwBinding
match_bound(PlannerInfo *root, Index relid, const CfdwParam *param, Node *bound)
{
	ListCell *cell;

	if (!is_orclause(bound))
		return match_clause(root, relid, param, bound);
	if (list_length(((BoolExpr *) bound)->args) == 2)
	{
		foreach(cell, ((BoolExpr *) bound)->args)
		{
			CfdwBinding binding = match_clause(root, relid, param, lfirst(cell));
			Node *other = list_nth(((BoolExpr *) bound)->args, 1 - foreach_current_index(cell));

			if (binding.value != NULL && IsA(other, NullTest) && ((NullTest *) other)->nulltesttype == IS_NULL &&
				is_column((Node *) ((NullTest *) other)->arg, relid, param->attnum))
				return binding;
		}
	}
	return (CfdwBinding){NULL, false};
}

CfdwBinding
cfdw_bind_find(PlannerInfo *root, RelOptInfo *baserel, const CfdwBindTable *table, const CfdwParam *param, List *clauses)
{
	CfdwBinding best = {NULL, false};
	ListCell *cell;

	/* one value is better than several */
	foreach(cell, clauses)
	{
		CfdwBinding binding = match_restriction(root, baserel, param, lfirst(cell));

		if (binding.value != NULL && (best.value == NULL || (best.is_array && !binding.is_array)))
			best = binding;
	}
	foreach(cell, table->bounds)
	{
		if (best.value == NULL)
			best = match_bound(root, table->relid, param, lfirst(cell));
	}
	return best;
}

bool
cfdw_bind_is_complete(PlannerInfo *root, RelOptInfo *baserel, const CfdwBindTable *table, List *clauses)
{
	for (int i = 0; i < table->params->count; i++)
	{
		if (cfdw_bind_find(root, baserel, table, &table->params->items[i], clauses).value == NULL)
			return false;
	}
	return true;
}

/* Does a condition concern param columns, and no other columns of the table? */
static bool
is_on_params(const CfdwBindTable *table, Node *clause)
{
	Bitmapset *columns = NULL;

	pull_varattnos(clause, table->relid, &columns);
	return !bms_is_empty(columns) && bms_is_subset(columns, table->attributes);
}

List *
cfdw_bind_others(RelOptInfo *baserel, const CfdwBindTable *table)
{
	List *others = NIL;
	ListCell *cell;

	foreach(cell, baserel->baserestrictinfo)
	{
		if (!is_on_params(table, (Node *) lfirst_node(RestrictInfo, cell)->clause))
			others = lappend(others, lfirst(cell));
	}
	return others;
}

List *
cfdw_bind_filters(RelOptInfo *baserel, const CfdwBindTable *table, List *clauses)
{
	List *filters = NIL;
	ListCell *cell;

	foreach(cell, clauses)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, cell);
		Node *clause = (Node *) rinfo->clause;

		if (is_on_params(table, clause) && !rinfo->pseudoconstant && restriction_is_securely_promotable(rinfo, baserel) &&
			!contain_volatile_functions(clause) && !contain_subplans(clause))
			filters = lappend(filters, clause);
	}
	foreach(cell, table->bounds)
	{
		if (is_on_params(table, lfirst(cell)))
			filters = lappend(filters, lfirst(cell));
	}
	return filters;
}

/* ---- joins ---- */

static bool
is_member(PlannerInfo *root, RelOptInfo *rel, EquivalenceClass *class, EquivalenceMember *member, void *arg)
{
	const CfdwParam *param = arg;

	return is_column((Node *) member->em_expr, rel->relid, param->attnum);
}

/* Join conditions that could be evaluated in the scan, given rows of other relations. */
static List *
join_clauses(PlannerInfo *root, RelOptInfo *baserel, const CfdwParam *param)
{
	List *clauses = NIL;
	ListCell *cell;

	if (baserel->has_eclass_joins)
		clauses = generate_implied_equalities_for_column(root, baserel, is_member, unconstify(CfdwParam *, param), baserel->lateral_referencers);
	foreach(cell, baserel->joininfo)
	{
		if (join_clause_is_movable_to(lfirst_node(RestrictInfo, cell), baserel))
			clauses = lappend(clauses, lfirst(cell));
	}
	return clauses;
}

static List *
add_set(List *sets, Relids set)
{
	ListCell *cell;

	foreach(cell, sets)
	{
		if (bms_equal(lfirst(cell), set))
			return sets;
	}
	return list_length(sets) < MAX_OUTER_SETS ? lappend(sets, set) : sets;
}

/* The sets of relations that bind one column. */
static List *
sets_of(PlannerInfo *root, RelOptInfo *baserel, const CfdwParam *param)
{
	List *sets = NIL;
	ListCell *cell;

	foreach(cell, join_clauses(root, baserel, param))
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, cell);
		Relids outer = bms_del_member(bms_union(rinfo->clause_relids, baserel->lateral_relids), baserel->relid);

		if (!bms_is_empty(outer) && match_restriction(root, baserel, param, rinfo).value != NULL)
			sets = add_set(sets, outer);
	}
	return sets;
}

List *
cfdw_bind_outer_sets(PlannerInfo *root, RelOptInfo *baserel, const CfdwBindTable *table)
{
	List *sets = list_make1(bms_copy(baserel->lateral_relids));

	for (int i = 0; i < table->params->count; i++)
	{
		const CfdwParam *param = &table->params->items[i];
		List *both = NIL;
		ListCell *a;
		ListCell *b;

		if (cfdw_bind_find(root, baserel, table, param, baserel->baserestrictinfo).value != NULL)
			continue;
		foreach(a, sets)
		{
			foreach(b, sets_of(root, baserel, param))
				both = add_set(both, bms_union(lfirst(a), lfirst(b)));
		}
		sets = both;
	}
	return sets;
}

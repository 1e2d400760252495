/*
 * bound.c
 *	  The values that a statement gives a scan's param columns: the executor's
 *	  side.
 */
#include "bound.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "plan.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

typedef struct Column
{
	CfdwParam *param;
	bool is_bound;
	bool is_array;
	ExprState *expression;
	TypeCacheEntry *type;

	int count;
	CfdwParamValue *values;
	int current;
} Column;

struct CfdwBound
{
	ForeignScanState *node;
	CfdwParams *params;
	ExprState *filters;
	Column *columns;
	MemoryContext lists;       /* the values; reset at each start */
	MemoryContext combination; /* reset at each next */
	bool begun;                /* a combination has been made */
	bool ended;
	CfdwParamValue *values; /* of the combination */
	CfdwPartition partition;
};

/* ---- open ---- */

static void
open_column(CfdwBound *bound, Column *column, CfdwParam *param, const CfdwPlanBinding *bindings, int count)
{
	column->param = param;
	column->type = lookup_type_cache(param->type, TYPECACHE_CMP_PROC_FINFO);
	for (int i = 0; i < count; i++)
	{
		if (bindings[i].attnum != param->attnum)
			continue;
		column->is_bound = true;
		column->is_array = bindings[i].is_array;
		column->expression = ExecInitExpr(bindings[i].value, &bound->node->ss.ps);
	}
}

CfdwBound *
cfdw_bound_open(ForeignScanState *node, CfdwParams *params)
{
	ForeignScan *plan = (ForeignScan *) node->ss.ps.plan;
	CfdwBound *bound = palloc0(sizeof(CfdwBound));
	CfdwPlanBinding *bindings;
	int count = cfdw_plan_bindings(plan, &bindings);

	bound->node = node;
	bound->params = params;
	bound->lists = AllocSetContextCreate(CurrentMemoryContext, "checkpoint_fdw values", ALLOCSET_DEFAULT_SIZES);
	bound->combination = AllocSetContextCreate(CurrentMemoryContext, "checkpoint_fdw partition", ALLOCSET_SMALL_SIZES);
	bound->filters = ExecInitQual(cfdw_plan_filters(plan), &node->ss.ps);
	bound->columns = palloc0(sizeof(Column) * Max(params->count, 1));
	bound->values = palloc0(sizeof(CfdwParamValue) * Max(params->count, 1));
	for (int i = 0; i < params->count; i++)
		open_column(bound, &bound->columns[i], &params->items[i], bindings, count);
	return bound;
}

/* ---- start ---- */

static void
pg_attribute_noreturn()
	refuse_missing(const CfdwBound *bound, const CfdwParam *param)
{
	const char *table = quote_identifier(RelationGetRelationName(bound->node->ss.ss_currentRelation));
	const char *column = quote_identifier(param->column);

	ereport(ERROR,
			(errcode(ERRCODE_FDW_DYNAMIC_PARAMETER_VALUE_NEEDED),
			 errmsg("no condition gives column \"%s\" of foreign table \"%s\" a value", param->column,
					RelationGetRelationName(bound->node->ss.ss_currentRelation)),
			 errdetail("The API is asked with it, in place of {%s}.", param->name),
			 errhint("For example: SELECT * FROM %s WHERE %s = '...'. IN, = ANY (array) and joins with = do as well; volatile functions and other collations do not.", table, column)));
}

static int
compare_plainly(const Column *column, const CfdwParamValue *a, const CfdwParamValue *b)
{
	return DatumGetInt32(FunctionCall2Coll(&column->type->cmp_proc_finfo, column->param->collation, a->value, b->value));
}

/* Equal values whose texts differ must still have one order. */
static int
compare_values(const void *a, const void *b, void *arg)
{
	int order = compare_plainly(arg, a, b);

	return order != 0 ? order : strcmp(((const CfdwParamValue *) a)->text, ((const CfdwParamValue *) b)->text);
}

static void
add_value(Column *column, Datum value)
{
	column->values[column->count++] = cfdw_param_value(column->param, value);
}

static void
add_array(Column *column, ArrayType *array)
{
	Datum *elements;
	bool *nulls;
	int count;

	deconstruct_array(array, column->param->type, column->type->typlen, column->type->typbyval, column->type->typalign, &elements, &nulls, &count);
	column->values = palloc_extended(sizeof(CfdwParamValue) * Max(count, 1), MCXT_ALLOC_HUGE);
	for (int i = 0; i < count; i++)
	{
		if (!nulls[i])
			add_value(column, elements[i]);
	}
}

static void
sort_values(Column *column)
{
	int kept = 0;

	qsort_arg(column->values, column->count, sizeof(CfdwParamValue), compare_values, column);
	for (int i = 0; i < column->count; i++)
	{
		if (kept == 0 || compare_plainly(column, &column->values[kept - 1], &column->values[i]) != 0)
			column->values[kept++] = column->values[i];
	}
	column->count = kept;
}

static void
start_column(CfdwBound *bound, Column *column)
{
	bool isnull;
	Datum value;

	if (!column->is_bound)
		refuse_missing(bound, column->param);
	value = ExecEvalExprSwitchContext(column->expression, bound->node->ss.ps.ps_ExprContext, &isnull);
	column->count = column->current = 0;
	if (!isnull && column->is_array)
		add_array(column, DatumGetArrayTypeP(value));
	else if (!isnull)
	{
		column->values = palloc(sizeof(CfdwParamValue));
		add_value(column, value);
	}
	sort_values(column);
	if (column->count == 0)
		bound->ended = true;
}

void
cfdw_bound_start(CfdwBound *bound)
{
	MemoryContext old = MemoryContextSwitchTo(bound->lists);

	MemoryContextReset(bound->combination);
	MemoryContextReset(bound->lists);
	bound->begun = bound->ended = false;
	for (int i = 0; i < bound->params->count; i++)
		start_column(bound, &bound->columns[i]);
	MemoryContextSwitchTo(old);
}

/* ---- from combination to combination ---- */

/* Turn to the next one, the last column first; false: that was the last. */
static bool
turn(CfdwBound *bound)
{
	if (!bound->begun)
	{
		bound->begun = true;
		return true;
	}
	for (int i = bound->params->count - 1; i >= 0; i--)
	{
		Column *column = &bound->columns[i];

		if (++column->current < column->count)
			return true;
		column->current = 0;
	}
	return false;
}

void
cfdw_bound_fill(const CfdwBound *bound, Datum *values, bool *isnull)
{
	for (int i = 0; i < bound->params->count; i++)
	{
		const Column *column = &bound->columns[i];

		values[column->param->attnum - 1] = column->values[column->current].value;
		isnull[column->param->attnum - 1] = false;
	}
}

/* Do the conditions want it?  Asked before anything else, so that no list is read whose rows would all be dropped. */
static bool
is_wanted(const CfdwBound *bound)
{
	ExprContext *context = bound->node->ss.ps.ps_ExprContext;
	TupleTableSlot *slot = bound->node->ss.ss_ScanTupleSlot;
	bool wanted;

	if (bound->filters == NULL)
		return true;
	memset(slot->tts_isnull, true, sizeof(bool) * slot->tts_tupleDescriptor->natts);
	cfdw_bound_fill(bound, slot->tts_values, slot->tts_isnull);
	ExecStoreVirtualTuple(slot);
	context->ecxt_scantuple = slot;
	wanted = ExecQual(bound->filters, context);
	ExecClearTuple(slot);
	ResetExprContext(context);
	return wanted;
}

static void
describe(CfdwBound *bound)
{
	int count = bound->params->count;
	CfdwVariable *variables = palloc0(sizeof(CfdwVariable) * Max(count, 1));

	for (int i = 0; i < count; i++)
	{
		const CfdwParamValue *value = &bound->columns[i].values[bound->columns[i].current];

		bound->values[i] = *value;
		variables[i] = (CfdwVariable){bound->params->items[i].name, value->text, value->json};
	}
	bound->partition.name = cfdw_params_partition(bound->params, bound->values);
	bound->partition.variables = (CfdwVariables){count, variables};
}

const CfdwPartition *
cfdw_bound_next(CfdwBound *bound)
{
	MemoryContext old;

	do
	{
		CHECK_FOR_INTERRUPTS();
		bound->ended = bound->ended || !turn(bound);
	} while (!bound->ended && !is_wanted(bound));
	if (bound->ended)
		return NULL;
	MemoryContextReset(bound->combination);
	old = MemoryContextSwitchTo(bound->combination);
	describe(bound);
	MemoryContextSwitchTo(old);
	return &bound->partition;
}

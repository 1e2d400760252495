/*
 * jsonpath.c
 *	  Evaluating SQL/JSON paths over a whole response.
 */
#include "jsonpath.h"

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"

bool
cfdw_jsonpath_query(Datum jsonb, Datum jsonpath, bool silent, Datum *item)
{
	LOCAL_FCINFO(fcinfo, 4);

	/* jsonb_path_query_first(target, path, vars '{}', silent); DirectFunctionCall would not take a null result */
	InitFunctionCallInfoData(*fcinfo, NULL, 4, InvalidOid, NULL, NULL);
	fcinfo->args[0].value = jsonb;
	fcinfo->args[1].value = jsonpath;
	fcinfo->args[2].value = DirectFunctionCall1(jsonb_in, CStringGetDatum("{}"));
	fcinfo->args[3].value = BoolGetDatum(silent);
	for (int i = 0; i < 4; i++)
		fcinfo->args[i].isnull = false;
	*item = jsonb_path_query_first(fcinfo);
	return !fcinfo->isnull;
}

void
cfdw_jsonpath_first(CfdwArena *arena, CfdwSlice document, const char *path, char **result)
{
	MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext, "checkpoint_fdw jsonpath", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(scratch);
	Datum jsonb = DirectFunctionCall1(jsonb_in, CStringGetDatum(pnstrdup(document.data, document.len)));
	Datum item;

	*result = NULL;
	if (cfdw_jsonpath_query(jsonb, DirectFunctionCall1(jsonpath_in, CStringGetDatum(path)), false, &item))
		*result = cfdw_strdup(arena, DatumGetCString(DirectFunctionCall1(jsonb_out, item)));
	MemoryContextSwitchTo(old);
	MemoryContextDelete(scratch);
}

/*
 * soft.h
 *	  Soft errors on every version: from PostgreSQL 16 on an error can be
 *	  saved in an error context instead of raised; before that every error is
 *	  raised, and whoever wants to go on after one needs a subtransaction.
 */
#ifndef CFDW_SOFT_H
#define CFDW_SOFT_H

#include "postgres.h"

#include "fmgr.h"

#if PG_VERSION_NUM >= 160000

#include "nodes/miscnodes.h"

#else

#define ereturn(context, dummy_value, ...) \
	do \
	{ \
		(void) (context); \
		ereport(ERROR, __VA_ARGS__); \
		return dummy_value; \
	} while (0)

static inline bool
InputFunctionCallSafe(FmgrInfo *flinfo, char *str, Oid typioparam, int32 typmod, Node *escontext, Datum *result)
{
	*result = InputFunctionCall(flinfo, str, typioparam, typmod);
	return true;
}

static inline bool
DirectInputFunctionCallSafe(PGFunction func, char *str, Oid typioparam, int32 typmod, Node *escontext, Datum *result)
{
	*result = DirectFunctionCall3(func, CStringGetDatum(str), ObjectIdGetDatum(typioparam), Int32GetDatum(typmod));
	return true;
}

#endif

#endif /* CFDW_SOFT_H */

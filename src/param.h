/*
 * param.h
 *	  Param columns: their values fill placeholders of the request.
 *
 * The value comes from the statement, never from a record.  Its text is the
 * same whatever the session's settings are, because it names a partition.
 */
#ifndef CFDW_PARAM_H
#define CFDW_PARAM_H

#include "option.h"
#include "fmgr.h"
#include "utils/rel.h"

typedef struct CfdwParam
{
	int attnum;
	const char *column;
	const char *name; /* of the placeholder */
	Oid type;         /* base type of the column */
	Oid collation;
	int16 typlen;
	bool typbyval;
	FmgrInfo output;
} CfdwParam;

typedef struct CfdwParams
{
	int count;
	CfdwParam *items; /* by attribute number */
} CfdwParams;

typedef struct CfdwParamValue
{
	Datum value;
	const char *text;
	const char *json; /* a number or boolean as JSON, NULL: text as a string */
} CfdwParamValue;

/* The param columns of a table, in the current context; raises if two fill one placeholder. */
extern CfdwParams *cfdw_params_open(Relation relation);

/*
 * Raise if a param column has no place in the request, or the endpoint a
 * placeholder that nothing fills.
 */
extern void cfdw_params_check(const CfdwParams *params, const CfdwOptions *options, Relation relation);

/* A value that is not null, copied with its text into the current context. */
extern CfdwParamValue cfdw_param_value(CfdwParam *param, Datum value);

/* Name of a partition (checkpoint.h): JSON object text, "{}" without param columns. */
extern char *cfdw_params_partition(const CfdwParams *params, const CfdwParamValue *values);

#endif /* CFDW_PARAM_H */

/*
 * param.c
 *	  Param columns: which there are, and their values as text.
 */
#include "param.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "option_rule.h"
#include "request.h"
#include "settings.h"
#include "utils/builtins.h"
#include "utils/datetime.h"
#include "utils/datum.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

/* ---- which there are ---- */

static void
open_param(CfdwParam *param, Form_pg_attribute attribute, const char *name)
{
	Oid output;
	bool is_varlena;

	param->attnum = attribute->attnum;
	param->column = pstrdup(NameStr(attribute->attname));
	param->name = name;
	param->type = getBaseType(attribute->atttypid);
	param->collation = attribute->attcollation;
	get_typlenbyval(param->type, &param->typlen, &param->typbyval);
	getTypeOutputInfo(param->type, &output, &is_varlena);
	fmgr_info(output, &param->output);
}

static const CfdwParam *
find_param(const CfdwParams *params, const char *name, size_t len)
{
	for (int i = 0; i < params->count; i++)
	{
		if (strlen(params->items[i].name) == len && memcmp(params->items[i].name, name, len) == 0)
			return &params->items[i];
	}
	return NULL;
}

CfdwParams *
cfdw_params_open(Relation relation)
{
	CfdwParams *params = palloc0(sizeof(CfdwParams));
	TupleDesc desc = RelationGetDescr(relation);

	params->items = palloc0(sizeof(CfdwParam) * Max(desc->natts, 1));
	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(desc, i);
		const char *name = attribute->attisdropped ? NULL : cfdw_options_for_column(RelationGetRelid(relation), i + 1)->param;

		if (name == NULL)
			continue;
		if (find_param(params, name, strlen(name)) != NULL)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("columns \"%s\" and \"%s\" of foreign table \"%s\" have the same param '%s'",
							find_param(params, name, strlen(name))->column, NameStr(attribute->attname), RelationGetRelationName(relation), name),
					 errhint("A placeholder has one value, so one column fills it.")));
		open_param(&params->items[params->count++], attribute, name);
	}
	return params;
}

/* ---- places in the request ---- */

static bool
has_place(const CfdwOptions *options, const char *name)
{
	return uses(options, name) ||
		   (options->server_headers != NULL && cfdw_template_uses(options->server_headers, name)) ||
		   (options->mapping_headers != NULL && cfdw_template_uses(options->mapping_headers, name));
}

static void
pg_attribute_noreturn()
	refuse_placeholder(const CfdwParams *params, const char *name, Relation relation)
{
	CfdwNearest nearest = cfdw_nearest_to(name);

	for (int i = 0; i < params->count; i++)
		cfdw_nearest_feed(&nearest, params->items[i].name);
	ereport(ERROR,
			(errcode(ERRCODE_FDW_OPTION_NAME_NOT_FOUND),
			 errmsg("nothing fills the placeholder {%s} in the endpoint of foreign table \"%s\"", name, RelationGetRelationName(relation)),
			 nearest.best != NULL ? errhint("Perhaps you meant {%s}.", nearest.best) : errhint("Give the column with its values the option param '%s': ALTER FOREIGN TABLE %s ALTER COLUMN ... OPTIONS (ADD param '%s').", name, quote_identifier(RelationGetRelationName(relation)), name)));
}

void
cfdw_params_check(const CfdwParams *params, const CfdwOptions *options, Relation relation)
{
	for (int i = 0; i < params->count; i++)
	{
		const CfdwParam *param = &params->items[i];

		if (!has_place(options, param->name))
			ereport(ERROR,
					(errcode(ERRCODE_FDW_OPTION_NAME_NOT_FOUND),
					 errmsg("the request of foreign table \"%s\" has no place for the param of column \"%s\"",
							RelationGetRelationName(relation), param->column),
					 errhint("Write {%s} where the value belongs: in endpoint, params, headers or body.", param->name)));
	}
	for (const char *brace = options->endpoint; (brace = strchr(brace, '{')) != NULL; brace++)
	{
		const char *name = brace + (brace[1] == '+' ? 2 : 1);
		size_t len = strcspn(name, "}");

		if (!cfdw_request_is_builtin(name, len) && find_param(params, name, len) == NULL)
			refuse_placeholder(params, pnstrdup(name, len), relation);
	}
}

/* ---- values ---- */

static bool
is_number(const char *text)
{
	return strspn(text, "0123456789+-.eE") == strlen(text);
}

/* JSON text of a value that is no string there; NULL: it is one. */
static const char *
json_text(Oid type, const char *text)
{
	switch (type)
	{
		case BOOLOID:
			return text;
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
			return is_number(text) ? text : NULL; /* NaN is no number in JSON */
		case JSONBOID:
			return text;
		default:
			return NULL;
	}
}

/* The text of a value, such that equal values have one text; times as in ISO 8601. */
static char *
value_text(CfdwParam *param, Datum value)
{
	char *text;

	switch (param->type)
	{
		case BOOLOID:
			return pstrdup(DatumGetBool(value) ? "true" : "false");
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			text = palloc(MAXDATELEN + 1);
			return JsonEncodeDateTime(text, value, param->type, NULL);
		case NUMERICOID:
			return OutputFunctionCall(&param->output, DirectFunctionCall1(numeric_trim_scale, value));
		case BPCHAROID:
			text = OutputFunctionCall(&param->output, value);
			text[bpchartruelen(text, strlen(text))] = '\0';
			return text;
		default:
			return OutputFunctionCall(&param->output, value);
	}
}

CfdwParamValue
cfdw_param_value(CfdwParam *param, Datum value)
{
	CfdwParamValue result;
	char *volatile text = NULL;
	CfdwSettings session;

	/* a varlena may be compressed, or lie in the table that it comes from */
	result.value = param->typlen == -1 ? PointerGetDatum(PG_DETOAST_DATUM_COPY(value)) : datumCopy(value, param->typbyval, param->typlen);
	cfdw_settings_fix(&session);
	PG_TRY();
	{
		text = value_text(param, result.value);
	}
	PG_FINALLY();
	{
		cfdw_settings_restore(&session);
	}
	PG_END_TRY();
	result.text = text;
	result.json = json_text(param->type, text);
	return result;
}

char *
cfdw_params_partition(const CfdwParams *params, const CfdwParamValue *values)
{
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	for (int i = 0; i < params->count; i++)
	{
		if (i > 0)
			appendStringInfoString(&out, ", ");
		escape_json(&out, params->items[i].name);
		appendStringInfoString(&out, ": ");
		escape_json(&out, values[i].text);
	}
	appendStringInfoChar(&out, '}');
	return out.data;
}

/*
 * value.c
 *	  JSON values as text for input functions.
 */
#include "value.h"

#include "instant.h"
#include "lexer.h"
#include "match.h"
#include "soft.h"
#include "token.h"

#include "access/tupdesc.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

typedef enum ReadAs
{
	READ_PLAIN,   /* a scalar's text, an object's or array's bytes */
	READ_BYTES,   /* any value's own bytes */
	READ_INTEGER, /* 1.0 and 1e3 are integers too */
	READ_INSTANT,
	READ_ARRAY,
	READ_COMPOSITE
} ReadAs;

struct CfdwType
{
	ReadAs read_as;
	Oid base; /* below domains */
	const CfdwColumnOptions *options;
	/* array */
	CfdwType *element;
	char delimiter;
	/* composite */
	CfdwNode *root;
	int nfields;
	CfdwNode **nodes; /* one per field, in order */
	CfdwType **fields;
};

static void
open_array(CfdwType *type, Oid element)
{
	int16 len;
	bool by_value;
	char align;
	Oid param;
	Oid input;

	type->read_as = READ_ARRAY;
	type->element = cfdw_type_open(element, type->options);
	get_type_io_data(element, IOFunc_input, &len, &by_value, &align, &type->delimiter, &param, &input);
}

static void
open_composite(CfdwType *type)
{
	TupleDesc desc = lookup_rowtype_tupdesc(type->base, -1);

	type->read_as = READ_COMPOSITE;
	type->root = cfdw_node_root();
	type->nodes = palloc0(desc->natts * sizeof(CfdwNode *));
	type->fields = palloc0(desc->natts * sizeof(CfdwType *));
	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute field = TupleDescAttr(desc, i);

		if (field->attisdropped)
			continue;
		type->nodes[type->nfields] = cfdw_node_loose(type->root, NameStr(field->attname));
		type->fields[type->nfields++] = cfdw_type_open(field->atttypid, type->options);
	}
	ReleaseTupleDesc(desc);
}

CfdwType *
cfdw_type_open(Oid oid, const CfdwColumnOptions *options)
{
	CfdwType *type = palloc0(sizeof(CfdwType));
	Oid element;

	check_stack_depth();
	type->base = getBaseType(oid);
	type->options = options;
	element = get_element_type(type->base);
	if (options->source == CFDW_SOURCE_RECORD || type->base == JSONOID || type->base == JSONBOID)
		type->read_as = READ_BYTES;
	else if (type->base == TIMESTAMPTZOID || type->base == TIMESTAMPOID || type->base == DATEOID)
		type->read_as = READ_INSTANT;
	else if (type->base == INT2OID || type->base == INT4OID || type->base == INT8OID)
		type->read_as = READ_INTEGER;
	else if (OidIsValid(element))
		open_array(type, element);
	else if (get_typtype(type->base) == TYPTYPE_COMPOSITE)
		open_composite(type);
	else
		type->read_as = READ_PLAIN;
	return type;
}

char *
cfdw_value_plain(CfdwSlice json, Node *escontext)
{
	CfdwSlice inner = {json.data + 1, json.len - 2};
	char *text;
	size_t len;

	if (json.data[0] != '"')
		return pnstrdup(json.data, json.len);
	if (memchr(inner.data, '\\', inner.len) == NULL)
		return pnstrdup(inner.data, inner.len);

	text = palloc(inner.len + 1);
	switch (cfdw_unescape(inner, text, &len))
	{
		case CFDW_UNESCAPED:
			text[len] = '\0';
			return text;
		case CFDW_ESCAPED_NUL:
			ereturn(escontext, NULL,
					errcode(ERRCODE_UNTRANSLATABLE_CHARACTER),
					errmsg("\\u0000 cannot be converted to text"));
		case CFDW_ESCAPED_SURROGATE:
			ereturn(escontext, NULL,
					errcode(ERRCODE_UNTRANSLATABLE_CHARACTER),
					errmsg("half of a Unicode surrogate pair cannot be converted to text"));
	}
	pg_unreachable();
}

static char *
integer_text(CfdwSlice json, Node *escontext)
{
	char *text = cfdw_value_plain(json, escontext);
	int64 value;

	if (text == NULL || json.data[0] == '"' || strpbrk(text, ".eE") == NULL)
		return text;
	switch (cfdw_decimal_int64(text, 0, &value))
	{
		case CFDW_DECIMAL_EXACT:
			return psprintf(INT64_FORMAT, value);
		case CFDW_DECIMAL_CUT:
			ereturn(escontext, NULL,
					errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
					errmsg("value is not an integer"),
					errhint("Give the column the type numeric."));
		case CFDW_DECIMAL_OVERFLOW:
			ereturn(escontext, NULL,
					errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					errmsg("value is out of range for every integer type"),
					errhint("Give the column the type numeric."));
		case CFDW_DECIMAL_INVALID:
			break; /* true, false, an object: the input function says it */
	}
	return text;
}

static char *
instant_text(const CfdwType *type, CfdwSlice json, Node *escontext)
{
	char *text = cfdw_value_plain(json, escontext);

	if (text == NULL)
		return NULL;
	return cfdw_instant_text(type->base, type->options, text, json.data[0] == '-' || isdigit((unsigned char) json.data[0]), escontext);
}

static char *
wrong_shape(const CfdwType *type, const char *shape, Node *escontext)
{
	ereturn(escontext, NULL,
			errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			errmsg("a JSON %s is no value of type %s", shape, format_type_be(type->base)));
}

/* Quoted for an array or row literal: a backslash before each quote and backslash. */
static void
append_quoted(StringInfo out, const char *text)
{
	appendStringInfoChar(out, '"');
	for (; *text != '\0'; text++)
	{
		if (*text == '"' || *text == '\\')
			appendStringInfoChar(out, '\\');
		appendStringInfoChar(out, *text);
	}
	appendStringInfoChar(out, '"');
}

static bool
append_array(StringInfo out, CfdwType *type, CfdwSlice json, int depth, Node *escontext)
{
	CfdwTokens tokens;
	CfdwSlice value;

	if (depth > MAXDIM)
		ereturn(escontext, false,
				errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				errmsg("array has more than %d dimensions", MAXDIM));
	cfdw_tokens_open(&tokens, json);
	appendStringInfoChar(out, '{');
	for (bool first = true; cfdw_tokens_next(&tokens, NULL, &value); first = false)
	{
		if (!first)
			appendStringInfoChar(out, type->delimiter);
		if (cfdw_json_is_null(value))
			appendStringInfoString(out, "NULL");
		else if (value.data[0] == '[' && type->element->read_as != READ_BYTES)
		{
			if (!append_array(out, type, value, depth + 1, escontext))
				return false;
		}
		else
		{
			char *text = cfdw_value_text(type->element, value, escontext);

			if (text == NULL)
				return false;
			append_quoted(out, text);
		}
	}
	appendStringInfoChar(out, '}');
	return true;
}

static char *
array_text(CfdwType *type, CfdwSlice json, Node *escontext)
{
	StringInfoData out;

	if (json.data[0] == '{')
		return wrong_shape(type, "object", escontext);
	if (json.data[0] != '[')
		return cfdw_value_plain(json, escontext);
	initStringInfo(&out);
	return append_array(&out, type, json, 1, escontext) ? out.data : NULL;
}

static char *
composite_text(CfdwType *type, CfdwSlice json, Node *escontext)
{
	StringInfoData out;

	if (json.data[0] == '[')
		return wrong_shape(type, "array", escontext);
	if (json.data[0] != '{')
		return cfdw_value_plain(json, escontext);
	cfdw_node_match(type->root, json);
	initStringInfo(&out);
	appendStringInfoChar(&out, '(');
	for (int i = 0; i < type->nfields; i++)
	{
		CfdwSlice value = cfdw_node_value(type->nodes[i], true);
		char *text;

		if (i > 0)
			appendStringInfoChar(&out, ',');
		if (cfdw_json_is_null(value))
			continue;
		text = cfdw_value_text(type->fields[i], value, escontext);
		if (text == NULL)
			return NULL;
		append_quoted(&out, text);
	}
	appendStringInfoChar(&out, ')');
	return out.data;
}

char *
cfdw_value_text(CfdwType *type, CfdwSlice json, Node *escontext)
{
	switch (type->read_as)
	{
		case READ_PLAIN:
			return cfdw_value_plain(json, escontext);
		case READ_BYTES:
			return pnstrdup(json.data, json.len);
		case READ_INTEGER:
			return integer_text(json, escontext);
		case READ_INSTANT:
			return instant_text(type, json, escontext);
		case READ_ARRAY:
			return array_text(type, json, escontext);
		case READ_COMPOSITE:
			return composite_text(type, json, escontext);
	}
	pg_unreachable();
}

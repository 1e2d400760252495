/*
 * record.c
 *	  One record's bytes to Datums: open, decode, and what was missing.
 */
#include "record.h"

#include "jsonpath.h"
#include "lexer.h"
#include "match.h"
#include "nearest.h"
#include "record_key.h"
#include "report.h"
#include "settings.h"
#include "soft.h"
#include "token.h"
#include "value.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/timestamp.h"
#include "utils/varlena.h"

#define EXCERPT_BYTES 100 /* of a value, in an error's context */

/* A column that is decoded. */
typedef struct Column
{
	int index; /* into values and isnull */
	char *name;
	CfdwColumnOptions *options;
	pg_tz *zone;
	bool not_null;
	bool seen;      /* some record had a value */
	CfdwSlice json; /* of the record at hand; data NULL: none, or null */

	/* where the value is: a node of the tree, or an SQL/JSON path */
	CfdwPointer pointer; /* of option path */
	CfdwNode *node;
	Datum jsonpath;

	/* how to read it */
	CfdwType *type;
	bool is_domain;
	FmgrInfo input;
	Oid param;
	int32 typmod;
} Column;

struct CfdwRecordDecoder
{
	MemoryContext context;
	char *relation;
	int natts;
	int ncolumns;
	Column *columns;
	CfdwNode *root;
	bool uses_nodes;   /* some column is found by a node */
	bool takes_arrays; /* ... by array index or as a whole */
	CfdwRecordKey *key;
	int nkeys;

	/* of the record at hand */
	const CfdwRecordInfo *info;
	Column *current;
	CfdwSlice current_json;
	bool valid;     /* is it UTF-8? */
	Datum document; /* as jsonb, 0: not made yet */

	/* the first record, to name near members; until cfdw_record_warn_missing */
	bool wants_sample;
	CfdwSlice sample;
};

static void
check_encoding(void)
{
	int encoding = GetDatabaseEncoding();

	if (encoding != PG_UTF8 && encoding != PG_SQL_ASCII)
		ereport(ERROR,
				errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				errmsg("checkpoint_fdw needs a database with encoding UTF8"),
				errdetail("This database has encoding %s; JSON is always UTF-8.", GetDatabaseEncodingName()));
}

/* The node at option path, a JSON Pointer. */
static CfdwNode *
open_pointer(CfdwRecordDecoder *decoder, Column *column)
{
	CfdwNode *node = decoder->root;
	CfdwError error;

	if (!cfdw_pointer_parse(CurrentMemoryContext, column->options->path, false, &column->pointer, &error))
		cfdw_report(&error);
	for (int i = 0; i < column->pointer.count; i++)
	{
		CfdwSegment *segment = &column->pointer.segments[i];
		CfdwSlice name = {segment->name, segment->len};

		node = cfdw_node_child(node, name, segment->index);
	}
	if (column->pointer.count == 0 || column->pointer.segments[0].index >= 0)
		decoder->takes_arrays = true;
	return node;
}

static void
open_source(CfdwRecordDecoder *decoder, Column *column)
{
	const char *path = column->options->path;

	if (column->options->source != CFDW_SOURCE_VALUE)
		return;
	if (path != NULL && path[0] == '$')
	{
		column->jsonpath = DirectFunctionCall1(jsonpath_in, CStringGetDatum(path));
		return;
	}
	decoder->uses_nodes = true;
	if (path != NULL)
		column->node = open_pointer(decoder, column);
	else
		column->node = cfdw_node_loose(decoder->root, column->name);
}

static void
add_open_context(void *arg)
{
	errcontext("options of column \"%s\"", (const char *) arg);
}

static void
open_column(CfdwRecordDecoder *decoder, Column *column, Form_pg_attribute attribute, CfdwColumnOptions *options)
{
	Oid input;
	ErrorContextCallback callback = {error_context_stack, add_open_context, NameStr(attribute->attname)};

	error_context_stack = &callback;
	column->index = attribute->attnum - 1;
	column->name = pstrdup(NameStr(attribute->attname));
	column->options = options;
	column->not_null = attribute->attnotnull;
	column->zone = pg_tzset(options->timezone);
	if (column->zone == NULL)
		ereport(ERROR,
				errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("time zone \"%s\" is not known", options->timezone));

	open_source(decoder, column);
	column->type = cfdw_type_open(attribute->atttypid, options);
	column->is_domain = get_typtype(attribute->atttypid) == TYPTYPE_DOMAIN;
	column->typmod = attribute->atttypmod;
	getTypeInputInfo(attribute->atttypid, &input, &column->param);
	fmgr_info(input, &column->input);
	error_context_stack = callback.previous;
}

/* Key columns are always decoded; param columns are not in the record. */
static bool
is_decoded(Form_pg_attribute attribute, const CfdwColumnOptions *options, Bitmapset *wanted)
{
	if (options->source == CFDW_SOURCE_PARAM)
		return false;
	return options->key || bms_is_member(attribute->attnum, wanted);
}

static bool
is_stored(Form_pg_attribute attribute)
{
#if PG_VERSION_NUM >= 180000
	if (attribute->attgenerated == ATTRIBUTE_GENERATED_VIRTUAL)
		return false;
#endif
	return !attribute->attisdropped;
}

static CfdwRecordDecoder *
open_decoder(Relation relation, Bitmapset *wanted)
{
	CfdwRecordDecoder *decoder = palloc0(sizeof(CfdwRecordDecoder));
	TupleDesc desc = RelationGetDescr(relation);
	int *keys = palloc(desc->natts * sizeof(int));

	check_encoding();
	decoder->context = CurrentMemoryContext;
	decoder->wants_sample = true;
	decoder->relation = pstrdup(RelationGetRelationName(relation));
	decoder->natts = desc->natts;
	decoder->columns = palloc0(desc->natts * sizeof(Column));
	decoder->root = cfdw_node_root();
	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(desc, i);
		CfdwColumnOptions *options;

		if (!is_stored(attribute))
			continue;
		options = cfdw_options_for_column(RelationGetRelid(relation), attribute->attnum);
		if (options->key)
			keys[decoder->nkeys++] = attribute->attnum;
		if (is_decoded(attribute, options, wanted))
			open_column(decoder, &decoder->columns[decoder->ncolumns++], attribute, options);
		else if (options->source == CFDW_SOURCE_VALUE && options->path == NULL)
			(void) cfdw_node_loose(decoder->root, NameStr(attribute->attname));
	}
	decoder->key = cfdw_record_key_open(desc, keys, decoder->nkeys);
	return decoder;
}

CfdwRecordDecoder *
cfdw_record_open(Relation relation, Bitmapset *wanted)
{
	TupleDesc desc = RelationGetDescr(relation);
	Bitmapset *all = bms_copy(wanted);

	for (int i = 0; i < desc->natts; i++)
		if (TupleDescAttr(desc, i)->attnotnull) /* what promises not to be null */
			all = bms_add_member(all, i + 1);
	return open_decoder(relation, all);
}

CfdwRecordDecoder *
cfdw_record_open_keys(Relation relation, Bitmapset *wanted)
{
	return open_decoder(relation, wanted);
}

static bool
is_utf8(CfdwSlice text)
{
	return pg_encoding_verifymbstr(PG_UTF8, text.data, (int) text.len) == (int) text.len;
}

static char *
excerpt(CfdwSlice text)
{
	return cfdw_excerpt(CurrentMemoryContext, text, EXCERPT_BYTES);
}

static void
add_context(void *arg)
{
	CfdwRecordDecoder *decoder = arg;

	if (decoder->current == NULL)
		errcontext("record %d", decoder->info->number);
	else if (decoder->current_json.data == NULL)
		errcontext("column \"%s\" of record %d", decoder->current->name, decoder->info->number);
	else
		errcontext("column \"%s\" of record %d: %s", decoder->current->name, decoder->info->number,
				   excerpt(decoder->current_json));
	if (decoder->info->url != NULL)
		errcontext("response from %s", decoder->info->url);
}

static void
set_json(CfdwSlice *json, char *text)
{
	json->data = text;
	json->len = strlen(text);
}

/* The record as jsonb, made once for all SQL/JSON paths; false: a soft error. */
static bool
make_document(CfdwRecordDecoder *decoder, Node *escontext)
{
	CfdwSlice record = decoder->info->record;

	if (decoder->document != 0)
		return true;
	if (!decoder->valid)
		ereturn(escontext, false,
				errcode(ERRCODE_CHARACTER_NOT_IN_REPERTOIRE),
				errmsg("record is not valid UTF-8"));
	return DirectInputFunctionCallSafe(jsonb_in, pnstrdup(record.data, record.len), InvalidOid, -1, escontext,
									   &decoder->document);
}

/* The first item that an SQL/JSON path finds, as JSON text. */
static bool
locate_jsonpath(CfdwRecordDecoder *decoder, Column *column, CfdwSlice *json, Node *escontext)
{
	Datum item;

	if (!make_document(decoder, escontext))
		return false;
	if (cfdw_jsonpath_query(decoder->document, column->jsonpath, escontext != NULL, &item))
		set_json(json, DatumGetCString(DirectFunctionCall1(jsonb_out, item)));
	return true;
}

/* The JSON text of a column, data NULL if there is none; false: a soft error. */
static bool
locate(CfdwRecordDecoder *decoder, Column *column, CfdwSlice *json, Node *escontext)
{
	const CfdwRecordInfo *info = decoder->info;

	memset(json, 0, sizeof(*json));
	switch (column->options->source)
	{
		case CFDW_SOURCE_VALUE:
			if (column->node == NULL)
				return locate_jsonpath(decoder, column, json, escontext);
			*json = cfdw_node_value(column->node, column->options->path == NULL);
			return true;
		case CFDW_SOURCE_RECORD:
			*json = info->record;
			return true;
		case CFDW_SOURCE_KEY:
			*json = info->member;
			return true;
		case CFDW_SOURCE_FETCHED_AT:
			set_json(json, psprintf("\"%s\"", timestamptz_to_str(info->fetched_at)));
			return true;
		case CFDW_SOURCE_BATCH:
			if (info->batch > 0)
				set_json(json, psprintf(INT64_FORMAT, info->batch));
			return true;
		case CFDW_SOURCE_PAGE:
			set_json(json, psprintf(INT64_FORMAT, info->page));
			return true;
		case CFDW_SOURCE_PARAM:
			return true; /* the caller has it */
	}
	pg_unreachable();
}

/* One column; false: a soft error. */
static bool
read_column(CfdwRecordDecoder *decoder, Column *column, Datum *value, bool *isnull, Node *escontext)
{
	CfdwSlice json;
	char *text;

	session_timezone = column->zone;
	if (!locate(decoder, column, &json, escontext))
		return false;
	column->seen = column->seen || json.data != NULL;
	*isnull = cfdw_json_is_null(json);
	if (*isnull)
		return true;

	column->json = json;
	decoder->current_json = json;
	if (!decoder->valid && !is_utf8(json))
		ereturn(escontext, false,
				errcode(ERRCODE_CHARACTER_NOT_IN_REPERTOIRE),
				errmsg("value is not valid UTF-8"));
	text = cfdw_value_text(column->type, json, escontext);
	return text != NULL &&
		   InputFunctionCallSafe(&column->input, text, column->param, column->typmod, escontext, value);
}

#if PG_VERSION_NUM >= 160000

static bool
read_column_softly(CfdwRecordDecoder *decoder, Column *column, Datum *value, bool *isnull)
{
	ErrorSaveContext escontext = {T_ErrorSaveContext};

	return read_column(decoder, column, value, isnull, (Node *) &escontext);
}

#else

/* An error of the value itself, not a cancel request or a full disk. */
static bool
is_data_error(int sqlstate)
{
	int category = ERRCODE_TO_CATEGORY(sqlstate);

	return category == ERRCODE_DATA_EXCEPTION || category == ERRCODE_INTEGRITY_CONSTRAINT_VIOLATION;
}

static bool
read_column_softly(CfdwRecordDecoder *decoder, Column *column, Datum *value, bool *isnull)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	volatile bool ok = true;

	if (column->node != NULL && cfdw_json_is_null(column->node->value))
		return read_column(decoder, column, value, isnull, NULL); /* nothing that could fail */
	if (IsInParallelMode())
		ereport(ERROR,
				errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				errmsg("option \"on_error\" of column \"%s\" cannot be null in a parallel query", column->name),
				errhint("SET max_parallel_workers_per_gather = 0, or use PostgreSQL 16 or later."));

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		(void) read_column(decoder, column, value, isnull, NULL);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		ErrorData *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
		if (!is_data_error(error->sqlerrcode))
			ReThrowError(error);
		FreeErrorData(error);
		ok = false;
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	return ok;
}

#endif

static void
decode_column(CfdwRecordDecoder *decoder, Column *column, Datum *value, bool *isnull)
{
	decoder->current = column;
	memset(&decoder->current_json, 0, sizeof(CfdwSlice));
	memset(&column->json, 0, sizeof(CfdwSlice));
	if (!column->options->on_error_null)
		(void) read_column(decoder, column, value, isnull, NULL);
	else if (!read_column_softly(decoder, column, value, isnull))
		*isnull = true;
	if (!*isnull)
		return;

	*value = (Datum) 0;
	if (column->is_domain) /* it may forbid null */
		(void) InputFunctionCall(&column->input, NULL, column->param, column->typmod);
	if (column->not_null)
		ereport(ERROR,
				errcode(ERRCODE_NOT_NULL_VIOLATION),
				errmsg("null value in column \"%s\" of foreign table \"%s\" violates not-null constraint",
					   column->name, decoder->relation));
}

static void
match_record(CfdwRecordDecoder *decoder)
{
	CfdwSlice record = decoder->info->record;

	if (record.data[0] != '{' && !decoder->takes_arrays)
		ereport(ERROR,
				errcode(ERRCODE_SQL_JSON_OBJECT_NOT_FOUND),
				errmsg("record is not a JSON object"),
				errdetail("The record is: %s", excerpt(record)),
				errhint("Set option \"records_path\", or the columns' option \"path\" to ''."));
	cfdw_node_match(decoder->root, record);
}

static void
keep_sample(CfdwRecordDecoder *decoder)
{
	CfdwSlice record = decoder->info->record;
	char *copy = MemoryContextAlloc(decoder->context, record.len);

	memcpy(copy, record.data, record.len);
	decoder->sample = (CfdwSlice){copy, record.len};
	decoder->wants_sample = false;
}

static void
decode_columns(CfdwRecordDecoder *decoder, Datum *values, bool *isnull)
{
	decoder->document = 0;
	decoder->valid = is_utf8(decoder->info->record);
	if (decoder->uses_nodes)
		match_record(decoder);
	for (int i = 0; i < decoder->ncolumns; i++)
	{
		Column *column = &decoder->columns[i];

		decode_column(decoder, column, &values[column->index], &isnull[column->index]);
	}
	if (decoder->wants_sample)
		keep_sample(decoder);
}

static void
push_context(CfdwRecordDecoder *decoder, const CfdwRecordInfo *info, ErrorContextCallback *callback)
{
	decoder->info = info;
	decoder->current = NULL;
	callback->callback = add_context;
	callback->arg = decoder;
	callback->previous = error_context_stack;
	error_context_stack = callback;
}

void
cfdw_record_decode(CfdwRecordDecoder *decoder, const CfdwRecordInfo *info, Datum *values, bool *isnull)
{
	ErrorContextCallback callback;
	CfdwSettings session;

	memset(values, 0, decoder->natts * sizeof(Datum));
	memset(isnull, true, decoder->natts * sizeof(bool));
	push_context(decoder, info, &callback);
	cfdw_settings_fix(&session);
	PG_TRY();
	{
		decode_columns(decoder, values, isnull);
	}
	PG_FINALLY();
	{
		cfdw_settings_restore(&session);
	}
	PG_END_TRY();
	error_context_stack = callback.previous;
}

char *
cfdw_record_text(const CfdwRecordDecoder *decoder, int attnum)
{
	for (int i = 0; i < decoder->ncolumns; i++)
	{
		const Column *column = &decoder->columns[i];

		if (column->index == attnum - 1 && column->json.data != NULL)
			return cfdw_value_plain(column->json, NULL);
	}
	return NULL;
}

int
cfdw_record_number(const CfdwRecordDecoder *decoder)
{
	return decoder->info->number;
}

bool
cfdw_record_has_key(const CfdwRecordDecoder *decoder)
{
	return decoder->nkeys > 0;
}

char *
cfdw_record_key(CfdwRecordDecoder *decoder, const CfdwRecordInfo *info, const Datum *values, const bool *isnull)
{
	ErrorContextCallback callback;
	char *key;

	push_context(decoder, info, &callback);
	key = cfdw_record_key_text(decoder->key, info->record, values, isnull);
	error_context_stack = callback.previous;
	return key;
}

/* A path that is silent about errors may have found nothing for that reason. */
static bool
is_missing(const Column *column)
{
	return column->options->source == CFDW_SOURCE_VALUE && !column->seen &&
		   (column->jsonpath == 0 || !column->options->on_error_null);
}

static void
warn_missing(CfdwRecordDecoder *decoder, const Column *column)
{
	CfdwSegment segment = {column->name, strlen(column->name)};
	CfdwPointer by_name = {1, &segment};
	char *nearest = NULL;

	if (column->jsonpath == 0)
		nearest = cfdw_nearest_member(decoder->sample, column->options->path == NULL ? &by_name : &column->pointer);
	ereport(WARNING,
			errcode(ERRCODE_WARNING),
			errmsg("no record of foreign table \"%s\" has a value for column \"%s\" so far",
				   decoder->relation, column->name),
			nearest != NULL ? errhint("The nearest member is \"%s\".", nearest) : errhint("Set the column's option \"path\"."));
}

void
cfdw_record_warn_missing(CfdwRecordDecoder *decoder)
{
	decoder->wants_sample = false;
	if (decoder->sample.data == NULL)
		return; /* there was no record */
	for (int i = 0; i < decoder->ncolumns; i++)
		if (is_missing(&decoder->columns[i]))
			warn_missing(decoder, &decoder->columns[i]);
	pfree((char *) decoder->sample.data);
	decoder->sample.data = NULL;
}

/*
 * option.c
 *	  Options from the catalog into structs, the validator that
 *	  CREATE and ALTER call, and the SQL function options().
 */
#include "option.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/reloptions.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_foreign_server.h"
#include "catalog/pg_foreign_table.h"
#include "catalog/pg_type.h"
#include "catalog/pg_user_mapping.h"
#include "commands/defrem.h"
#include "foreign/foreign.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "option_check.h"
#include "option_value.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

PG_FUNCTION_INFO_V1(checkpoint_fdw_validator);
PG_FUNCTION_INFO_V1(checkpoint_fdw_options);

/* Put the options of one object, defaults included, into their fields. */
static void
read_options(CfdwOptionPlace place, List *given, void *into)
{
	ListCell *cell;

	for (int i = 0; i < cfdw_option_count; i++)
	{
		const CfdwOptionDef *def = &cfdw_option_table[i];

		if (def->place == place && def->default_text != NULL)
			cfdw_option_store(def, def->default_text, into);
	}
	foreach(cell, given)
	{
		DefElem *option = lfirst(cell);

		cfdw_option_store(cfdw_option_find(place, option->defname), defGetString(option), into);
	}
	for (int i = 0; i < cfdw_option_count; i++)
	{
		const CfdwOptionDef *def = &cfdw_option_table[i];

		if (def->place == place && def->required && *(char **) ((char *) into + def->offset) == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_FDW_OPTION_NAME_NOT_FOUND),
					 errmsg("a %s needs the option \"%s\"", cfdw_place_name(place), def->name),
					 errhint("%s: %s.", def->name, def->help)));
	}
}

static void
init_options(CfdwOptions *options)
{
	memset(options, 0, sizeof(*options));
	options->pagination = CFDW_PAGINATION_UNKNOWN;
	options->checkpoint = CFDW_MODE_UNKNOWN;
}

/* The server gives all options that the object will have, so others cannot change it at all afterwards, as with file_fdw. */
static void
check_superuser(CfdwOptionPlace place, List *given)
{
	ListCell *cell;

	foreach(cell, given)
	{
		DefElem *option = lfirst(cell);
		const CfdwOptionDef *def = cfdw_option_find(place, option->defname);

		if (def->superuser && !superuser())
			ereport(ERROR,
					(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
					 errmsg("permission denied to set the option \"%s\" of a %s", def->name, cfdw_place_name(place)),
					 errdetail("Only superusers may set it, and change an object that has it.")));
	}
}

static const Oid catalogs[CFDW_PLACE_COUNT] = {
	[CFDW_PLACE_SERVER] = ForeignServerRelationId,
	[CFDW_PLACE_MAPPING] = UserMappingRelationId,
	[CFDW_PLACE_TABLE] = ForeignTableRelationId,
	[CFDW_PLACE_COLUMN] = AttributeRelationId,
};

/* validator(options text[], catalog oid): the server gives all options that the object will have. */
Datum
checkpoint_fdw_validator(PG_FUNCTION_ARGS)
{
	List *given = untransformRelOptions(PG_GETARG_DATUM(0));
	Oid catalog = PG_GETARG_OID(1);
	CfdwOptions options;
	CfdwColumnOptions column = {0};

	for (int place = 0; place < CFDW_PLACE_COUNT; place++)
	{
		void *into = place == CFDW_PLACE_COLUMN ? (void *) &column : (void *) &options;

		if (catalogs[place] != catalog)
			continue;
		init_options(&options);
		check_superuser(place, given);
		read_options(place, given, into);
		cfdw_option_check(place, into);
		PG_RETURN_VOID();
	}
	if (given != NIL)
		ereport(ERROR,
				(errcode(ERRCODE_FDW_INVALID_OPTION_NAME),
				 errmsg("the foreign data wrapper itself has no options"),
				 errhint("Set them for servers, user mappings, tables and columns.")));
	PG_RETURN_VOID();
}

/* options(): one row for each option, in the order of the table. */
Datum
checkpoint_fdw_options(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < cfdw_option_count; i++)
	{
		const CfdwOptionDef *def = &cfdw_option_table[i];
		bool nulls[5] = {false, false, false, def->default_text == NULL, false};
		Datum values[5] = {
			CStringGetTextDatum(def->name),
			CStringGetTextDatum(cfdw_place_name(def->place)),
			CStringGetTextDatum(cfdw_option_type(def)),
			nulls[3] ? (Datum) 0 : CStringGetTextDatum(def->default_text),
			CStringGetTextDatum(psprintf("%s%s", def->help, def->required ? " (required)" : ""))};

		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	PG_RETURN_VOID();
}

/*
 * The options of the user mapping that counts for a user: the user's own,
 * else that for PUBLIC.  *owner: whose it is, InvalidOid for PUBLIC.  false:
 * there is none.
 */
static bool
find_mapping(Oid user, Oid server, Oid *owner, List **options)
{
	const Oid candidates[] = {user, InvalidOid};

	*options = NIL;
	for (int i = 0; i < lengthof(candidates); i++)
	{
		HeapTuple tuple = SearchSysCache2(USERMAPPINGUSERSERVER, ObjectIdGetDatum(candidates[i]), ObjectIdGetDatum(server));
		Datum datum;
		bool isnull;

		if (!HeapTupleIsValid(tuple))
			continue;
		datum = SysCacheGetAttr(USERMAPPINGUSERSERVER, tuple, Anum_pg_user_mapping_umoptions, &isnull);
		if (!isnull)
			*options = untransformRelOptions(datum);
		ReleaseSysCache(tuple);
		*owner = candidates[i];
		return true;
	}
	return false;
}

/*
 * Raise if auth needs an option that the user mapping has not.  owns: the
 * mapping is the user's own; one for PUBLIC is no place to tell people to put
 * a secret.
 */
static void
check_secret(const CfdwOptions *options, const ForeignServer *server, Oid user, bool owns)
{
	const CfdwOptionDef *needed = cfdw_option_of_auth(options->auth);
	const char *auth = cfdw_word_of(cfdw_option_lookup(CFDW_PLACE_SERVER, "auth")->words, options->auth);
	const char *name = GetUserNameFromId(user, false);

	if (needed != NULL && cfdw_option_shown(needed, options) == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FDW_OPTION_NAME_NOT_FOUND),
				 errmsg("auth '%s' of server \"%s\" needs the option \"%s\" in a user mapping for \"%s\"",
						auth, server->servername, needed->name, name),
				 errhint("%s USER MAPPING FOR %s SERVER %s OPTIONS (%s%s '...').", owns ? "ALTER" : "CREATE",
						 quote_identifier(name), quote_identifier(server->servername), owns ? "ADD " : "", needed->name)));
}

/* What an option names is no column: say so, with the nearest one. */
static void
pg_attribute_noreturn()
	refuse_column(Oid foreign_table, const char *option, const char *name)
{
	Relation relation = relation_open(foreign_table, AccessShareLock);
	CfdwNearest nearest = cfdw_nearest_to(name);
	StringInfoData names;

	initStringInfo(&names);
	for (int i = 0; i < RelationGetNumberOfAttributes(relation); i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(RelationGetDescr(relation), i);

		if (attribute->attisdropped)
			continue;
		appendStringInfo(&names, "%s%s", names.len > 0 ? ", " : "", NameStr(attribute->attname));
		cfdw_nearest_feed(&nearest, NameStr(attribute->attname));
	}
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
			 errmsg("%s \"%s\" is no column of foreign table \"%s\"", option, name, RelationGetRelationName(relation)),
			 nearest.best != NULL ? errhint("Perhaps you meant \"%s\".", nearest.best) : errhint("Its columns are: %s.", names.data)));
}

int
cfdw_option_column(Oid foreign_table, const char *option, const char *name)
{
	AttrNumber attnum = get_attnum(foreign_table, name);

	if (attnum <= 0)
		refuse_column(foreign_table, option, name);
	return attnum;
}

static void
check_keyset(const CfdwOptions *options, Oid foreign_table)
{
	CfdwColumnOptions *column;

	if (options->keyset_column == NULL)
		return;
	column = cfdw_options_for_column(foreign_table, cfdw_option_column(foreign_table, "keyset_column", options->keyset_column));
	if (column->source != CFDW_SOURCE_VALUE || (column->path != NULL && column->path[0] == '$'))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("keyset_column \"%s\" is not a member of the record", options->keyset_column),
				 errhint("The column needs a JSON pointer as its path, or none, and neither source nor param.")));
}

static void
check_timestamp_column(const CfdwOptions *options, Oid foreign_table)
{
	CfdwColumnOptions *column;

	if (options->timestamp_column == NULL)
		return;
	column = cfdw_options_for_column(foreign_table, cfdw_option_column(foreign_table, "timestamp_column", options->timestamp_column));
	if (column->source != CFDW_SOURCE_VALUE)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("timestamp_column \"%s\" is not a value of the record", options->timestamp_column),
				 errhint("Name the column with the time that the API gives a record when it changes; it has neither the option \"source\" nor \"param\".")));
}

static bool
has_key(Oid foreign_table)
{
	Relation relation = relation_open(foreign_table, AccessShareLock);
	bool found = false;

	for (int i = 0; i < RelationGetNumberOfAttributes(relation) && !found; i++)
	{
		if (!TupleDescAttr(RelationGetDescr(relation), i)->attisdropped)
			found = cfdw_options_for_column(foreign_table, i + 1)->key;
	}
	relation_close(relation, AccessShareLock);
	return found;
}

static void
check_keys(const CfdwOptions *options, Oid foreign_table)
{
	if (options->checkpoint == CFDW_MODE_KEYS && !has_key(foreign_table))
		ereport(ERROR,
				(errcode(ERRCODE_FDW_OPTION_NAME_NOT_FOUND),
				 errmsg("checkpoint 'keys' needs a column with the option \"key\""),
				 errhint("Mark the columns that identify a record: ALTER FOREIGN TABLE %s ALTER COLUMN ... OPTIONS (ADD key 'true').",
						 quote_identifier(get_rel_name(foreign_table)))));
}

/* A context line, made beforehand: looking names up while an error is handled could fail. */
static void
add_context(void *arg)
{
	errcontext("%s", (const char *) arg);
}

CfdwOptions *
cfdw_options_for_table(Oid foreign_table, Oid user)
{
	ForeignTable *table = GetForeignTable(foreign_table);
	ForeignServer *server = GetForeignServer(table->serverid);
	CfdwOptions *options = palloc(sizeof(CfdwOptions));
	ErrorContextCallback context = {error_context_stack, add_context,
									psprintf("options of foreign table \"%s\"", get_rel_name(foreign_table))};
	List *mapping;
	Oid owner = InvalidOid;
	bool has_mapping = find_mapping(user, server->serverid, &owner, &mapping);

	error_context_stack = &context;
	init_options(options);
	read_options(CFDW_PLACE_SERVER, server->options, options);
	cfdw_option_check(CFDW_PLACE_SERVER, options);
	read_options(CFDW_PLACE_MAPPING, mapping, options);
	cfdw_option_check(CFDW_PLACE_MAPPING, options);
	if (has_mapping)
		options->mapping_user = pstrdup(MappingUserName(owner));
	read_options(CFDW_PLACE_TABLE, table->options, options);
	cfdw_option_check(CFDW_PLACE_TABLE, options);
	check_secret(options, server, user, has_mapping && OidIsValid(owner));
	cfdw_option_check_auth(options);
	check_keyset(options, foreign_table);
	check_timestamp_column(options, foreign_table);
	check_keys(options, foreign_table);
	error_context_stack = context.previous;
	return options;
}

static bool
is_number(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID || type == NUMERICOID;
}

/* A format is for times, also for those that a column keeps as numbers; element types count, too. */
static void
check_format(const CfdwColumnOptions *options, Oid foreign_table, int attnum)
{
	Oid type = getBaseType(get_atttype(foreign_table, attnum));
	Oid element = get_base_element_type(type);
	bool epoch = options->format == CFDW_FORMAT_EPOCH || options->format == CFDW_FORMAT_EPOCH_MS || options->format == CFDW_FORMAT_EPOCH_US;

	if (OidIsValid(element))
		type = element;
	if (type == TIMESTAMPTZOID || type == TIMESTAMPOID || type == DATEOID || (is_number(type) && epoch))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FDW_INVALID_OPTION_NAME),
			 errmsg("option \"format\" does not go with type %s", format_type_be(type)),
			 is_number(type) ? errhint("A column of numbers can have the formats epoch, epoch_ms and epoch_us.") : errhint("It is for columns of type timestamptz, timestamp and date.")));
}

CfdwColumnOptions *
cfdw_options_for_column(Oid foreign_table, int attnum)
{
	CfdwColumnOptions *options = palloc0(sizeof(CfdwColumnOptions));
	char *line = psprintf("options of column \"%s\" of foreign table \"%s\"",
						  get_attname(foreign_table, attnum, false), get_rel_name(foreign_table));
	ErrorContextCallback context = {error_context_stack, add_context, line};

	error_context_stack = &context;
	read_options(CFDW_PLACE_COLUMN, GetForeignColumnOptions(foreign_table, attnum), options);
	cfdw_option_check(CFDW_PLACE_COLUMN, options);
	if (options->format != CFDW_FORMAT_NONE)
		check_format(options, foreign_table, attnum);
	error_context_stack = context.previous;
	return options;
}

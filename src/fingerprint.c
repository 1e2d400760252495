/*
 * fingerprint.c
 *	  What gives a position its meaning: a line for each option, its name and
 *	  its value with a tab between them.
 */
#include "fingerprint.h"

#include "access/relation.h"
#include "lib/stringinfo.h"
#include "option_value.h"
#include "utils/builtins.h"
#include "utils/rel.h"

static void
append_escaped(StringInfo out, const char *text)
{
	for (; *text != '\0'; text++)
	{
		if (*text == '\\')
			appendStringInfoString(out, "\\\\");
		else if (*text == '\n')
			appendStringInfoString(out, "\\n");
		else if (*text == '\t')
			appendStringInfoString(out, "\\t");
		else
			appendStringInfoChar(out, *text);
	}
}

/* value NULL: no line */
static void
append_line(StringInfo out, const char *name, const char *value)
{
	if (value == NULL)
		return;
	append_escaped(out, name);
	appendStringInfoChar(out, '\t');
	append_escaped(out, value);
	appendStringInfoChar(out, '\n');
}

/* Options of the table and of its server. */
static void
append_options(StringInfo out, const CfdwOptions *options)
{
	for (int i = 0; i < cfdw_option_count; i++)
	{
		const CfdwOptionDef *def = &cfdw_option_table[i];

		if (def->in_fingerprint && def->place != CFDW_PLACE_COLUMN)
			append_line(out, psprintf("option \"%s\"", def->name), cfdw_option_shown(def, options));
	}
	/* elsewhere another size gives the same list in other portions */
	if (options->pagination == CFDW_PAGINATION_PAGE_NUMBER)
		append_line(out, "option \"page_size\"", psprintf("%d", options->page_size));
}

static void
append_column(StringInfo out, Form_pg_attribute attribute, const CfdwColumnOptions *options)
{
	const char *column = psprintf("column \"%s\"", NameStr(attribute->attname));

	append_line(out, psprintf("type of %s", column),
				format_type_extended(attribute->atttypid, attribute->atttypmod, FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY));
	append_line(out, psprintf("option \"key\" of %s", column), options->key ? "true" : "false");
	for (int i = 0; i < cfdw_option_count; i++)
	{
		const CfdwOptionDef *def = &cfdw_option_table[i];

		if (def->in_fingerprint && def->place == CFDW_PLACE_COLUMN)
			append_line(out, psprintf("option \"%s\" of %s", def->name, column), cfdw_option_shown(def, options));
	}
}

static bool
is_named(const char *option, Form_pg_attribute attribute)
{
	return option != NULL && strcmp(option, NameStr(attribute->attname)) == 0;
}

char *
cfdw_fingerprint_make(Oid foreign_table, const CfdwOptions *options)
{
	Relation relation = relation_open(foreign_table, AccessShareLock);
	StringInfoData out;

	initStringInfo(&out);
	append_options(&out, options);
	for (int i = 0; i < RelationGetNumberOfAttributes(relation); i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(RelationGetDescr(relation), i);
		CfdwColumnOptions *column;

		if (attribute->attisdropped)
			continue;
		column = cfdw_options_for_column(foreign_table, attribute->attnum);
		if (column->key || column->param != NULL || is_named(options->keyset_column, attribute) || is_named(options->timestamp_column, attribute))
			append_column(&out, attribute, column);
	}
	relation_close(relation, AccessShareLock);
	append_line(&out, CFDW_FINGERPRINT_USER, options->mapping_user);
	return out.data;
}

static bool
has_line(const char *text, const char *line, size_t len)
{
	while (*text != '\0')
	{
		size_t other = strcspn(text, "\n");

		if (other == len && strncmp(text, line, len) == 0)
			return true;
		text += other + (text[other] == '\n');
	}
	return false;
}

/* The name in the first line of a that b does not have, or NULL. */
static char *
missing_line(const char *a, const char *b)
{
	while (*a != '\0')
	{
		size_t len = strcspn(a, "\n");

		if (!has_line(b, a, len))
			return pnstrdup(a, strcspn(a, "\t\n"));
		a += len + (a[len] == '\n');
	}
	return NULL;
}

char *
cfdw_fingerprint_difference(const char *stored, const char *now)
{
	char *name = missing_line(now, stored);

	return name != NULL ? name : missing_line(stored, now);
}

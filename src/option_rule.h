/*
 * option_rule.h
 *	  What the checks between options share.
 */
#ifndef CFDW_OPTION_RULE_H
#define CFDW_OPTION_RULE_H

#include "option_table.h"

/* hint may be NULL */
static inline void
pg_attribute_noreturn()
	refuse(int sqlstate, const char *message, const char *hint)
{
	ereport(ERROR, (errcode(sqlstate), errmsg_internal("%s", message), hint != NULL ? errhint("%s", hint) : 0));
}

/* The field of an option that is text. */
static inline const char *
text_of(const CfdwOptionDef *def, const void *options)
{
	return *(char *const *) ((const char *) options + def->offset);
}

/* The same of a table's option, by name. */
static inline const char *
table_text(const CfdwOptions *options, const char *name)
{
	return text_of(cfdw_option_lookup(CFDW_PLACE_TABLE, name), options);
}

static inline const char *
pagination_name(int kind)
{
	return cfdw_word_of(cfdw_pagination_words, kind);
}

/* Is the placeholder in the table's part of a request? */
static inline bool
uses(const CfdwOptions *options, const char *placeholder)
{
	const char *const templates[] = {options->endpoint, options->params, options->body, options->table_headers};

	for (int i = 0; i < lengthof(templates); i++)
	{
		if (templates[i] != NULL && cfdw_template_uses(templates[i], placeholder))
			return true;
	}
	return false;
}

/*
 * Is the placeholder in the URL?  There it can be nothing else, while body
 * and headers may have such text for their own ends (GraphQL).
 */
static inline bool
url_uses(const CfdwOptions *options, const char *placeholder)
{
	return cfdw_template_uses(options->endpoint, placeholder) ||
		   (options->params != NULL && cfdw_template_uses(options->params, placeholder));
}

/* Do pages follow each other by the records' times alone, so that the size of one decides? */
static inline bool
is_cut_by_size(const CfdwOptions *options)
{
	return options->checkpoint == CFDW_MODE_TIMESTAMP && options->record_order == CFDW_ORDER_ASC && options->pagination == CFDW_PAGINATION_NONE;
}

#endif /* CFDW_OPTION_RULE_H */

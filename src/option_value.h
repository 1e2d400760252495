/*
 * option_value.h
 *	  The value of one option: checked by its kind and put into its field.
 */
#ifndef CFDW_OPTION_VALUE_H
#define CFDW_OPTION_VALUE_H

#include "option_table.h"

/*
 * Check a value and put it into its field of into (a CfdwOptions or, at
 * column, a CfdwColumnOptions).  Raises 22023; the message shows the value
 * only where it can hold no secret.
 */
extern void cfdw_option_store(const CfdwOptionDef *def, const char *value, void *into);

/* The value in an option's field, as a person would write it; NULL: none. */
extern const char *cfdw_option_shown(const CfdwOptionDef *def, const void *options);

/* What a value looks like, for options(): "text", "none, bearer, basic, api_key", "integer". */
extern const char *cfdw_option_type(const CfdwOptionDef *def);

/* A span that is an interval; false if it has months or is out of range.  Raises if it is no interval. */
extern bool cfdw_option_span(const char *value, int64 *microseconds);

#endif /* CFDW_OPTION_VALUE_H */

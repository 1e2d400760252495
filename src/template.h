/*
 * template.h
 *	  Placeholders: {cursor} {offset} {page} {limit} {since} {until} {column}.
 *
 * Only names in the given list are placeholders; any other brace text stays
 * as it is (GraphQL bodies are full of braces).
 */
#ifndef CFDW_TEMPLATE_H
#define CFDW_TEMPLATE_H

#include "error.h"

typedef struct CfdwVariable
{
	const char *name;
	const char *text; /* as text; NULL: known, but without a value now */
	const char *json; /* as a JSON value; NULL: text as a JSON string */
} CfdwVariable;

typedef struct CfdwVariables
{
	int count;
	const CfdwVariable *items;
} CfdwVariables;

typedef enum CfdwEncoding
{
	CFDW_PLAIN, /* headers, free text: as it is */
	CFDW_PATH,  /* percent-encoded; {+name} keeps "/" */
	CFDW_QUERY  /* percent-encoded (RFC 3986, space = %20) */
} CfdwEncoding;

/* Does the text hold the placeholder {name} or {+name}? */
extern bool cfdw_template_uses(const char *tmpl, const char *name);

/* Is the text exactly one placeholder?  Then its variable, else NULL. */
extern const CfdwVariable *cfdw_template_sole(const char *tmpl, const CfdwVariables *vars);

/*
 * Append tmpl with its placeholders filled.  A placeholder without a value is
 * CFDW_ERR_OPTION (it names the placeholder).  CFDW_PATH: the template's own
 * text goes through untouched; a value that is, or with {+name} holds, a "."
 * or ".." segment (also with "%2e") is CFDW_ERR_OPTION.  CFDW_PLAIN: CR, LF and NUL in a value
 * are CFDW_ERR_OPTION (header injection).
 */
extern bool cfdw_template_fill(CfdwBuf *out, const char *tmpl, CfdwEncoding encoding, const CfdwVariables *vars, CfdwError *err);

/*
 * params is a query string as a person writes it, decoded: "state=all&q=a b".
 * Split at "&" and the first "=" first, fill, then encode name and value, so
 * a value can never add a pair.  A pair whose value is exactly a placeholder
 * without a value is left out.  "%26" in params is a literal "%26".  Pairs are
 * joined with "&", but nothing is put between out's text and the first one.
 */
extern bool cfdw_template_query(CfdwBuf *out, const char *params, const CfdwVariables *vars, CfdwError *err);

#endif /* CFDW_TEMPLATE_H */

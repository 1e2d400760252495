/*
 * json.h
 *	  Small JSON documents through json-c: envelopes, positions, JSON-valued
 *	  options, body templates.  Records never come here (json-c would clamp
 *	  their integers); an integer that json-c cannot hold is an error here.
 */
#ifndef CFDW_JSON_H
#define CFDW_JSON_H

#include "pointer.h"
#include "template.h"

typedef struct CfdwJson CfdwJson; /* a value inside a document; opaque */

typedef enum CfdwJsonKind
{
	CFDW_JSON_NULL,
	CFDW_JSON_BOOL,
	CFDW_JSON_NUMBER,
	CFDW_JSON_STRING,
	CFDW_JSON_ARRAY,
	CFDW_JSON_OBJECT
} CfdwJsonKind;

/* Strict parse (depth at most 512); the document lives as long as the arena.  CFDW_ERR_JSON, CFDW_ERR_LIMIT. */
extern bool cfdw_json_parse(CfdwArena *arena, const char *text, size_t len, CfdwJson **out, CfdwError *err);

extern CfdwJsonKind cfdw_json_kind(const CfdwJson *value); /* NULL is CFDW_JSON_NULL */
/* The value at a pointer without wildcards, *found false if there is none. */
extern CfdwJson *cfdw_json_at(CfdwJson *root, const CfdwPointer *pointer, bool *found);
/* Member of an object by exact name, or NULL. */
extern CfdwJson *cfdw_json_member(CfdwJson *object, const char *name);
/* Call fn for each member of an object, in order; stops when fn returns false, and returns what it returned. */
extern bool cfdw_json_each(CfdwJson *object, bool (*fn)(const char *name, CfdwJson *value, void *arg), void *arg);

/* A string's bytes, a number as the document wrote it, true/false; other kinds as JSON text; null: NULL. */
extern char *cfdw_json_text(CfdwArena *arena, CfdwJson *value);
/* JSON text of the value, compact. */
extern char *cfdw_json_dump(CfdwArena *arena, CfdwJson *value);
/* An integer that fits int64; false otherwise. */
extern bool cfdw_json_int(CfdwJson *value, int64 *out);

/* The one truth rule: missing (NULL), null, false, 0, "", "false", [] and {} are false. */
extern bool cfdw_json_truth(CfdwJson *value);

/* A quoted JSON string. */
extern char *cfdw_json_quote(CfdwArena *arena, const char *s);

/*
 * Fill a JSON body template: a string value that is exactly "{name}" becomes
 * the variable's JSON value, or its member is left out if there is none (in
 * an array: null); placeholders inside longer strings are filled as text
 * (without a value: CFDW_ERR_OPTION).  merge, when not NULL, is a JSON object
 * whose members are put over the top level.  The template document is not changed.
 */
extern bool cfdw_json_fill(CfdwArena *arena, CfdwJson *tmpl, const CfdwVariables *vars, CfdwJson *merge, char **out, CfdwError *err);

#endif /* CFDW_JSON_H */

/*
 * value.h
 *	  A JSON value as text for a type's input function.
 *
 * Everything goes through input functions, so that domains, enums, typmods,
 * ranges and types of extensions work alike: a number reaches them as its own
 * text, a string de-escaped, json and jsonb the value's own bytes, an array
 * type an array literal and a composite type a row literal, built from the
 * JSON elements and members in turn.
 */
#ifndef CFDW_VALUE_H
#define CFDW_VALUE_H

#include "option.h"

typedef struct CfdwType CfdwType;

/*
 * How to read a type, in the current context.  options, which outlive
 * it, say how dates and times inside it are written.
 */
extern CfdwType *cfdw_type_open(Oid type, const CfdwColumnOptions *options);

/*
 * The text for the type's input function, in the current context; NULL after
 * a soft error.  json is not null.
 */
extern char *cfdw_value_text(CfdwType *type, CfdwSlice json, Node *escontext);

/* A string's text; other values' own bytes.  NULL after a soft error. */
extern char *cfdw_value_plain(CfdwSlice json, Node *escontext);

#endif /* CFDW_VALUE_H */

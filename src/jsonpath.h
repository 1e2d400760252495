/*
 * jsonpath.h
 *	  SQL/JSON paths ("$…") through the server's own jsonpath.
 */
#ifndef CFDW_JSONPATH_H
#define CFDW_JSONPATH_H

#include "pagination.h"

/*
 * A CfdwPathEvaluator: the first item at path in the document, as JSON text
 * in arena, or NULL.  Raises what jsonb and jsonpath raise.
 */
extern void cfdw_jsonpath_first(CfdwArena *arena, CfdwSlice document, const char *path, char **result);

/*
 * The first item of jsonpath in jsonb (Datums of these types) as jsonb;
 * false: none, and with silent also where the path would raise, such as
 * $.size.double() over text.  In the current context.
 */
extern bool cfdw_jsonpath_query(Datum jsonb, Datum jsonpath, bool silent, Datum *item);

#endif /* CFDW_JSONPATH_H */

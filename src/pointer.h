/*
 * pointer.h
 *	  JSON Pointers (RFC 6901), with "*" for each element or member where the
 *	  caller allows it.
 */
#ifndef CFDW_POINTER_H
#define CFDW_POINTER_H

#include "error.h"

typedef struct CfdwSegment
{
	char *name; /* unescaped (~0, ~1); never NULL */
	size_t len;
	int64 index;   /* as an array index, or -1 */
	bool wildcard; /* "*" */
} CfdwSegment;

typedef struct CfdwPointer
{
	int count; /* 0: the whole document */
	CfdwSegment *segments;
	bool has_wildcard;
} CfdwPointer;

/*
 * Parse "" or "/a/b~1c/0".  Errors are CFDW_ERR_OPTION: no leading slash, "~"
 * not followed by 0 or 1, a "*" segment without allow_wildcard.
 */
extern bool cfdw_pointer_parse(CfdwArena *arena, const char *text, bool allow_wildcard, CfdwPointer *out, CfdwError *err);

#endif /* CFDW_POINTER_H */

/*
 * member.h
 *	  The member of a record that the name of a column means.
 */
#ifndef CFDW_MEMBER_H
#define CFDW_MEMBER_H

#include "base.h"

/* Lower case, without underscores (ASCII only); out holds as many bytes as name. */
extern CfdwSlice cfdw_member_fold(CfdwSlice name, char *out);

/* A name as a token walk gives it, without its escapes; false: no text can hold it. */
extern bool cfdw_member_name(CfdwArena *scratch, CfdwSlice *name);

/*
 * The value of the member of that very name; without one, of the only other
 * that is the same when folded.  record is a JSON object that a page's parse
 * has checked.  false: there is none, or there are several.
 */
extern bool cfdw_member_find(CfdwArena *scratch, CfdwSlice record, const char *name, CfdwSlice *value);

#endif /* CFDW_MEMBER_H */

/*
 * fingerprint.h
 *	  What gives a position its meaning, as text to be kept beside it.
 */
#ifndef CFDW_FINGERPRINT_H
#define CFDW_FINGERPRINT_H

#include "option.h"

/*
 * The options that a position depends on, in the current context: those
 * marked in the table of options, the user of the mapping, and of key and
 * keyset columns their options and types.  Equal text, equal meaning.
 */
extern char *cfdw_fingerprint_make(Oid foreign_table, const CfdwOptions *options);

/* What comes last: a difference is named so only if there is no other. */
#define CFDW_FINGERPRINT_USER "user of the user mapping"

/*
 * What differs first, as a phrase for messages (option "endpoint", type of
 * column "id"), in the current context; NULL: nothing.
 */
extern char *cfdw_fingerprint_difference(const char *stored, const char *now);

#endif /* CFDW_FINGERPRINT_H */

/*
 * secret.h
 *	  The secrets that requests carry, and text without them: an API may
 *	  quote in an error what it was sent.
 */
#ifndef CFDW_SECRET_H
#define CFDW_SECRET_H

#include "base.h"

typedef struct CfdwSecrets CfdwSecrets;

extern CfdwSecrets *cfdw_secrets_new(CfdwArena *arena);

/*
 * Add one, in the spellings in which it can come back: as it is,
 * percent-encoded, and as JSON writes it; of several words ("Bot abcdefgh")
 * also the last alone, if it is long.  One of less than four bytes protects nothing, and
 * would make other text unreadable: it is left out.  NULL adds nothing.
 */
extern void cfdw_secrets_add(CfdwSecrets *secrets, const char *text);

/* text with "***" in place of every secret; text itself if it has none.  secrets NULL: there are none. */
extern CfdwSlice cfdw_secrets_mask(const CfdwSecrets *secrets, CfdwArena *arena, CfdwSlice text);

/* The same for a string. */
extern const char *cfdw_secrets_mask_string(const CfdwSecrets *secrets, CfdwArena *arena, const char *text);

#endif /* CFDW_SECRET_H */

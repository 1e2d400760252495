/*
 * keys.h
 *	  A set of record keys, for recognising what has been handed up.
 */
#ifndef CFDW_KEYS_H
#define CFDW_KEYS_H

#include "base.h"

typedef struct CfdwKeys CfdwKeys;

extern CfdwKeys *cfdw_keys_new(CfdwArena *arena);
/* Add a copy of the key; false if it is there already. */
extern bool cfdw_keys_add(CfdwKeys *keys, const char *key);
/* Add the key if need be, and say how often it has been tallied, this time included. */
extern int cfdw_keys_tally(CfdwKeys *keys, const char *key);
extern bool cfdw_keys_has(const CfdwKeys *keys, const char *key);
extern int cfdw_keys_count(const CfdwKeys *keys);
extern void cfdw_keys_clear(CfdwKeys *keys);
/* Call fn for each key, in no order. */
extern void cfdw_keys_each(CfdwKeys *keys, void (*fn)(const char *key, void *arg), void *arg);

#endif /* CFDW_KEYS_H */

/*
 * record_key.h
 *	  A record's key as text: what delivered keys are compared by.
 */
#ifndef CFDW_RECORD_KEY_H
#define CFDW_RECORD_KEY_H

#include "base.h"
#include "access/tupdesc.h"

typedef struct CfdwRecordKey CfdwRecordKey;

/* In the current context.  attributes: the key columns, 1-based and in order; none: count 0. */
extern CfdwRecordKey *cfdw_record_key_open(TupleDesc desc, const int *attributes, int count);

/*
 * The key in the current context; see cfdw_record_key in record.h.  Short
 * keys are plain text that does not start with "#"; all others are "#" and a
 * hash of 128 bits in hex.
 */
extern char *cfdw_record_key_text(CfdwRecordKey *key, CfdwSlice record, const Datum *values, const bool *isnull);

#endif /* CFDW_RECORD_KEY_H */

/*
 * record.h
 *	  One record's bytes to Datums: column paths, formats, input functions,
 *	  and the record's key.
 *
 * One walk over the record, which the page's parse has checked, finds the
 * wanted values (match.h); numbers reach input functions as their own text, a
 * subtree reaches json, jsonb and text columns as its own bytes (value.h).
 * What is wrong inside a value that nobody wants does no harm.
 */
#ifndef CFDW_RECORD_H
#define CFDW_RECORD_H

#include "option.h"
#include "nodes/bitmapset.h"
#include "utils/rel.h"

typedef struct CfdwRecordDecoder CfdwRecordDecoder;

/* What a record knows besides its bytes. */
typedef struct CfdwRecordInfo
{
	CfdwSlice record;
	CfdwSlice member; /* JSON string text of the member's name, data NULL: none */
	int64 page;       /* number of its page in the walk, from 1 */
	int number;       /* number in its page, from 1 */
	TimestampTz fetched_at;
	const char *url; /* of its page, secrets masked; NULL: not known */
	int64 batch;     /* that the record is handed up in; 0: none, the column is null */
} CfdwRecordInfo;

/*
 * A decoder for the wanted columns (attribute numbers; key columns are
 * always decoded, and columns that are NOT NULL), in the current context.
 * Raises for a column path that does not parse, and 0A000 in a database whose
 * encoding is neither UTF8 nor SQL_ASCII.
 */
extern CfdwRecordDecoder *cfdw_record_open(Relation relation, Bitmapset *wanted);

/* The same for key columns and the wanted ones alone, also where others are NOT NULL. */
extern CfdwRecordDecoder *cfdw_record_open_keys(Relation relation, Bitmapset *wanted);

/*
 * Decode into values and isnull (one per attribute of the relation; those
 * not wanted become null).  Results live in the current context, scratch
 * too: the caller resets it per row.  Raises, with column, number of the
 * record and an excerpt of the value in CONTEXT, if a value does not fit its
 * column or is no valid UTF-8 (unless on_error null), the record is no object
 * while a column needs a member, two members could be a column, or a NOT NULL
 * column gets null.
 */
extern void cfdw_record_decode(CfdwRecordDecoder *decoder, const CfdwRecordInfo *info, Datum *values, bool *isnull);

/*
 * The text of a wanted column of the record decoded last, as the API wrote
 * it (a JSON string without its escapes), in the current context; NULL if it
 * has none.  To be called in the context in which it was decoded, before that
 * is reset.
 */
extern char *cfdw_record_text(const CfdwRecordDecoder *decoder, int attnum);

/* Number of the record decoded last in its page, for messages. */
extern int cfdw_record_number(const CfdwRecordDecoder *decoder);

/*
 * After the first page: the columns that no record so far had, a WARNING each with
 * the nearest member name.  Call once.
 */
extern void cfdw_record_warn_missing(CfdwRecordDecoder *decoder);

/* Does the table have key columns? */
extern bool cfdw_record_has_key(const CfdwRecordDecoder *decoder);

/*
 * The record's key as text in the current context: output of the key
 * columns' types under fixed settings (ISO dates, UTC, postgres intervals,
 * extra_float_digits 1), several as a JSON array; longer than 64 bytes: a hash
 * ("#" and 32 hex digits, which no short key is).  A null key column is an
 * error.  Without key columns: the hash of the record's bytes.
 */
extern char *cfdw_record_key(CfdwRecordDecoder *decoder, const CfdwRecordInfo *info, const Datum *values, const bool *isnull);

#endif /* CFDW_RECORD_H */

/*
 * instant.h
 *	  Dates and times as APIs write them, and decimal numbers.
 */
#ifndef CFDW_INSTANT_H
#define CFDW_INSTANT_H

#include "option.h"

/*
 * text, which may be changed, as text for the input function of type
 * (timestamptz, timestamp or date), to be called under the same fixed
 * settings (settings.h) with the column's time zone as session_timezone.
 *
 * A value without a zone belongs to the column's time zone; a timestamp or
 * date column gets a value that has a zone as the column's time zone shows
 * it.  Digits beyond microseconds are cut, never rounded up.  number: the
 * value was a JSON number.  NULL: a soft error.
 */
extern char *cfdw_instant_text(Oid type, const CfdwColumnOptions *options, char *text, bool number, Node *escontext);

typedef enum CfdwDecimal
{
	CFDW_DECIMAL_EXACT,
	CFDW_DECIMAL_CUT, /* digits other than 0 were cut off */
	CFDW_DECIMAL_OVERFLOW,
	CFDW_DECIMAL_INVALID /* no decimal number */
} CfdwDecimal;

/* A decimal number (with sign, fraction and exponent) times 10^shift, towards zero. */
extern CfdwDecimal cfdw_decimal_int64(const char *text, int shift, int64 *out);

#endif /* CFDW_INSTANT_H */

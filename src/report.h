/*
 * report.h
 *	  The one way from an error value to ereport(), and the context line of
 *	  a scan.
 */
#ifndef CFDW_REPORT_H
#define CFDW_REPORT_H

#include "error.h"

/* Raise err with the SQLSTATE of its kind.  Never returns. */
extern void cfdw_report(const CfdwError *err) pg_attribute_noreturn();
/* The same text at another level (WARNING, NOTICE); returns. */
extern void cfdw_report_at(int elevel, const CfdwError *err);

#endif /* CFDW_REPORT_H */

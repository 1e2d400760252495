/*
 * error.h
 *	  An error as a value.
 *
 * Below the layer line nothing raises: a function that can fail returns
 * false and fills a CfdwError.  report.c turns it into ereport() once no
 * library is on the stack.  The struct holds its text itself, so that a
 * libcurl callback can fill one without allocating.
 */
#ifndef CFDW_ERROR_H
#define CFDW_ERROR_H

#include "base.h"

/* What went wrong; report.c maps each kind to one SQLSTATE. */
typedef enum CfdwErrorKind
{
	CFDW_OK = 0,
	CFDW_ERR_OPTION,    /* an option's value does not work: 22023 */
	CFDW_ERR_URL,       /* a malformed URL, from an option or the API: 22023 */
	CFDW_ERR_FORBIDDEN, /* a URL that may not be asked (origin, scheme): 42501 */
	CFDW_ERR_CONNECT,   /* no connection, name not resolved, TLS failed: 08001 */
	CFDW_ERR_TRUST,     /* a certificate is not trusted or cannot be used: 08001 */
	CFDW_ERR_TRANSFER,  /* connection broke, response cut: 08006 */
	CFDW_ERR_TIMEOUT,   /* request_timeout or connect_timeout: 08006 */
	CFDW_ERR_STATUS,    /* the API answered with an error status: HV000 */
	CFDW_ERR_AUTH,      /* status 401 or 403: 28000 */
	CFDW_ERR_API,       /* a 2xx body that says error: HV000 */
	CFDW_ERR_JSON,      /* the body is no JSON (HTML …): 22032 */
	CFDW_ERR_CUT,       /* the body ends before its JSON does, or is empty: 22032 */
	CFDW_ERR_MISSING,   /* a path of an option is not in the body: 2203A */
	CFDW_ERR_SHAPE,     /* the value at a path has the wrong type: 22038 */
	CFDW_ERR_LIMIT,     /* a bound was reached (bytes, depth, pages): 54000 */
	CFDW_ERR_LOOP,      /* the API does not make progress: HV000 */
	CFDW_ERR_SHIFTED,   /* the list moved under the position: 55000 */
	CFDW_ERR_RECORD,    /* a record cannot be used: 22023 */
	CFDW_ERR_POSITION,  /* a stored position cannot be read: 22023 */
	CFDW_ERR_MEMORY,    /* malloc failed: 53200 */
	CFDW_ERR_INTERNAL   /* cannot happen: XX000 */
} CfdwErrorKind;

typedef struct CfdwError
{
	CfdwErrorKind kind;
	int status;        /* HTTP status, 0 = none */
	char message[512]; /* primary message: lower case, no full stop */
	char detail[1024]; /* sentences, or "" */
	char hint[512];    /* sentences, or "" */
} CfdwError;

/*
 * Set kind and message (and clear detail, hint and status).  Always returns
 * false, so that "return cfdw_fail(err, …)" reads well.  Text that does not
 * fit is cut at a UTF-8 character.
 */
extern bool cfdw_fail(CfdwError *err, CfdwErrorKind kind, const char *fmt, ...) pg_attribute_printf(3, 4);
/* Replace detail or hint of a set error. */
extern void cfdw_detail(CfdwError *err, const char *fmt, ...) pg_attribute_printf(2, 3);
extern void cfdw_hint(CfdwError *err, const char *fmt, ...) pg_attribute_printf(2, 3);

#endif /* CFDW_ERROR_H */

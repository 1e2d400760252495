/*
 * transfer.h
 *	  A transfer from the inside: for http.c, which runs it, and
 *	  http_failure.c, which says what went wrong.
 */
#ifndef CFDW_TRANSFER_H
#define CFDW_TRANSFER_H

#include "http.h"

#include <curl/curl.h>

enum
{
	MAX_HEADER_BYTES = 256 * 1024 /* all header lines of a transfer together */
};

typedef struct Bytes
{
	char *data; /* malloc'ed */
	size_t len;
	size_t cap;
} Bytes;

/* Why we, not libcurl, ended a transfer. */
typedef enum Stop
{
	STOP_NONE,
	STOP_BODY_LIMIT,
	STOP_HEADER_LIMIT,
	STOP_MEMORY,
	STOP_TIMEOUT,
	STOP_BROKEN /* the multi handle is unusable */
} Stop;

struct CfdwTransfer
{
	CfdwArena *arena;
	CfdwHttpOptions options;
	const char *method;
	CURL *easy; /* NULL: ended */
	bool added; /* to the multi handle */
	struct curl_slist *request_lines;

	/* written by callbacks */
	Bytes headers; /* lines of the last header block, each ends with a NUL */
	size_t header_bytes;
	bool in_block;     /* the status line of a block has been seen */
	bool headers_done; /* the final block is complete */
	Bytes body;
	Stop stop;
	char reason[CURL_ERROR_SIZE];
	char refused[64]; /* an address that was not connected to */

	/* the outcome */
	CURLcode result;
	long os_error; /* errno of a failed connect, or 0 */
	bool response_ready;
	CfdwResponse response;
};

/* Fill in the error of a transfer that ended without a response.  Returns false. */
extern bool cfdw_transfer_explain(const CfdwTransfer *transfer, CfdwError *err);

#endif /* CFDW_TRANSFER_H */

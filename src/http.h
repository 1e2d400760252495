/*
 * http.h
 *	  HTTP requests and their responses, through libcurl.
 *
 * All transfers of the process share one multi handle (multi.h), so they move
 * on together and connections are kept alive between statements.  Waiting is
 * not done here: a CfdwWaiter does it (in the server: wait.c, with the latch
 * and a WaitEventSet, so cancel and timeouts work; outside: poll).  A waiter
 * may leave by longjmp, as no libcurl function is on the stack while it runs;
 * the transfer's arena then takes the handle away.
 */
#ifndef CFDW_HTTP_H
#define CFDW_HTTP_H

#include "multi.h"

typedef struct CfdwHeader
{
	const char *name;
	const char *value;
} CfdwHeader;

typedef struct CfdwRequest
{
	const char *method; /* GET or POST */
	const char *url;    /* absolute, encoded; goes out byte for byte */
	int header_count;
	const CfdwHeader *headers; /* auth included; nothing of it is ever logged */
	const char *body;          /* NULL: none */
	size_t body_len;
	const char *masked_url; /* for messages */
} CfdwRequest;

typedef struct CfdwHttpOptions
{
	int connect_timeout_ms;   /* name look-up, connect and TLS */
	int request_timeout_ms;   /* of waiting in cfdw_http_finish */
	int64 max_response_bytes; /* after decompression */
	const char *user_agent;
	const char *allowed_hosts; /* NULL: all; of the addresses that hosts.h refuses those listed may be connected to */
	const char *proxy;         /* NULL: none */
	const char *ca_file;       /* NULL: the system's trusted certificates */
	const char *client_cert;   /* NULL: none */
	const char *client_key;    /* NULL: in client_cert */
	bool once;                 /* a new connection: on a kept one that turns out to be dead libcurl would send again */
} CfdwHttpOptions;

typedef struct CfdwResponse
{
	int status;
	const char *url; /* the request's URL */
	const char *masked_url;
	CfdwSlice body; /* decompressed; lives in the transfer's arena */
	int header_count;
	CfdwHeader *headers; /* names as received */
	int64 date;          /* Date header as seconds since 1970; 0: none */
	int64 elapsed_us;    /* from start to the last byte */
	int64 wire_bytes;    /* body bytes received, before decompression */
} CfdwResponse;

/* Value of a header by name (any case), several lines joined by ", "; NULL: none. */
extern const char *cfdw_response_header(CfdwArena *arena, const CfdwResponse *response, const char *name);

typedef struct CfdwTransfer CfdwTransfer;

/*
 * Start a request; it makes progress in poll and finish.  The transfer, its
 * response and its body live until the arena's reset, which also ends a
 * request in flight.  Request and options are copied.  Only http and https;
 * redirects are not followed; proxies from the environment are ignored.
 */
extern bool cfdw_http_start(CfdwArena *arena, const CfdwHttpOptions *options, const CfdwRequest *request, CfdwTransfer **out, CfdwError *err);

/* Move all transfers of the process on without waiting (called now and then while rows are inserted). */
extern void cfdw_http_poll(void);

/* Has the transfer ended, well or not? */
extern bool cfdw_http_done(const CfdwTransfer *transfer);

/*
 * Wait for the end of a transfer.  Any status is a response (true); false is
 * a network error: CFDW_ERR_CONNECT, CFDW_ERR_TRUST, CFDW_ERR_TRANSFER (also
 * a body shorter than announced), CFDW_ERR_TIMEOUT, CFDW_ERR_LIMIT, and
 * CFDW_ERR_FORBIDDEN for a refused address, each with the masked URL in
 * DETAIL.
 */
extern bool cfdw_http_finish(CfdwTransfer *transfer, const CfdwWaiter *waiter, const CfdwResponse **out, CfdwError *err);

#endif /* CFDW_HTTP_H */

/*
 * multi.h
 *	  libcurl's multi handle of this process: its sockets and timers, how
 *	  they are waited for, and which transfers have ended.
 *
 * It is created at the first request, never in the postmaster, and keeps
 * connections alive until the process ends.  Handles are libcurl's easy
 * handles (CURL is void); what they ask for is http.c's business.
 *
 * Signals are blocked while libcurl may start its resolver thread, so that
 * the server's handlers run in the main thread only.
 */
#ifndef CFDW_MULTI_H
#define CFDW_MULTI_H

#include "error.h"

typedef struct CfdwPollFd
{
	int fd;
	bool want_read;
	bool want_write;
	bool readable; /* out */
	bool writable; /* out; an error shows as what was wanted, or both */
} CfdwPollFd;

/* What is waited for, to be shown. */
typedef enum CfdwWaitFor
{
	CFDW_WAIT_CONNECT, /* name look-up, connection and TLS */
	CFDW_WAIT_RESPONSE,
	CFDW_WAIT_BACKOFF /* before a request is sent again */
} CfdwWaitFor;

typedef struct CfdwWaiter
{
	/*
	 * Wait until a socket is ready or timeout_ms is over (-1: no limit), and
	 * set readable/writable.  May return early for no reason, and may not
	 * return at all (longjmp).
	 */
	void (*wait)(void *arg, CfdwWaitFor what, CfdwPollFd *fds, int count, long timeout_ms);
	void *arg;
} CfdwWaiter;

/* The waiter for plain programs: poll(2). */
#ifdef FRONTEND
extern const CfdwWaiter cfdw_poll_waiter;
#endif

/* Create the multi handle unless there is one; to be called before an easy handle is made. */
extern bool cfdw_multi_open(CfdwError *err);

/* Begin a transfer.  The easy handle's CURLOPT_PRIVATE is what cfdw_multi_next_ended gives back. */
extern bool cfdw_multi_add(void *easy, CfdwError *err);

/* Take a transfer away; one that has not ended loses its connection. */
extern void cfdw_multi_remove(void *easy);

/* Move on what can move on without waiting.  Cheap if nothing can.  false: libcurl is out of order. */
extern bool cfdw_multi_poll(void);

/* Wait on behalf of a transfer for at most timeout_ms until something can move on, and let it.  false: libcurl is out of order. */
extern bool cfdw_multi_wait(const CfdwWaiter *waiter, void *easy, long timeout_ms);

/* A transfer that has ended, with its CURLcode; false: no more. */
extern bool cfdw_multi_next_ended(void **private, int *code);

#endif /* CFDW_MULTI_H */

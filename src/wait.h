/*
 * wait.h
 *	  Waiting for http.c inside the server: process latch, postmaster death,
 *	  sockets and a timer in one WaitEventSet; raises on cancel, timeout and
 *	  terminate.
 */
#ifndef CFDW_WAIT_H
#define CFDW_WAIT_H

#include "http.h"

extern const CfdwWaiter cfdw_latch_waiter;

#endif /* CFDW_WAIT_H */

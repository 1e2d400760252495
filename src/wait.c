/*
 * wait.c
 *	  The waiter of the server.
 *
 * A wait is left by an error as soon as the statement is cancelled or times
 * out or the session is terminated, and ends the process when the postmaster
 * is gone.  A WaitEventSet cannot drop an event, so each wait builds its own.
 */
#include "wait.h"

#include <limits.h>

#include "miscadmin.h"
#include "storage/latch.h"
#include "utils/wait_event.h"
#if PG_VERSION_NUM >= 170000
#include "utils/resowner.h"
#endif

/* Events taken from one wait; what is ready beyond them is reported by the next. */
enum
{
	MAX_EVENTS = 16
};

/* For pg_stat_activity. */
static uint32
wait_event(CfdwWaitFor what)
{
#if PG_VERSION_NUM >= 170000
	static const char *const names[] = {
		[CFDW_WAIT_CONNECT] = "CheckpointFdwConnect",
		[CFDW_WAIT_RESPONSE] = "CheckpointFdwResponse",
		[CFDW_WAIT_BACKOFF] = "CheckpointFdwBackoff",
	};
	static uint32 events[lengthof(names)];

	if (events[what] == 0)
		events[what] = WaitEventExtensionNew(names[what]);
	return events[what];
#else
	return PG_WAIT_EXTENSION;
#endif
}

static WaitEventSet *
new_event_set(int sockets)
{
	int events = sockets + 2; /* the latch, the postmaster */

#if PG_VERSION_NUM >= 170000
	return CreateWaitEventSet(CurrentResourceOwner, events);
#else
	return CreateWaitEventSet(CurrentMemoryContext, events);
#endif
}

static void
add_events(WaitEventSet *set, CfdwPollFd *fds, int count)
{
	AddWaitEventToSet(set, WL_LATCH_SET, PGINVALID_SOCKET, MyLatch, NULL);
	AddWaitEventToSet(set, WL_EXIT_ON_PM_DEATH, PGINVALID_SOCKET, NULL, NULL);
	for (int i = 0; i < count; i++)
	{
		uint32 wanted = (fds[i].want_read ? WL_SOCKET_READABLE : 0) | (fds[i].want_write ? WL_SOCKET_WRITEABLE : 0);

		if (wanted != 0)
			AddWaitEventToSet(set, wanted, fds[i].fd, NULL, &fds[i]);
	}
}

static void
wait_for_latch_or_sockets(void *arg, CfdwWaitFor what, CfdwPollFd *fds, int count, long timeout_ms)
{
	WaitEventSet *set;
	WaitEvent events[MAX_EVENTS];
	volatile int occurred = 0;

	CHECK_FOR_INTERRUPTS();
	set = new_event_set(count);
	PG_TRY();
	{
		add_events(set, fds, count);
		occurred = WaitEventSetWait(set, Min(timeout_ms, INT_MAX), events, MAX_EVENTS, wait_event(what));
	}
	PG_FINALLY();
	{
		/* before 17 nobody else would close its file descriptor after an error */
		FreeWaitEventSet(set);
	}
	PG_END_TRY();

	for (int i = 0; i < occurred; i++)
	{
		CfdwPollFd *fd = events[i].user_data;

		if (fd == NULL)
			continue; /* the latch */
		fd->readable = (events[i].events & WL_SOCKET_READABLE) != 0;
		fd->writable = (events[i].events & WL_SOCKET_WRITEABLE) != 0;
	}
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

const CfdwWaiter cfdw_latch_waiter = {.wait = wait_for_latch_or_sockets};

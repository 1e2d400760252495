/*
 * multi.c
 *	  libcurl's socket interface, without its timer callback.
 *
 * on_socket keeps the list of sockets that libcurl wants watched, a waiter
 * marks those that are ready, and act() tells libcurl.  The time to libcurl's
 * next timer is asked for before each wait, so none can be missed.  No
 * function of libcurl is on the stack while a waiter runs.
 */
#include "multi.h"

#include <curl/curl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>

enum
{
	MAX_KEPT_CONNECTIONS = 8
};

static CURLM *multi;
static int in_flight; /* transfers added and not removed */

/* The sockets that libcurl wants watched, and as much room for poll(2); malloc'ed. */
static CfdwPollFd *sockets;
static struct pollfd *polled;
static int socket_count;
static int socket_cap;

/* A thread inherits the mask: no handler of the server ever runs in one of libcurl's. */
static void
block_signals(sigset_t *saved)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, saved);
}

static void
restore_signals(const sigset_t *saved)
{
	pthread_sigmask(SIG_SETMASK, saved, NULL);
}

static bool
reserve_sockets(int count)
{
	int cap = Max(count, 2 * socket_cap);
	void *bigger;

	if (count <= socket_cap)
		return true;
	if ((bigger = realloc(sockets, cap * sizeof(CfdwPollFd))) == NULL)
		return false;
	sockets = bigger;
	if ((bigger = realloc(polled, cap * sizeof(struct pollfd))) == NULL)
		return false;
	polled = bigger;
	socket_cap = cap;
	return true;
}

/* libcurl's interest in a socket has changed.  Called by libcurl: no arena, no way out but return. */
static int
on_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *socket_arg)
{
	int i = 0;

	while (i < socket_count && sockets[i].fd != fd)
		i++;
	if (what == CURL_POLL_REMOVE)
	{
		if (i < socket_count)
			sockets[i] = sockets[--socket_count];
		return 0;
	}
	if (!reserve_sockets(i + 1))
		return -1;
	/* forgets that it was ready, which costs one more look at most */
	sockets[i] = (CfdwPollFd){
		.fd = fd,
		.want_read = (what & CURL_POLL_IN) != 0,
		.want_write = (what & CURL_POLL_OUT) != 0,
	};
	socket_count = Max(socket_count, i + 1);
	return 0;
}

bool
cfdw_multi_open(CfdwError *err)
{
	sigset_t saved;

	if (multi != NULL)
		return true;
	block_signals(&saved);
	if (curl_global_init(CURL_GLOBAL_ALL) == CURLE_OK)
		multi = curl_multi_init();
	restore_signals(&saved);
	if (multi == NULL)
		return cfdw_fail(err, CFDW_ERR_MEMORY, "could not initialize libcurl");
	curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket);
	curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long) MAX_KEPT_CONNECTIONS);
	return true;
}

bool
cfdw_multi_add(void *easy, CfdwError *err)
{
	CURLMcode code;
	sigset_t saved;

	block_signals(&saved);
	code = curl_multi_add_handle(multi, easy);
	restore_signals(&saved);
	if (code != CURLM_OK)
		return cfdw_fail(err, CFDW_ERR_INTERNAL, "libcurl does not take a transfer: %s", curl_multi_strerror(code));
	in_flight++;
	return true;
}

void
cfdw_multi_remove(void *easy)
{
	sigset_t saved;

	block_signals(&saved);
	curl_multi_remove_handle(multi, easy);
	restore_signals(&saved);
	in_flight--;
}

/* Tell libcurl of the sockets marked ready, or that time has passed. */
static bool
act(void)
{
	CURLMcode code = CURLM_OK;
	bool acted = false;
	int running;
	sigset_t saved;

	block_signals(&saved);
	/* on_socket may move entries meanwhile; one that is missed for that stays marked */
	for (int i = 0; code == CURLM_OK && i < socket_count; i++)
	{
		CfdwPollFd *ready = &sockets[i];
		int events = (ready->readable ? CURL_CSELECT_IN : 0) | (ready->writable ? CURL_CSELECT_OUT : 0);

		if (events == 0)
			continue;
		ready->readable = ready->writable = false;
		code = curl_multi_socket_action(multi, ready->fd, events, &running);
		acted = true;
	}
	if (!acted)
		code = curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
	restore_signals(&saved);
	return code == CURLM_OK;
}

/* Is one of the sockets ready? */
static bool
poll_sockets(CfdwPollFd *fds, int count, long timeout_ms)
{
	Assert(count <= socket_cap);
	for (int i = 0; i < count; i++)
		polled[i] = (struct pollfd){
			.fd = fds[i].fd,
			.events = (fds[i].want_read ? POLLIN : 0) | (fds[i].want_write ? POLLOUT : 0),
		};
	if (poll(polled, count, (int) Min(timeout_ms, INT_MAX)) <= 0)
		return false;
	for (int i = 0; i < count; i++)
	{
		/* POLLERR and the like are both */
		fds[i].readable = (polled[i].revents & ~POLLOUT) != 0;
		fds[i].writable = (polled[i].revents & ~POLLIN) != 0;
	}
	return true;
}

#ifdef FRONTEND
static void
wait_by_poll(void *arg, CfdwWaitFor what, CfdwPollFd *fds, int count, long timeout_ms)
{
	(void) poll_sockets(fds, count, timeout_ms);
}

const CfdwWaiter cfdw_poll_waiter = {.wait = wait_by_poll};
#endif

bool
cfdw_multi_poll(void)
{
	long timer = -1;

	if (in_flight == 0)
		return true;
	curl_multi_timeout(multi, &timer);
	if (!poll_sockets(sockets, socket_count, 0) && timer != 0)
		return true;
	return act();
}

bool
cfdw_multi_wait(const CfdwWaiter *waiter, void *easy, long timeout_ms)
{
	long timer = -1;
	curl_off_t connected = 0; /* after so long; 0: not yet */

	curl_easy_getinfo(easy, CURLINFO_PRETRANSFER_TIME_T, &connected);
	curl_multi_timeout(multi, &timer);
	waiter->wait(waiter->arg, connected > 0 ? CFDW_WAIT_RESPONSE : CFDW_WAIT_CONNECT, sockets, socket_count,
				 timer < 0 ? timeout_ms : Min(timer, timeout_ms));
	return act();
}

bool
cfdw_multi_next_ended(void **private, int *code)
{
	CURLMsg *message;
	int left;

	if (in_flight == 0)
		return false;
	do
	{
		if ((message = curl_multi_info_read(multi, &left)) == NULL)
			return false;
	} while (message->msg != CURLMSG_DONE);
	*code = message->data.result;
	curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **) private);
	return true;
}

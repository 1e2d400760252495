/*
 * http_server.h
 *	  A scripted HTTP server as a thread of a unit program, and the client's
 *	  side of a test in a few words.
 *
 * A script is a function that accepts, reads and sends as it likes.  Every
 * step of it gives up after ten seconds, so that a failed test ends.
 */
#ifndef HTTP_SERVER_H
#define HTTP_SERVER_H

#include "http.h"
#include "unit.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

typedef struct Server
{
	void (*script)(struct Server *server);
	pthread_t thread;
	int listener;
	int port;
	int accepted;
	char *request; /* the last request as it arrived, terminated */
	size_t request_len;
	sem_t got_request; /* posted when a request has been read */
	sem_t go_on;       /* for scripts that wait for the client */
} Server;

static CfdwArena *arena;
static CfdwHttpOptions options;
static const CfdwResponse *response;
static CfdwError err;
static char url[512];

static inline int64
now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64) now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static inline void
wait_for(sem_t *semaphore)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 10;
	CHECK(sem_timedwait(semaphore, &until) == 0);
}

/* --- the server's side -------------------------------------------------- */

static inline int
server_accept(Server *server)
{
	struct pollfd pollfd = {.fd = server->listener, .events = POLLIN};
	struct timeval limit = {.tv_sec = 10};
	int fd = -1;

	if (poll(&pollfd, 1, 10000) == 1)
		fd = accept(server->listener, NULL, NULL);
	if (fd >= 0)
	{
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
		server->accepted++;
	}
	return fd;
}

/* Length of the request in the buffer once it is complete, else 0. */
static inline size_t
complete_length(const Server *server)
{
	const char *end = server->request_len > 0 ? strstr(server->request, "\r\n\r\n") : NULL;
	const char *length = end ? strcasestr(server->request, "\r\nContent-Length: ") : NULL;
	size_t head = end ? end + 4 - server->request : 0;

	return head + (length != NULL && length < end ? strtoul(length + 18, NULL, 10) : 0);
}

/* Read one request.  false: the connection has ended. */
static inline bool
server_read(Server *server, int fd)
{
	size_t cap = 4 * 1024 * 1024;

	if (server->request == NULL)
		server->request = malloc(cap);
	server->request_len = 0;
	while (complete_length(server) == 0 || server->request_len < complete_length(server))
	{
		ssize_t got = recv(fd, server->request + server->request_len, cap - server->request_len - 1, 0);

		if (got <= 0)
			return false;
		server->request_len += got;
		server->request[server->request_len] = '\0';
	}
	sem_post(&server->got_request);
	return true;
}

static inline bool
server_send(int fd, const char *data, size_t len)
{
	while (len > 0)
	{
		ssize_t sent = send(fd, data, len, MSG_NOSIGNAL);

		if (sent <= 0)
			return false;
		data += sent;
		len -= sent;
	}
	return true;
}

static inline bool
server_puts(int fd, const char *text)
{
	return server_send(fd, text, strlen(text));
}

/* End with RST instead of FIN. */
static inline void
server_reset(int fd)
{
	struct linger none = {.l_onoff = 1};

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
	close(fd);
}

static inline void *
server_main(void *arg)
{
	Server *server = arg;

	server->script(server);
	return NULL;
}

static inline void
server_start(Server *server, void (*script)(Server *server))
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(address);

	memset(server, 0, sizeof(*server));
	server->script = script;
	server->listener = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(server->listener, (struct sockaddr *) &address, len) != 0 || listen(server->listener, 100) != 0)
		abort();
	getsockname(server->listener, (struct sockaddr *) &address, &len);
	server->port = ntohs(address.sin_port);
	sem_init(&server->got_request, 0, 0);
	sem_init(&server->go_on, 0, 0);
	if (pthread_create(&server->thread, NULL, server_main, server) != 0)
		abort();
}

static inline void
server_stop(Server *server)
{
	pthread_join(server->thread, NULL);
	close(server->listener);
	free(server->request);
}

/* --- the client's side -------------------------------------------------- */

/* Fresh options, and the arena of the test. */
static inline void
begin_test(void)
{
	options = (CfdwHttpOptions){
		.connect_timeout_ms = 10000,
		.request_timeout_ms = 10000,
		.max_response_bytes = 1024 * 1024,
		.user_agent = "checkpoint_fdw/test",
	};
	arena = cfdw_arena_new(NULL, "test");
	response = NULL;
	memset(&err, 0, sizeof(err));
}

static inline void
end_test(void)
{
	cfdw_arena_free(arena);
}

/* A GET of path, which is sent with the secret s3cret in its query. */
static inline CfdwRequest
get_request(const Server *server, const char *path)
{
	snprintf(url, sizeof(url), "http://127.0.0.1:%d%s?token=s3cret", server->port, path);
	return (CfdwRequest){.method = "GET", .url = url, .masked_url = "http://host/path?token=***"};
}

static inline CfdwTransfer *
start(const CfdwRequest *request)
{
	CfdwTransfer *transfer = NULL;

	CHECK(cfdw_http_start(arena, &options, request, &transfer, &err));
	return transfer;
}

static inline bool
fetch(const CfdwRequest *request)
{
	return cfdw_http_finish(start(request), &cfdw_poll_waiter, &response, &err);
}

static inline bool
body_is(const char *text)
{
	return response != NULL && response->body.len == strlen(text) && memcmp(response->body.data, text, strlen(text)) == 0;
}

static inline bool
body_is_blank(size_t least, size_t most)
{
	size_t i = 0;

	while (i < response->body.len && response->body.data[i] == ' ')
		i++;
	return i == response->body.len && i >= least && i <= most;
}

/* The error is of this kind, its text has these words, names the masked URL and no secret. */
static inline void
check_error(CfdwErrorKind kind, const char *message, const char *hint)
{
	CHECK_INT(err.kind, kind);
	if (strstr(err.message, message) == NULL)
		CHECK_STR(err.message, message);
	if (strstr(err.hint, hint) == NULL)
		CHECK_STR(err.hint, hint);
	CHECK(strstr(err.detail, "\"http://host/path?token=***\".") != NULL);
	CHECK(strstr(err.message, "s3cret") == NULL && strstr(err.detail, "s3cret") == NULL);
}

#endif /* HTTP_SERVER_H */

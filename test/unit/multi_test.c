/*
 * multi_test.c
 *	  Connections, waiting and the end of transfers: kept and lost
 *	  connections, timeouts, several transfers at once, arenas reset in
 *	  flight, and a name service that hangs.
 */
#include "http_server.h"

#include <fcntl.h>
#include <netdb.h>
#include <setjmp.h>

#define OK_ANSWER "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]"

/* Poll until the transfer has ended. */
static void
poll_to_the_end(const CfdwTransfer *transfer)
{
	int64 give_up = now_ms() + 10000;

	while (!cfdw_http_done(transfer) && now_ms() < give_up)
	{
		cfdw_http_poll();
		usleep(1000);
	}
	CHECK(cfdw_http_done(transfer));
}

/* --- a name service that hangs ------------------------------------------ */

static sem_t look_up_called;
static sem_t look_up_may_end;
static sigset_t look_up_mask;

/* Stands in front of the C library's: libcurl's resolver thread lands here. */
int
getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **result)
{
	if (strcmp(node, "hangs.invalid") == 0)
	{
		pthread_sigmask(SIG_SETMASK, NULL, &look_up_mask);
		sem_post(&look_up_called);
		while (sem_wait(&look_up_may_end) != 0)
			;
		sem_post(&look_up_may_end);
	}
	return EAI_NONAME;
}

static void
test_name_service(void)
{
	CfdwRequest request = {.method = "GET", .url = "http://unknown.invalid/?token=s3cret", .masked_url = "http://host/path?token=***"};
	CfdwArena *inner = cfdw_arena_new(arena, "inner");
	CfdwTransfer *transfer;
	int64 began;

	CHECK(!fetch(&request));
	check_error(CFDW_ERR_CONNECT, "could not resolve the server's host name", "name service");

	/* given up while the look-up hangs; its thread has all signals blocked, ours has none */
	request.url = "http://hangs.invalid/?token=s3cret";
	CHECK(cfdw_http_start(inner, &options, &request, &transfer, &err));
	wait_for(&look_up_called);
	CHECK(sigismember(&look_up_mask, SIGALRM) == 1 && sigismember(&look_up_mask, SIGUSR1) == 1);
	pthread_sigmask(SIG_SETMASK, NULL, &look_up_mask);
	CHECK(sigismember(&look_up_mask, SIGALRM) == 0 && sigismember(&look_up_mask, SIGUSR1) == 0);
	began = now_ms();
	cfdw_arena_free(inner);
	CHECK(now_ms() - began < 5000);

	options.connect_timeout_ms = 100;
	CHECK(!fetch(&request));
	check_error(CFDW_ERR_TIMEOUT, "no connection to the server within 100 ms", "connect_timeout");
	options.connect_timeout_ms = 10000;
	options.request_timeout_ms = 100;
	CHECK(!fetch(&request));
	check_error(CFDW_ERR_TIMEOUT, "no complete response within 100 ms", "request_timeout");
	sem_post(&look_up_may_end);
}

/* --- kept and lost connections ------------------------------------------ */

static void
serve_three(Server *server)
{
	int fd = server_accept(server);

	while (server_read(server, fd) && server_puts(fd, OK_ANSWER))
		if (strstr(server->request, "/3?") != NULL)
			break;
	close(fd);
}

typedef struct Look
{
	int sockets;
	int waits[CFDW_WAIT_BACKOFF + 1];
} Look;

/* The waiter of the program, which looks at the sockets too. */
static void
wait_and_look(void *arg, CfdwWaitFor what, CfdwPollFd *fds, int count, long timeout_ms)
{
	Look *seen = arg;

	seen->waits[what]++;
	for (int i = 0; i < count; i++)
	{
		CHECK((fcntl(fds[i].fd, F_GETFD) & FD_CLOEXEC) != 0);
		seen->sockets++;
	}
	cfdw_poll_waiter.wait(cfdw_poll_waiter.arg, what, fds, count, timeout_ms);
}

static void
test_kept_connection(void)
{
	Look seen;
	CfdwWaiter waiter = {wait_and_look, &seen};
	Server server;

	/* a proxy from the environment is not asked */
	setenv("http_proxy", "http://127.0.0.1:1", 1);
	setenv("all_proxy", "http://127.0.0.1:1", 1);
	server_start(&server, serve_three);
	for (int i = 1; i <= 3; i++)
	{
		/* each in an arena of its own, as statements are */
		CfdwArena *inner = cfdw_arena_new(arena, "inner");
		CfdwRequest request = get_request(&server, cfdw_printf(inner, "/%d", i));
		CfdwTransfer *transfer;

		memset(&seen, 0, sizeof(seen));
		CHECK(cfdw_http_start(inner, &options, &request, &transfer, &err));
		if (i > 1)
			wait_for(&server.got_request); /* start alone sends on a kept connection */
		CHECK(cfdw_http_finish(transfer, &waiter, &response, &err));
		CHECK(body_is("[]"));
		CHECK(i == 1 ? seen.sockets > 0 : seen.waits[CFDW_WAIT_CONNECT] == 0);
		if (i == 1)
			wait_for(&server.got_request);
		cfdw_arena_free(inner);
	}
	server_stop(&server);
	CHECK_INT(server.accepted, 1);
	unsetenv("http_proxy");
	unsetenv("all_proxy");
}

static bool lost_by_reset;

/* The second request on a connection is read, then the connection is gone. */
static void
serve_lost(Server *server)
{
	int fd = server_accept(server);

	CHECK(server_read(server, fd) && server_puts(fd, OK_ANSWER));
	CHECK(server_read(server, fd));
	if (lost_by_reset)
		server_reset(fd);
	else
		close(fd);
	fd = server_accept(server);
	server->request_len = 0;
	CHECK(server_read(server, fd) && server_puts(fd, OK_ANSWER));
	close(fd);
}

static void
check_lost(const char *method, const char *body, bool reset)
{
	Server server;
	CfdwRequest request;

	lost_by_reset = reset;
	server_start(&server, serve_lost);
	request = get_request(&server, "/1");
	CHECK(fetch(&request));
	request = get_request(&server, "/a/../b%2f");
	request.method = method;
	request.body = body;
	request.body_len = body ? strlen(body) : 0;
	CHECK(fetch(&request));
	CHECK(body_is("[]"));
	server_stop(&server);
	CHECK_INT(server.accepted, 2);
}

/* libcurl asks again, on a new connection, and the same. */
static void
test_lost_connections(void)
{
	check_lost("GET", NULL, false);
	check_lost("GET", NULL, true);
	check_lost("POST", "a=b", false);
	check_lost("POST", "a=b", true);
}

static void
serve_once(Server *server)
{
	int kept = server_accept(server);
	int fd;

	CHECK(server_read(server, kept) && server_puts(kept, OK_ANSWER));
	fd = server_accept(server);
	CHECK(server_read(server, fd));
	close(fd);
	close(kept);
}

/* A request that must not go out twice takes a connection of its own, which cannot have died before. */
static void
test_once(void)
{
	Server server;
	CfdwRequest request;

	server_start(&server, serve_once);
	request = get_request(&server, "/1");
	CHECK(fetch(&request));
	options.once = true;
	CHECK(!fetch(&request));
	check_error(CFDW_ERR_TRANSFER, "closed the connection without a response", "");
	server_stop(&server);
	CHECK_INT(server.accepted, 2);
}

/* --- timeouts ----------------------------------------------------------- */

static void
serve_drip(Server *server)
{
	int fd = server_accept(server);

	if (server_read(server, fd) && server_puts(fd, "HTTP/1.1 200 OK\r\n\r\n"))
		while (server_puts(fd, "1"))
			usleep(20 * 1000);
	close(fd);
}

static void
test_drip(void)
{
	Server server;
	CfdwRequest request;
	CfdwTransfer *transfer;

	server_start(&server, serve_drip);
	request = get_request(&server, "/");
	options.request_timeout_ms = 300;
	transfer = start(&request);
	CHECK(!cfdw_http_finish(transfer, &cfdw_poll_waiter, &response, &err));
	check_error(CFDW_ERR_TIMEOUT, "no complete response within 300 ms", "request_timeout");
	CHECK(cfdw_http_done(transfer));
	/* the connection was closed, so the server ends; and the answer stays the same */
	server_stop(&server);
	memset(&err, 0, sizeof(err));
	CHECK(!cfdw_http_finish(transfer, &cfdw_poll_waiter, &response, &err));
	CHECK_INT(err.kind, CFDW_ERR_TIMEOUT);
}

/* A listener whose queue is full drops what comes: nobody answers the connect. */
static void
test_no_answer_to_connect(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(address);
	Server server = {.listener = socket(AF_INET, SOCK_STREAM, 0)};
	int fillers[8];
	Look seen = {0};
	CfdwWaiter waiter = {wait_and_look, &seen};
	CfdwRequest request;

	CHECK(bind(server.listener, (struct sockaddr *) &address, len) == 0 && listen(server.listener, 0) == 0);
	getsockname(server.listener, (struct sockaddr *) &address, &len);
	server.port = ntohs(address.sin_port);
	for (int i = 0; i < lengthof(fillers); i++)
	{
		fillers[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		(void) connect(fillers[i], (struct sockaddr *) &address, len);
	}
	request = get_request(&server, "/");
	options.connect_timeout_ms = 300;
	CHECK(!cfdw_http_finish(start(&request), &waiter, &response, &err));
	CHECK(seen.waits[CFDW_WAIT_CONNECT] > 0 && seen.waits[CFDW_WAIT_RESPONSE] == 0);
	check_error(CFDW_ERR_TIMEOUT, "no connection to the server within 300 ms", "connect_timeout");
	for (int i = 0; i < lengthof(fillers); i++)
		close(fillers[i]);
	close(server.listener);
}

static void
serve_one(Server *server)
{
	int fd = server_accept(server);

	CHECK(server_read(server, fd) && server_puts(fd, OK_ANSWER));
	close(fd);
	sem_post(&server->go_on);
}

/* The time that the executor takes before it wants the next page is not the server's. */
static void
test_late_finish(void)
{
	Server server;
	CfdwRequest request;
	CfdwTransfer *transfer;

	server_start(&server, serve_one);
	request = get_request(&server, "/");
	options.request_timeout_ms = 1000;
	transfer = start(&request);
	while (sem_trywait(&server.got_request) != 0)
		cfdw_http_poll();
	wait_for(&server.go_on);
	usleep(1500 * 1000);
	CHECK(cfdw_http_finish(transfer, &cfdw_poll_waiter, &response, &err));
	CHECK(body_is("[]"));
	server_stop(&server);
}

/* --- several at once ---------------------------------------------------- */

/* Reads two requests on two connections; answers the second, waits, answers the first. */
static void
serve_two(Server *server)
{
	int first = server_accept(server);
	int second;

	CHECK(server_read(server, first));
	second = server_accept(server);
	CHECK(server_read(server, second));
	CHECK(server_puts(second, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n[2]"));
	wait_for(&server->go_on);
	CHECK(server_puts(first, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n[1]"));
	close(first);
	close(second);
}

static void
test_two_at_once(void)
{
	Server server;
	CfdwRequest request;
	CfdwTransfer *first;
	CfdwTransfer *second;

	server_start(&server, serve_two);
	request = get_request(&server, "/1");
	first = start(&request);
	while (sem_trywait(&server.got_request) != 0)
		cfdw_http_poll();
	request = get_request(&server, "/2");
	second = start(&request);
	CHECK(cfdw_http_finish(second, &cfdw_poll_waiter, &response, &err));
	CHECK(body_is("[2]"));
	CHECK(!cfdw_http_done(first));
	sem_post(&server.go_on);
	poll_to_the_end(first);
	CHECK(cfdw_http_finish(first, &cfdw_poll_waiter, &response, &err));
	CHECK(body_is("[1]"));
	CHECK(strstr(response->url, "/1?") != NULL);
	server_stop(&server);
	CHECK_INT(server.accepted, 2);
}

#define MANY 40

/* Accepts all, then reads and answers the last first. */
static void
serve_many(Server *server)
{
	int fds[MANY];

	for (int i = 0; i < MANY; i++)
		fds[i] = server_accept(server);
	for (int i = MANY - 1; i >= 0; i--)
	{
		char text[100];

		CHECK(server_read(server, fds[i]));
		/* the path is the body */
		snprintf(text, sizeof(text), "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n%.3s", server->request + 5);
		CHECK(server_puts(fds[i], text));
		close(fds[i]);
	}
}

static void
test_many_at_once(void)
{
	Server server;
	CfdwTransfer *transfers[MANY];

	server_start(&server, serve_many);
	for (int i = 0; i < MANY; i++)
	{
		CfdwRequest request = get_request(&server, cfdw_printf(arena, "/%03d", i));

		transfers[i] = start(&request);
	}
	for (int i = 0; i < MANY; i++)
	{
		CHECK(cfdw_http_finish(transfers[i], &cfdw_poll_waiter, &response, &err));
		CHECK(body_is(cfdw_printf(arena, "%03d", i)));
	}
	server_stop(&server);
}

/* --- no end of their own ------------------------------------------------ */

/* Reads a request and expects the client to hang up. */
static void
serve_silence(Server *server)
{
	int fd = server_accept(server);
	char byte;

	CHECK(server_read(server, fd));
	CHECK(recv(fd, &byte, 1, 0) <= 0 && errno != EAGAIN);
	close(fd);
}

static sigjmp_buf way_out;

static void
wait_and_leave(void *arg, CfdwWaitFor what, CfdwPollFd *fds, int count, long timeout_ms)
{
	Server *server = arg;

	if (sem_trywait(&server->got_request) == 0)
		siglongjmp(way_out, 1);
	cfdw_poll_waiter.wait(cfdw_poll_waiter.arg, what, fds, count, timeout_ms);
}

/* As a cancelled statement does: out of the waiter, and later the memory goes. */
static void
leave_by_longjmp(Server *server, CfdwArena *inner, const CfdwRequest *request)
{
	CfdwWaiter waiter = {wait_and_leave, server};
	CfdwTransfer *transfer;

	CHECK(cfdw_http_start(inner, &options, request, &transfer, &err));
	if (sigsetjmp(way_out, 1) == 0)
	{
		(void) cfdw_http_finish(transfer, &waiter, &response, &err);
		CHECK(false);
	}
	CHECK(!cfdw_http_done(transfer));
}

static void
test_reset_in_flight(void)
{
	for (int leave = 0; leave <= 1; leave++)
	{
		Server server;
		CfdwArena *inner = cfdw_arena_new(arena, "inner");
		CfdwRequest request;
		CfdwTransfer *transfer;

		server_start(&server, serve_silence);
		request = get_request(&server, "/");
		if (leave)
			leave_by_longjmp(&server, inner, &request);
		else
		{
			CHECK(cfdw_http_start(inner, &options, &request, &transfer, &err));
			while (sem_trywait(&server.got_request) != 0)
				cfdw_http_poll();
		}
		cfdw_arena_reset(inner);
		server_stop(&server);
		cfdw_http_poll();
		cfdw_arena_free(inner);
	}
}

/* A waiter may return at once, and claim that sockets are ready that are not. */
static void
wait_badly(void *arg, CfdwWaitFor what, CfdwPollFd *fds, int count, long timeout_ms)
{
	for (int i = 0; i < count; i++)
		fds[i].readable = fds[i].writable = true;
}

static void
test_bad_waiter(void)
{
	CfdwWaiter waiter = {wait_badly};
	Server server;
	CfdwRequest request;

	server_start(&server, serve_one);
	request = get_request(&server, "/");
	CHECK(cfdw_http_finish(start(&request), &waiter, &response, &err));
	CHECK(body_is("[]"));
	server_stop(&server);
}

static void
serve_megabytes(Server *server)
{
	int fd = server_accept(server);
	char *chunk = malloc(1024 * 1024);

	memset(chunk, ' ', 1024 * 1024);
	CHECK(server_read(server, fd) && server_puts(fd, "HTTP/1.1 200 OK\r\nContent-Length: 8388608\r\n\r\n"));
	for (int i = 0; i < 8; i++)
		CHECK(server_send(fd, chunk, 1024 * 1024));
	free(chunk);
	close(fd);
}

static void
test_poll_alone(void)
{
	Server server;
	CfdwRequest request;
	CfdwTransfer *transfer;

	cfdw_http_poll();
	options.max_response_bytes = 8 * 1024 * 1024;
	server_start(&server, serve_megabytes);
	request = get_request(&server, "/");
	transfer = start(&request);
	poll_to_the_end(transfer);
	CHECK(cfdw_http_finish(transfer, &cfdw_poll_waiter, &response, &err));
	CHECK(body_is_blank(8 * 1024 * 1024, 8 * 1024 * 1024));
	server_stop(&server);
}

int
main(void)
{
	static void (*const tests[])(void) = {
		test_name_service,
		test_kept_connection,
		test_lost_connections,
		test_once,
		test_drip,
		test_no_answer_to_connect,
		test_late_finish,
		test_two_at_once,
		test_many_at_once,
		test_reset_in_flight,
		test_bad_waiter,
		test_poll_alone,
	};
	CfdwTransfer *transfer;
	CfdwRequest request = {.method = "GET", .url = "http://127.0.0.1:1/", .masked_url = "masked"};

	alarm(120);
	signal(SIGPIPE, SIG_IGN);
	sem_init(&look_up_called, 0, 0);
	sem_init(&look_up_may_end, 0, 0);
	cfdw_http_poll();
	for (int i = 0; i < lengthof(tests); i++)
	{
		begin_test();
		tests[i]();
		end_test();
	}
	/* the process may end with a transfer in flight */
	begin_test();
	CHECK(cfdw_http_start(arena, &options, &request, &transfer, &err));
	return unit_done("multi");
}

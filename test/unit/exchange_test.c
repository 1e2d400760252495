/*
 * exchange_test.c
 *	  What is asked again and what is not, and how long it is waited for.
 */
#include "exchange.h"
#include "http_server.h"

#include <setjmp.h>

/* ---- a server that answers one request after the other ---- */

#define MAX_STEPS 8

typedef struct Step
{
	const char *answer; /* whole, with its headers; NULL: none */
	bool close;         /* the connection after it */
	bool reset;         /* the connection after it */
} Step;

static Step steps[MAX_STEPS];
static int step_count;
static char *requests[MAX_STEPS]; /* as they arrived */

static void
serve_steps(Server *server)
{
	int fd = -1;

	for (int i = 0; i < step_count; i++)
	{
		const Step *step = &steps[i];

		while (fd < 0 || !server_read(server, fd))
		{
			if (fd >= 0)
				close(fd);
			if ((fd = server_accept(server)) < 0)
				return;
		}
		requests[i] = strdup(server->request);
		if (step->answer != NULL)
			server_puts(fd, step->answer);
		if (step->reset)
			server_reset(fd);
		else if (step->close)
			close(fd);
		if (step->reset || step->close)
			fd = -1;
	}
	if (fd >= 0)
		close(fd);
}

/* A response with a body and its length. */
#define ANSWER(head, length, body) "HTTP/1.1 " head "\r\nContent-Length: " #length "\r\n\r\n" body
#define GOOD                       ANSWER("200 OK", 10, "[{\"id\":1}]")

/* ---- the client ---- */

static CfdwEndpoint endpoint;
static CfdwExchangeRules rules;
static CfdwAnswer answer;
static Server server;

/* Waits without sockets, as they were asked for. */
static long waits[MAX_STEPS];
static int wait_count;
static jmp_buf cancelled;
static bool cancel;

static void
wait_and_note(void *arg, CfdwWaitFor what, CfdwPollFd *fds, int count, long timeout_ms)
{
	static int64 end;

	if (what == CFDW_WAIT_BACKOFF)
	{
		if (cancel)
			longjmp(cancelled, 1);
		/* what is left of a wait is no other one */
		if (now_ms() >= end && wait_count < MAX_STEPS)
		{
			waits[wait_count++] = timeout_ms;
			end = now_ms() + timeout_ms;
		}
	}
	cfdw_poll_waiter.wait(NULL, what, fds, count, timeout_ms);
}

static const CfdwWaiter noting_waiter = {.wait = wait_and_note};

static void
begin(void)
{
	begin_test();
	memset(&rules, 0, sizeof(rules));
	memset(&endpoint, 0, sizeof(endpoint));
	rules.http = options;
	rules.endpoint = &endpoint;
	rules.retry = (CfdwRetryRules){.max_retries = 5, .max_wait_ms = 60000};
	CHECK(cfdw_statuses_parse("408, 429, 5xx", &rules.retry_statuses));
	step_count = wait_count = 0;
	cancel = false;
}

static void
step(const char *answer)
{
	steps[step_count++] = (Step){.answer = answer};
}

static void
step_cut(const char *answer)
{
	steps[step_count++] = (Step){.answer = answer, .close = true};
}

static bool
ask_with(CfdwRequest request)
{
	CfdwExchange *exchange;
	bool ok;

	server_start(&server, serve_steps);
	request.url = get_request(&server, "/path").url;
	request.masked_url = "http://host/path?token=***";
	endpoint.base_url = cfdw_printf(arena, "http://127.0.0.1:%d/v1", server.port);
	ok = cfdw_exchange_start(arena, &rules, &request, true, &exchange, &err) &&
		 cfdw_exchange_finish(exchange, &noting_waiter, &answer, &err);
	server_stop(&server);
	return ok;
}

static bool
ask(void)
{
	return ask_with((CfdwRequest){.method = "GET"});
}

static void
end(void)
{
	for (int i = 0; i < step_count; i++)
	{
		free(requests[i]);
		requests[i] = NULL;
	}
	end_test();
}

/* ---- what passes ---- */

/* The page comes after some attempts that failed; each request has the same bytes. */
static void
check_passes(int retries)
{
	static const CfdwHeader headers[] = {{"Authorization", "Bearer s3cret"}};

	step(GOOD);
	CHECK(ask_with((CfdwRequest){.method = "POST", .header_count = 1, .headers = headers, .body = "{\"a\":1}", .body_len = 7}));
	CHECK_INT(answer.retries, retries);
	CHECK_INT(answer.requests, retries + 1);
	CHECK_INT(answer.asked_ms, 0);
	CHECK_INT(answer.page.count, 1);
	CHECK(answer.response != NULL && answer.response->status == 200);
	for (int i = 0; i < step_count; i++)
		CHECK_STR(requests[i], requests[0]);
	CHECK(strstr(requests[0], "Bearer s3cret") != NULL && strstr(requests[0], "{\"a\":1}") != NULL);
	end();
}

static void
test_passing(void)
{
	static const char *const cut[] = {
		NULL,
		"HTTP/1.1 200 OK\r\nContent-Le",
		ANSWER("200 OK", 10, "[{\"id\""),
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n[{\"i\r\n",
		"HTTP/1.1 200 OK\r\n\r\n[{\"id\":1}",
		"HTTP/1.1 200 OK\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nxyz",
	};

	for (int i = 0; i < lengthof(cut); i++)
	{
		begin();
		step_cut(cut[i]);
		check_passes(1);
	}
	begin();
	steps[step_count++] = (Step){.answer = ANSWER("200 OK", 10, "[{"), .reset = true};
	check_passes(1);
	begin();
	step(ANSWER("503 Unavailable", 2, "no"));
	step(ANSWER("429 Too Many", 0, ""));
	step_cut(ANSWER("200 OK", 10, ""));
	check_passes(3);
	begin();
	step(ANSWER("408 Timeout", 2, "{}"));
	check_passes(1);
}

/* A response that is whole but no page is not asked again. */
static void
test_not_passing(void)
{
	static const struct
	{
		const char *answer;
		CfdwErrorKind kind;
	} cases[] = {
		{ANSWER("400 Bad", 0, ""), CFDW_ERR_STATUS},
		{ANSWER("401 Unauthorized", 0, ""), CFDW_ERR_AUTH},
		{ANSWER("403 Forbidden", 0, ""), CFDW_ERR_AUTH},
		{ANSWER("404 Not Found", 0, ""), CFDW_ERR_STATUS},
		{ANSWER("418 Teapot\r\nRetry-After: 0", 0, ""), CFDW_ERR_STATUS},
		{ANSWER("304 Not Modified", 0, ""), CFDW_ERR_STATUS},
		{ANSWER("200 OK", 2, "{}"), CFDW_ERR_SHAPE},
		{ANSWER("200 OK", 6, "<html>"), CFDW_ERR_JSON},
		{ANSWER("200 OK", 4, "[1,]"), CFDW_ERR_JSON},
	};

	for (int i = 0; i < lengthof(cases); i++)
	{
		begin();
		step(cases[i].answer);
		CHECK(!ask());
		CHECK_INT(err.kind, cases[i].kind);
		CHECK(strstr(err.detail, "URL: http://host/path?token=***") == err.detail);
		CHECK(strstr(err.detail, "s3cret") == NULL);
		CHECK_INT(answer.requests, 1);
		CHECK_INT(answer.retries, 0);
		CHECK(answer.response != NULL);
		end();
	}
}

static void
test_limit_is_final(void)
{
	begin();
	rules.http.max_response_bytes = 5;
	step_cut(GOOD);
	CHECK(!ask());
	CHECK_INT(err.kind, CFDW_ERR_LIMIT);
	CHECK_INT(answer.requests, 1);
	CHECK(answer.response == NULL);
	end();
}

static void
test_no_content(void)
{
	begin();
	step("HTTP/1.1 204 No Content\r\n\r\n");
	CHECK(ask());
	CHECK_INT(answer.page.count, 0);
	CHECK_STR(answer.page.envelope, "null");
	end();
}

/* Nobody listens. */
static void
test_refused(void)
{
	CfdwRequest request = {.method = "GET", .masked_url = "http://host/path?token=***"};
	CfdwExchange *exchange;

	begin();
	rules.retry.max_retries = 1;
	server_start(&server, serve_steps);
	server_stop(&server);
	request.url = get_request(&server, "/path").url;
	CHECK(cfdw_exchange_start(arena, &rules, &request, true, &exchange, &err));
	CHECK(!cfdw_exchange_finish(exchange, &noting_waiter, &answer, &err));
	CHECK_INT(err.kind, CFDW_ERR_CONNECT);
	CHECK_INT(answer.requests, 2);
	CHECK(strstr(err.detail, "\nIt was asked 2 times.") != NULL);
	CHECK(answer.response == NULL);
	end();
}

static void
test_exhausted(void)
{
	begin();
	rules.retry.max_retries = 2;
	for (int i = 0; i < 3; i++)
		step(ANSWER("500 Oops", 0, ""));
	CHECK(!ask());
	CHECK_INT(err.kind, CFDW_ERR_STATUS);
	CHECK_INT(err.status, 500);
	CHECK_STR(err.detail, "URL: http://host/path?token=***\nIt was asked 3 times.");
	CHECK_INT(answer.requests, 3);
	CHECK_INT(answer.retries, 2);
	end();

	begin();
	rules.retry.max_retries = 0;
	step(ANSWER("500 Oops", 0, ""));
	CHECK(!ask());
	CHECK_STR(err.detail, "URL: http://host/path?token=***");
	CHECK_INT(wait_count, 0);
	end();
}

/* ---- how long ---- */

/* An answer that asks for 50 ms of patience, and gets them. */
static void
check_waits(const char *first)
{
	begin();
	step(first);
	step(GOOD);
	CHECK_CASE(ask(), first);
	CHECK_INT(answer.retries, 1);
	CHECK_INT(wait_count, 1);
	CHECK_CASE(waits[0] >= 50 && waits[0] <= 56, first);
	end();
}

static void
test_asked_waits(void)
{
	check_waits(ANSWER("429 Slow\r\nRetry-After: 0.05", 0, ""));
	check_waits(ANSWER("503 Slow\r\nretry-after:  0.05 ", 0, ""));
	check_waits(ANSWER("403 Slow\r\nRetry-After: 0.05", 0, ""));
	check_waits(ANSWER("429 Slow\r\nX-RateLimit-Reset-After: 0.05\r\nX-RateLimit-Reset: 1714525200", 0, ""));
	check_waits(ANSWER("429 Slow\r\nDate: Wed, 01 May 2024 00:00:00 GMT\r\nX-RateLimit-Reset: 1714521600.05", 0, ""));
	check_waits(ANSWER("429 Slow\r\nDate: Wed, 01 May 2024 00:00:00 GMT\r\nx-rate-limit-reset: 1714521600050\r\nx-rate-limit-remaining: 0.0", 0, ""));
	check_waits(ANSWER("403 Slow\r\nDate: Wed, 01 May 2024 00:00:00 GMT\r\nX-RateLimit-Reset: 1714521600.05\r\nX-RateLimit-Remaining: 0", 0, ""));
	check_waits(ANSWER("429 Slow\r\nRateLimit-Reset: 0.05\r\nRateLimit-Remaining: 0", 0, ""));
	check_waits(ANSWER("429 Slow\r\nDate: Wed, 01 May 2024 00:00:00 GMT\r\nX-RateLimit-Reset: 2024-05-01T00:00:00.05Z", 0, ""));
}

/* Without a time that counts the wait is ours: at most half a second. */
static void
test_own_waits(void)
{
	static const char *const cases[] = {
		ANSWER("429 Slow\r\nRetry-After: 0", 0, ""),
		ANSWER("429 Slow\r\nRetry-After: soon", 0, ""),
		ANSWER("429 Slow\r\nRetry-After: Wed, 01 May 2024 00:00:00 GMT", 0, ""),
		ANSWER("429 Slow\r\nX-RateLimit-Remaining: 12\r\nX-RateLimit-Reset: 3600", 0, ""),
		ANSWER("502 Bad\r\nX-RateLimit-Remaining: 4999\r\nX-RateLimit-Reset: 3600", 0, ""),
	};

	for (int i = 0; i < lengthof(cases); i++)
	{
		begin();
		step(cases[i]);
		step(GOOD);
		CHECK_CASE(ask(), cases[i]);
		CHECK(wait_count == 0 || (wait_count == 1 && waits[0] <= 500));
		end();
	}
}

static void
test_too_long(void)
{
	begin();
	step(ANSWER("429 Slow\r\nRetry-After: 3600.2", 0, ""));
	CHECK(!ask());
	CHECK_INT(err.status, 429);
	CHECK_STR(err.hint, "The server wants to be asked again in 3601 seconds, which is longer than max_retry_wait allows. Nothing was changed; run the statement again then.");
	CHECK_INT(answer.asked_ms, 3600200);
	CHECK_INT(wait_count, 0);
	end();

	/* all waits together */
	begin();
	rules.retry.max_wait_ms = 70;
	step(ANSWER("429 Slow\r\nRetry-After: 0.05", 0, ""));
	step(ANSWER("429 Slow\r\nRetry-After: 0.05", 0, ""));
	CHECK(!ask());
	CHECK_INT(answer.requests, 2);
	CHECK_INT(wait_count, 1);
	CHECK(strstr(err.hint, "in 1 seconds") != NULL);
	CHECK(strstr(err.detail, "It was asked 2 times.") != NULL);
	end();
}

/* A waiter that never comes back: the arena takes everything with it. */
static void
test_cancelled(void)
{
	begin();
	step(ANSWER("429 Slow\r\nRetry-After: 30", 0, ""));
	cancel = true;
	if (setjmp(cancelled) == 0)
	{
		(void) ask();
		CHECK(false);
	}
	server_stop(&server);
	end();
}

/* ---- text that asks for patience ---- */

static void
test_match(void)
{
	begin();
	rules.retry_match = "Slow Down";
	step(ANSWER("400 Bad", 20, "{\"m\": \"please SLOW d"));
	CHECK(!ask());
	CHECK_INT(err.status, 400);
	CHECK_INT(answer.requests, 1);
	end();

	begin();
	rules.retry_match = "Slow Down";
	step(ANSWER("403 Bad", 21, "{\"m\": \"slow down pls\""));
	step(ANSWER("200 OK", 17, "{\"m\":\"SLOW DOWN\"}"));
	step(GOOD);
	CHECK(ask());
	CHECK_INT(answer.retries, 2);
	end();

	/* in a record it is data */
	begin();
	rules.retry_match = "slow down";
	step(ANSWER("200 OK", 19, "[{\"m\":\"slow down\"}]"));
	CHECK(ask());
	CHECK_INT(answer.requests, 1);
	CHECK_INT(answer.page.count, 1);
	end();

	/* beside records it is not */
	begin();
	rules.retry_match = "slow down";
	rules.retry.max_retries = 1;
	rules.page.has_path = true;
	CHECK(cfdw_pointer_parse(arena, "/d", true, &rules.page.records_path, &err));
	step(ANSWER("200 OK", 27, "{\"d\":[1],\"e\":\"slow down..\"}"));
	step(ANSWER("200 OK", 27, "{\"d\":[1],\"e\":\"slow down..\"}"));
	CHECK(!ask());
	CHECK_INT(err.kind, CFDW_ERR_API);
	CHECK_INT(answer.requests, 2);
	CHECK_STR(err.detail, "URL: http://host/path?token=***\nThe API says: {\"d\":[],\"e\":\"slow down..\"}\nIt was asked 2 times.");
	end();
}

/* ---- redirects ---- */

/* A listener that takes part in nothing. */
static int
listen_quietly(int *port)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (bind(fd, (struct sockaddr *) &address, len) != 0 || listen(fd, 10) != 0)
		abort();
	getsockname(fd, (struct sockaddr *) &address, &len);
	*port = ntohs(address.sin_port);
	return fd;
}

static bool
has_visitor(int listener)
{
	struct pollfd pollfd = {.fd = listener, .events = POLLIN};

	return poll(&pollfd, 1, 0) != 0;
}

static void
test_redirects(void)
{
	static const CfdwHeader headers[] = {{"Authorization", "Bearer s3cret"}};
	static const struct
	{
		const char *status;
		const char *method;
		bool followed;
	} cases[] = {
		{"301 Moved", "GET", true},
		{"302 Found", "GET", true},
		{"303 See Other", "GET", true},
		{"307 Temporary", "GET", true},
		{"308 Permanent", "GET", true},
		{"300 Choices", "GET", false},
		{"304 Not Modified", "GET", false},
		{"301 Moved", "POST", false},
		{"302 Found", "POST", false},
		{"303 See Other", "POST", false},
		{"307 Temporary", "POST", true},
		{"308 Permanent", "POST", true},
	};

	for (int i = 0; i < lengthof(cases); i++)
	{
		CfdwRequest request = {.method = cases[i].method, .header_count = 1, .headers = headers};
		bool post = strcmp(request.method, "POST") == 0;
		const char *first_line = post ? "POST /to/there?x=1&key=k%20y HTTP/1.1\r\n" : "GET /to/there?x=1&key=k%20y HTTP/1.1\r\n";

		begin();
		endpoint.auth_param = "key";
		endpoint.auth_value = "k y";
		request.body = post ? "a=1" : NULL;
		request.body_len = post ? 3 : 0;
		step(cfdw_printf(arena, "HTTP/1.1 %s\r\nLocation: /to/there?x=1#part\r\nContent-Length: 0\r\n\r\n", cases[i].status));
		if (cases[i].followed)
			step(GOOD);
		CHECK_CASE(ask_with(request) == cases[i].followed, cases[i].status);
		CHECK_INT(answer.requests, step_count);
		CHECK_INT(answer.retries, 0);
		if (cases[i].followed)
		{
			CHECK(strncmp(requests[1], first_line, strlen(first_line)) == 0);
			CHECK(strstr(requests[1], "Authorization: Bearer s3cret\r\n") != NULL);
			CHECK((strstr(requests[1], "\r\n\r\na=1") != NULL) == post);
			CHECK_STR(answer.response->url, cfdw_printf(arena, "http://127.0.0.1:%d/to/there?x=1&key=k%%20y", server.port));
			CHECK_STR(answer.response->masked_url, cfdw_printf(arena, "http://127.0.0.1:%d/to/there?x=1&key=***", server.port));
		}
		else
		{
			CHECK_INT(err.kind, CFDW_ERR_STATUS);
			CHECK_STR(err.hint, "This cannot be followed; put the final address into base_url or endpoint.");
		}
		end();
	}
}

/* An empty Location is a reference to the URL itself; the listener sees what is allowed to come. */
static void
test_allowed_origins(void)
{
	int port;
	int other = listen_quietly(&port);

	begin();
	endpoint.next_url_origin = cfdw_printf(arena, "https://api.test,http://127.0.0.1:%d ", port);
	rules.retry.max_retries = 0;
	rules.http.request_timeout_ms = 100;
	step(cfdw_printf(arena, "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:%d/there\r\nContent-Length: 0\r\n\r\n", port));
	CHECK(!ask());
	CHECK_INT(err.kind, CFDW_ERR_TIMEOUT);
	CHECK(has_visitor(other));
	end();
	close(other);

	begin();
	endpoint.next_url_origin = "rewrite";
	step(ANSWER("302 Found\r\nLocation: https://internal.test:8443/a?b", 0, ""));
	step(ANSWER("302 Found\r\nLocation: ", 0, ""));
	step(GOOD);
	CHECK(ask());
	CHECK(strncmp(requests[1], "GET /a?b ", 9) == 0);
	CHECK(strncmp(requests[2], "GET /a?b ", 9) == 0);
	end();
}

/* Relative to the URL that redirects; and a retry begins at the beginning. */
static void
test_redirect_and_retry(void)
{
	static const char *const paths[] = {"GET /path?token=s3cret ", "GET /a/b ", "GET /a/c?d ", "GET /path?token=s3cret ", "GET /e "};

	begin();
	step(ANSWER("302 Found\r\nLocation: /a/b", 0, ""));
	step(ANSWER("302 Found\r\nLocation: c?d", 0, ""));
	step(ANSWER("503 Unavailable", 0, ""));
	step(ANSWER("302 Found\r\nLocation: /e", 0, ""));
	step(GOOD);
	CHECK(ask());
	CHECK_INT(answer.requests, 5);
	CHECK_INT(answer.retries, 1);
	for (int i = 0; i < 5; i++)
		CHECK_CASE(strncmp(requests[i], paths[i], strlen(paths[i])) == 0, paths[i]);
	end();
}

static void
test_redirect_for_ever(void)
{
	begin();
	for (int i = 0; i < 6; i++)
		step(ANSWER("302 Found\r\nLocation: /path", 0, ""));
	CHECK(!ask());
	CHECK_INT(err.kind, CFDW_ERR_LIMIT);
	CHECK_STR(err.message, "the API redirects more than 5 times");
	CHECK_INT(answer.requests, 6);
	CHECK_INT(answer.retries, 0);
	end();
}

/* To nowhere, and to where credentials must not go. */
static void
test_bad_redirects(void)
{
	static const struct
	{
		const char *location; /* %d: a port at which nobody may knock */
		CfdwErrorKind kind;
	} cases[] = {
		{"http://localhost:%d/", CFDW_ERR_FORBIDDEN},
		{"http://127.0.0.1:%d/", CFDW_ERR_FORBIDDEN},
		{"//127.0.0.1:%d/", CFDW_ERR_FORBIDDEN},
		{"https://127.0.0.1:%d/", CFDW_ERR_FORBIDDEN},
		{"http://user:pw@127.0.0.1:%d/", CFDW_ERR_FORBIDDEN},
		{"\\\\127.0.0.1:%d/", CFDW_ERR_FORBIDDEN},
		{"/\\127.0.0.1:%d/", CFDW_ERR_FORBIDDEN},
		{"file:///etc/passwd", CFDW_ERR_FORBIDDEN},
		{"ftp://127.0.0.1:%d/", CFDW_ERR_FORBIDDEN},
		{"http:///", CFDW_ERR_URL},
		{"http://127.0.0.1:99999/", CFDW_ERR_URL},
		{"http://127.0.0.1%%3A%d/", CFDW_ERR_URL},
		{"http://\xe2\x91\xa0.test/", CFDW_ERR_URL},
	};
	int port;
	int other = listen_quietly(&port);

	for (int i = 0; i < lengthof(cases); i++)
	{
		begin();
		step(cfdw_printf(arena, "HTTP/1.1 302 Found\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n", cfdw_printf(arena, cases[i].location, port)));
		CHECK(!ask());
		CHECK_CASE(err.kind == cases[i].kind, cases[i].location);
		CHECK_INT(answer.requests, 1);
		CHECK(strstr(err.detail, "URL: http://host/path?token=***\n") == err.detail);
		CHECK(strstr(err.detail, "s3cret") == NULL && strstr(err.detail, "pw@") == NULL);
		CHECK(!has_visitor(other));
		end();
	}
	close(other);
}

int
main(void)
{
	signal(SIGPIPE, SIG_IGN);
	test_passing();
	test_not_passing();
	test_limit_is_final();
	test_no_content();
	test_refused();
	test_exhausted();
	test_asked_waits();
	test_own_waits();
	test_too_long();
	test_cancelled();
	test_match();
	test_redirects();
	test_allowed_origins();
	test_redirect_and_retry();
	test_redirect_for_ever();
	test_bad_redirects();
	return unit_done("exchange");
}

/*
 * http_test.c
 *	  Requests as they arrive, responses as they are read, and the ways in
 *	  which a response can fail.
 */
#include "http_server.h"

/* From the sanitizer's runtime: how much memory the whole program holds. */
extern int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *memory, size_t size),
													 void (*on_free)(const volatile void *memory));
extern size_t __sanitizer_get_current_allocated_bytes(void);

static size_t most_allocated;

static void
on_malloc(const volatile void *memory, size_t size)
{
	most_allocated = Max(most_allocated, __sanitizer_get_current_allocated_bytes());
}

static void
on_free(const volatile void *memory)
{
}

/* What serve_answer sends to the one request that it reads. */
static const char *answer;
static size_t answer_len;
static bool end_by_reset;

static void
serve_answer(Server *server)
{
	int fd = server_accept(server);

	if (server_read(server, fd))
		server_send(fd, answer, answer_len);
	if (end_by_reset)
		server_reset(fd);
	else
		close(fd);
}

/* Ask a server that answers with these bytes. */
static bool
fetch_bytes(const char *bytes, size_t len)
{
	Server server;
	CfdwRequest request;
	bool ok;

	answer = bytes;
	answer_len = len;
	server_start(&server, serve_answer);
	request = get_request(&server, "/path");
	ok = fetch(&request);
	server_stop(&server);
	CHECK_INT(server.accepted, 1);
	return ok;
}

static bool
fetch_text(const char *text)
{
	return fetch_bytes(text, strlen(text));
}

/* --- requests ----------------------------------------------------------- */

/* Which encodings are accepted depends on the build of libcurl: look for gzip, and cut the line. */
static void
cut_accept_encoding(char *request)
{
	char *line = strstr(request, "Accept-Encoding: ");
	char *gzip = line ? strstr(line, "gzip") : NULL;
	char *next = line ? strstr(line, "\r\n") : NULL;

	CHECK(gzip != NULL && next != NULL && gzip < next);
	if (next != NULL)
		memmove(line, next + 2, strlen(next + 2) + 1);
}

/* Send a request; what arrives is its first line, the headers that all requests have, and the rest. */
static void
check_request(CfdwRequest request, const char *path, const char *first, const char *rest)
{
	Server server;
	char expected[2048];

	answer = "HTTP/1.1 204 No Content\r\n\r\n";
	answer_len = strlen(answer);
	server_start(&server, serve_answer);
	request.url = get_request(&server, path).url;
	request.masked_url = "masked";
	CHECK(fetch(&request));
	snprintf(expected, sizeof(expected),
			 "%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUser-Agent: checkpoint_fdw/test\r\nAccept: */*\r\n%s",
			 first, server.port, rest);
	cut_accept_encoding(server.request);
	CHECK_STR(server.request, expected);
	CHECK_STR(response->url, url);
	CHECK_STR(response->masked_url, "masked");
	server_stop(&server);
}

static void
test_requests(void)
{
	static const CfdwHeader secret[] = {{"Authorization", "Bearer s3cret"}, {"X-Empty", ""}, {"X-Blank", " \t"}};
	static const CfdwHeader json[] = {{"content-type", "application/json"}, {"Accept", "application/json"}};

	/* the URL's bytes are left alone: dot segments, the case of escapes, an empty pair */
	check_request((CfdwRequest){.method = "GET", .headers = secret, .header_count = 3},
				  "/a/../b%2fc/./d?x=%c3%a9&&y=a+b~|", "GET /a/../b%2fc/./d?x=%c3%a9&&y=a+b~|?token=s3cret",
				  "Authorization: Bearer s3cret\r\nX-Empty:\r\nX-Blank:\r\n\r\n");
	check_request((CfdwRequest){.method = "POST", .body = "a=b", .body_len = 3}, "/p", "POST /p?token=s3cret",
				  "Content-Length: 3\r\n\r\na=b");
	check_request((CfdwRequest){.method = "POST"}, "/p", "POST /p?token=s3cret", "Content-Length: 0\r\n\r\n");
	check_request((CfdwRequest){.method = "GET", .body = "q", .body_len = 1}, "/p", "GET /p?token=s3cret",
				  "Content-Length: 1\r\n\r\nq");
	check_request((CfdwRequest){.method = "POST", .headers = json, .header_count = 1, .body = "{}", .body_len = 2},
				  "/p", "POST /p?token=s3cret", "content-type: application/json\r\nContent-Length: 2\r\n\r\n{}");
}

/* A big body goes out at once (no Expect: 100-continue), a NUL in it too; the caller's copy may change meanwhile. */
static void
test_big_request_body(void)
{
	Server server;
	CfdwRequest request;
	CfdwTransfer *transfer;
	size_t len = 2 * 1024 * 1024;
	char *body = malloc(len);

	memset(body, 'x', len);
	body[1000] = '\0';
	answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
	answer_len = strlen(answer);
	server_start(&server, serve_answer);
	request = get_request(&server, "/big");
	request.method = "POST";
	request.body = body;
	request.body_len = len;
	transfer = start(&request);
	memset(body, 'y', len);
	memset(url, 'y', sizeof(url));
	free(body);
	CHECK(cfdw_http_finish(transfer, &cfdw_poll_waiter, &response, &err));
	CHECK(strstr(server.request, "Expect") == NULL);
	CHECK(server.request_len > len);
	CHECK(memchr(server.request + server.request_len - len, 'y', len) == NULL);
	CHECK(server.request[server.request_len - len + 1000] == '\0');
	server_stop(&server);
}

static void
test_refused_requests(void)
{
	CfdwTransfer *transfer;
	CfdwHeader broken[] = {{"X-Key", "s3cret\r\nHost: evil"}};
	CfdwHeader unnamed[] = {{"X Key", "s3cret"}};
	CfdwRequest request = {.method = "GET", .url = "ftp://127.0.0.1/?token=s3cret", .masked_url = "masked"};

	CHECK(!cfdw_http_start(arena, &options, &request, &transfer, &err));
	CHECK_INT(err.kind, CFDW_ERR_FORBIDDEN);
	CHECK(strstr(err.detail, "masked") != NULL && strstr(err.detail, "s3cret") == NULL);

	request.url = "http://127.0.0.1/";
	request.header_count = 1;
	request.headers = broken;
	CHECK(!cfdw_http_start(arena, &options, &request, &transfer, &err));
	CHECK_INT(err.kind, CFDW_ERR_OPTION);
	CHECK_STR(err.message, "value of request header \"X-Key\" contains a control character");
	request.headers = unnamed;
	CHECK(!cfdw_http_start(arena, &options, &request, &transfer, &err));
	CHECK_INT(err.kind, CFDW_ERR_OPTION);
	CHECK(strstr(err.message, "s3cret") == NULL);

	request.header_count = 0;
	request.url = "http://127.0.0.1:99999/?token=s3cret";
	request.masked_url = "http://host/path?token=***";
	CHECK(!fetch(&request));
	check_error(CFDW_ERR_URL, "malformed URL", "");
}

/* --- responses ---------------------------------------------------------- */

static void
test_whole_response(void)
{
	CHECK(fetch_text("HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: 4\r\n"
					 "Link: <a>; rel=x\r\nX-Folded: one\r\n \t two \r\nEmpty:\r\nlink:\t<b>; rel=y \t\r\n\r\n[{}]"));
	CHECK_INT(response->status, 200);
	CHECK(body_is("[{}]"));
	CHECK_INT(response->wire_bytes, 4);
	CHECK_INT(response->date, 784111777);
	CHECK(response->elapsed_us > 0);
	CHECK_INT(response->header_count, 6);
	CHECK_STR(response->headers[1].name, "Content-Length");
	CHECK_STR(cfdw_response_header(arena, response, "LINK"), "<a>; rel=x, <b>; rel=y");
	CHECK_STR(cfdw_response_header(arena, response, "empty"), "");
	CHECK_STR(cfdw_response_header(arena, response, "X-None"), NULL);
	CHECK(strncmp(cfdw_response_header(arena, response, "x-folded"), "one", 3) == 0);
	CHECK(strstr(cfdw_response_header(arena, response, "x-folded"), " two") != NULL);
}

static void
test_other_responses(void)
{
	CHECK(fetch_text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-A: head\r\n\r\n"
					 "2\r\n[1\r\n1\r\n,\r\n2\r\n2]\r\n0\r\nX-A: trailer\r\nX-B: trailer\r\n\r\n"));
	CHECK(body_is("[1,2]"));
	CHECK_STR(cfdw_response_header(arena, response, "X-A"), "head");
	CHECK_STR(cfdw_response_header(arena, response, "X-B"), NULL);

	CHECK(fetch_text("HTTP/1.1 100 Continue\r\nX-A: early\r\n\r\nHTTP/1.1 103 Early Hints\r\nX-B: early\r\n\r\n"
					 "HTTP/1.1 200 OK\r\nX-A: final\r\nContent-Length: 1\r\n\r\n1"));
	CHECK_INT(response->status, 200);
	CHECK_INT(response->header_count, 2);
	CHECK_STR(cfdw_response_header(arena, response, "X-A"), "final");

	/* until the connection ends; no date, or a broken one */
	CHECK(fetch_text("HTTP/1.0 200 OK\r\nDate: yesterday\r\n\r\n[true]"));
	CHECK(body_is("[true]"));
	CHECK_INT(response->date, 0);

	CHECK(fetch_text("HTTP/1.1 204 No Content\r\n\r\n"));
	CHECK_INT(response->status, 204);
	CHECK(body_is(""));
	CHECK_INT(response->header_count, 0);

	CHECK(fetch_text("HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 4\r\n\r\nbusy"));
	CHECK_INT(response->status, 503);
	CHECK(body_is("busy"));

	/* a redirect is a response */
	CHECK(fetch_text("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"));
	CHECK_INT(response->status, 302);
	CHECK_STR(cfdw_response_header(arena, response, "Location"), "http://127.0.0.1:1/");
}

static void
test_gzip(void)
{
	static const char head[] = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 37\r\n\r\n";
	static const char body[] = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x8b\xae\x56\xca\x4c\x51\xb2\x32\xac"
							   "\xd5\x81\x30\x8c\x60\x0c\xe3\xda\x58\x00\xb4\x9f\x97\x66\x1c\x00\x00\x00";
	char bytes[256];

	memcpy(bytes, head, sizeof(head) - 1);
	memcpy(bytes + sizeof(head) - 1, body, 37);
	CHECK(fetch_bytes(bytes, sizeof(head) - 1 + 37));
	CHECK(body_is("[{\"id\":1},{\"id\":2},{\"id\":3}]"));
	CHECK_INT(response->wire_bytes, 37);

	bytes[sizeof(head) - 1 + 20] ^= 0x55;
	CHECK(!fetch_bytes(bytes, sizeof(head) - 1 + 37));
	check_error(CFDW_ERR_TRANSFER, "response could not be decompressed", "");
}

/* --- failures ----------------------------------------------------------- */

static void
test_cut_responses(void)
{
	static const struct
	{
		const char *bytes;
		bool reset;
		const char *message;
	} cases[] = {
		{"", false, "the server closed the connection without a response"},
		{"", true, "connection to the server was lost"},
		{"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n[1,2]", false, "the response was cut off"},
		{"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n[1,2]", true, "connection to the server was lost"},
		{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n[1,2]\r\n", false, "the response was cut off"},
		{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n[1", false, "the response was cut off"},
		{"HTTP/1.1 200 OK\r\nContent-Le", false, ""},
		{"HTTP/1.1 200 OK\r\nX-A: complete\r\n", false, ""},
		{"HTTP/1.1 100 Continue\r\n\r\n", false, ""},
		{"SSH-2.0-OpenSSH_9.2\r\n", false, "the server's answer is not HTTP"},
		{"{\"token\":\"s3cret\"}", false, "the server's answer is not HTTP"},
	};

	for (int i = 0; i < lengthof(cases); i++)
	{
		end_by_reset = cases[i].reset;
		memset(&err, 0, sizeof(err));
		CHECK_CASE(!fetch_text(cases[i].bytes), cases[i].bytes);
		check_error(CFDW_ERR_TRANSFER, cases[i].message, "");
	}
	end_by_reset = false;
}

static void
serve_no_tls(Server *server)
{
	int fd = server_accept(server);
	char hello[4096];

	if (recv(fd, hello, sizeof(hello), 0) > 0)
		server_puts(fd, "HTTP/1.1 400 Bad Request\r\n\r\n");
	close(fd);
}

static void
test_connect_failures(void)
{
	Server server;
	CfdwRequest request;

	server_start(&server, serve_no_tls);
	request = get_request(&server, "/");
	request.url = cfdw_printf(arena, "https://127.0.0.1:%d/?token=s3cret", server.port);
	CHECK(!fetch(&request));
	check_error(CFDW_ERR_CONNECT, "TLS handshake with the server failed", "speaks https at this port");
	server_stop(&server);

	/* the port is closed now */
	request.url = url;
	CHECK(!fetch(&request));
	check_error(CFDW_ERR_CONNECT, "could not connect to the server: Connection refused", "Check host and port");
}

static void
test_body_limit(void)
{
	const char *text = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n[1,2]";

	options.max_response_bytes = 5;
	CHECK(fetch_text(text));
	CHECK(body_is("[1,2]"));
	options.max_response_bytes = 4;
	CHECK(!fetch_text(text));
	check_error(CFDW_ERR_LIMIT, "response is larger than 4 bytes", "max_response_bytes");
}

/* Sends until the client hangs up. */
static void
serve_endless(Server *server)
{
	int fd = server_accept(server);
	char chunk[4096];

	memset(chunk, ' ', sizeof(chunk));
	if (server_read(server, fd) && server_puts(fd, answer))
		while (server_send(fd, chunk, sizeof(chunk)))
			;
	close(fd);
}

static void
serve_endless_100(Server *server)
{
	int fd = server_accept(server);

	if (server_read(server, fd))
		while (server_puts(fd, "HTTP/1.1 100 Continue\r\nX-A: b\r\n\r\n"))
			;
	close(fd);
}

static void
check_endless(void (*script)(Server *server), const char *first, const char *message, const char *hint)
{
	Server server;
	CfdwRequest request;

	answer = first;
	server_start(&server, script);
	request = get_request(&server, "/path");
	CHECK(!fetch(&request));
	check_error(CFDW_ERR_LIMIT, message, hint);
	server_stop(&server);
}

static void
test_endless_responses(void)
{
	check_endless(serve_endless, "HTTP/1.1 200 OK\r\n\r\n", "response is larger than 1048576 bytes", "max_response_bytes");
	check_endless(serve_endless, "HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n", "response is larger", "smaller pages");
	check_endless(serve_endless, "HTTP/1.1 200 OK\r\nX-Long: a", "response headers are larger than", "");
	check_endless(serve_endless_100, "", "response headers are larger than 262144 bytes", "");
}

static void
test_header_limit(void)
{
	CfdwBuf text;

	cfdw_buf_init(&text, arena);
	cfdw_buf_puts(&text, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n");
	for (int i = 0; i < 2000; i++)
		cfdw_buf_puts(&text, cfdw_printf(arena, "X-%04d: 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789\r\n", i));
	cfdw_buf_puts(&text, "\r\n");
	CHECK(fetch_bytes(text.data, text.len));
	CHECK_INT(response->header_count, 2001);
	CHECK(cfdw_response_header(arena, response, "x-1999") != NULL);

	text.len -= 2;
	while (text.len <= 256 * 1024)
		cfdw_buf_puts(&text, "X-More: 0123456789\r\n");
	cfdw_buf_puts(&text, "\r\n");
	CHECK(!fetch_bytes(text.data, text.len));
	check_error(CFDW_ERR_LIMIT, "response headers are larger than 262144 bytes", "");
}

/* Blanks, compressed 160 times: fixed Huffman codes, each 13 bits of them repeat the last byte 258 times. */
static size_t
make_bomb(char *out, int repeats)
{
	static const char head[] = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03";
	size_t len = sizeof(head) - 1;
	size_t bit = 0;
	/* last block, fixed codes, the literal ' '; bits in the order in which they are sent */
	const char *bits = "110"
					   "01010000";

	memcpy(out, head, len);
	for (int i = 0; i <= repeats; i++, bits = "1100010100000")
		for (const char *c = bits; *c != '\0'; c++, bit++)
		{
			if (bit % 8 == 0)
				out[len + bit / 8] = 0;
			out[len + bit / 8] |= (*c - '0') << bit % 8;
		}
	return len + (bit + 7) / 8;
}

static void
test_gzip_bomb(void)
{
	const char *head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n";
	size_t head_len = strlen(head);
	char *bytes = cfdw_alloc(arena, 2 * 1024 * 1024);
	size_t before;
	int repeats = 1000 * 1000; /* 258 MB */

	/* a small one opens, so it is not refused for being broken */
	memcpy(bytes, head, head_len);
	CHECK(fetch_bytes(bytes, head_len + make_bomb(bytes + head_len, 1000)));
	CHECK(body_is_blank(256 * 1000, 258 * 1001));

	before = most_allocated = __sanitizer_get_current_allocated_bytes();
	CHECK(!fetch_bytes(bytes, head_len + make_bomb(bytes + head_len, repeats)));
	check_error(CFDW_ERR_LIMIT, "response is larger than 1048576 bytes", "max_response_bytes");
	/* the server's buffer and a doubling to the limit; what is not there is 258 MB */
	CHECK(most_allocated > before);
	CHECK(most_allocated - before < 12 * 1024 * 1024);
}

int
main(void)
{
	static void (*const tests[])(void) = {
		test_requests,
		test_big_request_body,
		test_refused_requests,
		test_whole_response,
		test_other_responses,
		test_gzip,
		test_cut_responses,
		test_connect_failures,
		test_body_limit,
		test_endless_responses,
		test_header_limit,
		test_gzip_bomb,
	};

	alarm(120);
	signal(SIGPIPE, SIG_IGN);
	__sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
	for (int i = 0; i < lengthof(tests); i++)
	{
		begin_test();
		tests[i]();
		end_test();
	}
	return unit_done("http");
}

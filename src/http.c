/*
 * http.c
 *	  Requests and responses as libcurl's easy handles.
 *
 * Callbacks of libcurl neither allocate from arenas nor leave: what they keep
 * is malloc'ed, and what stops a transfer is noted in it.  Everything that
 * libcurl or malloc gave is reachable from the transfer, whose arena gives it
 * back on reset, in flight or not.
 *
 * Options that are not set are libcurl's defaults and are meant: certificates
 * and host names are verified, redirects are not followed, no cookies, no
 * .netrc, HTTP/2 over TLS, no HTTP/0.9.
 */
#include "http.h"

#include "header.h"
#include "hosts.h"
#include "transfer.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <time.h>

enum
{
	FIRST_BYTES = 4 * 1024,
	READ_BYTES = 64 * 1024
};

static int64
now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64) now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Append; the buffer doubles, but never beyond max. */
static bool
bytes_add(Bytes *bytes, const char *data, size_t len, size_t max)
{
	if (len > bytes->cap - bytes->len)
	{
		size_t cap = Min(Max(Max(bytes->cap * 2, bytes->len + len), FIRST_BYTES), max);
		char *bigger = realloc(bytes->data, cap);

		if (bigger == NULL)
			return false;
		bytes->data = bigger;
		bytes->cap = cap;
	}
	memcpy(bytes->data + bytes->len, data, len);
	bytes->len += len;
	return true;
}

/* --- callbacks of libcurl ----------------------------------------------- */

/* What libcurl takes as an error: not the number of bytes it handed over, which is never 0. */
static size_t
stop_transfer(CfdwTransfer *transfer, Stop stop)
{
	transfer->stop = stop;
	return 0;
}

static size_t
on_body(char *data, size_t size, size_t count, void *arg)
{
	CfdwTransfer *transfer = arg;
	size_t len = size * count;
	size_t max = (size_t) transfer->options.max_response_bytes;

	if (len > max - transfer->body.len)
		return stop_transfer(transfer, STOP_BODY_LIMIT);
	if (!bytes_add(&transfer->body, data, len, max))
		return stop_transfer(transfer, STOP_MEMORY);
	return len;
}

/* The empty line: a block of status 1xx is forgotten, another follows. */
static void
end_header_block(CfdwTransfer *transfer)
{
	long status = 0;

	curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
	transfer->headers_done = status >= 200;
	if (!transfer->headers_done)
		transfer->headers.len = 0;
	transfer->in_block = false;
}

/* Called with one whole line: a status line, headers, an empty line; trailers come after the body. */
static size_t
on_header(char *data, size_t size, size_t count, void *arg)
{
	CfdwTransfer *transfer = arg;
	size_t taken = size * count;
	size_t len = taken;
	Bytes *headers = &transfer->headers;

	transfer->header_bytes += taken;
	if (transfer->header_bytes > MAX_HEADER_BYTES)
		return stop_transfer(transfer, STOP_HEADER_LIMIT);
	while (len > 0 && (data[len - 1] == '\n' || data[len - 1] == '\r'))
		len--;
	if (transfer->headers_done)
		return taken; /* a trailer */
	if (len == 0)
		end_header_block(transfer);
	else if (!transfer->in_block)
		transfer->in_block = true; /* the status line */
	else
	{
		/* a folded line goes on where the last one ended; what is added never exceeds header_bytes */
		if ((data[0] == ' ' || data[0] == '\t') && headers->len > 0)
			headers->data[headers->len - 1] = ' ';
		if (!bytes_add(headers, data, len, MAX_HEADER_BYTES) || !bytes_add(headers, "", 1, MAX_HEADER_BYTES))
			return stop_transfer(transfer, STOP_MEMORY);
	}
	return taken;
}

/*
 * The moment before a connection, with the address that the name was resolved
 * to.  Programs that the server starts (COPY … PROGRAM) must not inherit it.
 */
static curl_socket_t
on_open_socket(void *arg, curlsocktype purpose, struct curl_sockaddr *address)
{
	CfdwTransfer *transfer = arg;
	curl_socket_t fd;

	if (cfdw_hosts_refuse(transfer->options.allowed_hosts, &address->addr, transfer->refused, sizeof(transfer->refused)))
		return CURL_SOCKET_BAD;
	fd = socket(address->family, address->socktype, address->protocol);
	if (fd >= 0)
		(void) fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd >= 0 ? fd : CURL_SOCKET_BAD;
}

/* --- the life of a transfer --------------------------------------------- */

/* End a transfer: read what only the easy handle knows, and free it.  A connection in use is closed. */
static void
end_transfer(CfdwTransfer *transfer)
{
	long status = 0;
	curl_off_t elapsed = 0;
	curl_off_t received = 0;

	if (!cfdw_http_done(transfer))
	{
		curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
		curl_easy_getinfo(transfer->easy, CURLINFO_TOTAL_TIME_T, &elapsed);
		curl_easy_getinfo(transfer->easy, CURLINFO_SIZE_DOWNLOAD_T, &received);
		curl_easy_getinfo(transfer->easy, CURLINFO_OS_ERRNO, &transfer->os_error);
		transfer->response.status = (int) status;
		transfer->response.elapsed_us = elapsed;
		transfer->response.wire_bytes = received;

		if (transfer->added)
			cfdw_multi_remove(transfer->easy);
		curl_easy_cleanup(transfer->easy);
		transfer->easy = NULL;
	}
	curl_slist_free_all(transfer->request_lines);
	transfer->request_lines = NULL;
}

static void
end_completed_transfers(void)
{
	void *ended;
	int code;

	while (cfdw_multi_next_ended(&ended, &code))
	{
		CfdwTransfer *transfer = ended;

		/* libcurl is content when the connection ends inside the headers */
		transfer->result = code == CURLE_OK && !transfer->headers_done ? CURLE_PARTIAL_FILE : code;
		end_transfer(transfer);
	}
}

/* --- a request ---------------------------------------------------------- */

static bool
is_header_name(const char *name)
{
	return *name != '\0' &&
		   name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-.^_`|~")] == '\0';
}

/* A line break in a value would start a header of its own. */
static bool
is_header_value(const char *value)
{
	for (const unsigned char *c = (const unsigned char *) value; *c != '\0'; c++)
		if ((*c < ' ' && *c != '\t') || *c == 0x7F)
			return false;
	return true;
}

static bool
add_request_line(CfdwTransfer *transfer, const char *line, CfdwError *err)
{
	struct curl_slist *longer = curl_slist_append(transfer->request_lines, line);

	if (longer == NULL)
		return cfdw_fail(err, CFDW_ERR_MEMORY, "out of memory");
	transfer->request_lines = longer;
	return true;
}

static bool
add_request_headers(CfdwTransfer *transfer, const CfdwRequest *request, CfdwError *err)
{
	for (int i = 0; i < request->header_count; i++)
	{
		const CfdwHeader *header = &request->headers[i];
		bool blank = header->value[strspn(header->value, " \t")] == '\0';
		char *line;

		if (!is_header_name(header->name))
			return cfdw_fail(err, CFDW_ERR_OPTION, "name of a request header is not valid");
		if (!is_header_value(header->value))
			return cfdw_fail(err, CFDW_ERR_OPTION, "value of request header \"%s\" contains a control character", header->name);
		/* libcurl's notation: "name;" sends a header without a value, "name:" would send none */
		line = cfdw_printf(transfer->arena, "%s%s%s", header->name, blank ? ";" : ": ", blank ? "" : header->value);
		if (!add_request_line(transfer, line, err))
			return false;
	}
	/* what libcurl would add on its own to a request with a body */
	return add_request_line(transfer, "Expect:", err) && add_request_line(transfer, "Content-Type:", err);
}

/* Set an option unless one before it failed. */
#define SET(option, value) \
	do \
	{ \
		if (code == CURLE_OK) \
			code = curl_easy_setopt(transfer->easy, option, value); \
	} while (0)

static CURLcode
set_request(CfdwTransfer *transfer, const CfdwRequest *request)
{
	CURLcode code = CURLE_OK;
	bool is_post = strcmp(request->method, "POST") == 0;

	SET(CURLOPT_URL, request->url);
	SET(CURLOPT_PATH_AS_IS, 1L);
	SET(CURLOPT_USERAGENT, transfer->options.user_agent);
	SET(CURLOPT_HTTPHEADER, transfer->request_lines);
	SET(CURLOPT_ACCEPT_ENCODING, "");
	if (is_post || request->body != NULL)
	{
		SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t) (request->body != NULL ? request->body_len : 0));
		SET(CURLOPT_COPYPOSTFIELDS, request->body != NULL ? request->body : "");
		if (!is_post)
			SET(CURLOPT_CUSTOMREQUEST, request->method);
	}
	return code;
}

static CURLcode
set_connection(CfdwTransfer *transfer)
{
	const CfdwHttpOptions *options = &transfer->options;
	CURLcode code = CURLE_OK;

#if LIBCURL_VERSION_NUM >= 0x075500
	SET(CURLOPT_PROTOCOLS_STR, "http,https");
#else
	SET(CURLOPT_PROTOCOLS, (long) (CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
	SET(CURLOPT_PROXY, options->proxy != NULL ? options->proxy : "");
	SET(CURLOPT_NOPROXY, ""); /* the environment has no say */
	SET(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	SET(CURLOPT_NOSIGNAL, 1L);
#if LIBCURL_VERSION_NUM >= 0x075700
	SET(CURLOPT_QUICK_EXIT, 1L); /* a cancelled name look-up is left behind, not waited for */
#endif
	SET(CURLOPT_TCP_KEEPALIVE, 1L);
	SET(CURLOPT_FRESH_CONNECT, (long) options->once);
	SET(CURLOPT_CONNECTTIMEOUT_MS, (long) options->connect_timeout_ms);
	SET(CURLOPT_BUFFERSIZE, (long) READ_BYTES);
	SET(CURLOPT_OPENSOCKETFUNCTION, on_open_socket);
	SET(CURLOPT_OPENSOCKETDATA, transfer);
	SET(CURLOPT_PRIVATE, transfer);
	SET(CURLOPT_ERRORBUFFER, transfer->reason);
	SET(CURLOPT_WRITEFUNCTION, on_body);
	SET(CURLOPT_WRITEDATA, transfer);
	SET(CURLOPT_HEADERFUNCTION, on_header);
	SET(CURLOPT_HEADERDATA, transfer);
	return code;
}

/* Files of the administrator in place of the system's. */
static CURLcode
set_tls(CfdwTransfer *transfer)
{
	const CfdwHttpOptions *options = &transfer->options;
	CURLcode code = CURLE_OK;

	if (options->ca_file != NULL)
	{
		SET(CURLOPT_CAINFO, options->ca_file);
		SET(CURLOPT_CAPATH, NULL);
	}
	if (options->client_cert != NULL)
		SET(CURLOPT_SSLCERT, options->client_cert);
	if (options->client_key != NULL)
		SET(CURLOPT_SSLKEY, options->client_key);
	return code;
}

static bool
launch(CfdwTransfer *transfer, const CfdwRequest *request, CfdwError *err)
{
	CURLcode code;

	if ((transfer->easy = curl_easy_init()) == NULL)
		return cfdw_fail(err, CFDW_ERR_MEMORY, "out of memory");
	if ((code = set_request(transfer, request)) != CURLE_OK || (code = set_connection(transfer)) != CURLE_OK ||
		(code = set_tls(transfer)) != CURLE_OK)
		return cfdw_fail(err, CFDW_ERR_INTERNAL, "libcurl refuses an option: %s", curl_easy_strerror(code));
	transfer->added = cfdw_multi_add(transfer->easy, err);
	return transfer->added;
}

static void
release(void *arg)
{
	CfdwTransfer *transfer = arg;

	end_transfer(transfer);
	free(transfer->headers.data);
	free(transfer->body.data);
}

bool
cfdw_http_start(CfdwArena *arena, const CfdwHttpOptions *options, const CfdwRequest *request, CfdwTransfer **out, CfdwError *err)
{
	CfdwTransfer *transfer = cfdw_alloc(arena, sizeof(CfdwTransfer));

	transfer->arena = arena;
	transfer->options = *options;
	if (options->allowed_hosts != NULL)
		transfer->options.allowed_hosts = cfdw_strdup(arena, options->allowed_hosts);
	transfer->method = cfdw_strdup(arena, request->method);
	transfer->response.url = cfdw_strdup(arena, request->url);
	transfer->response.masked_url = cfdw_strdup(arena, request->masked_url);
	/* from here on an error of any kind is cleaned up by the arena */
	cfdw_arena_on_reset(arena, release, transfer);

	if (pg_strncasecmp(request->url, "http://", 7) != 0 && pg_strncasecmp(request->url, "https://", 8) != 0)
	{
		cfdw_fail(err, CFDW_ERR_FORBIDDEN, "only http and https URLs can be requested");
		cfdw_detail(err, "The URL is \"%s\".", request->masked_url);
		return false;
	}
	if (!cfdw_multi_open(err) || !add_request_headers(transfer, request, err) || !launch(transfer, request, err))
		return false;
	cfdw_http_poll(); /* connects, or sends on a kept connection */
	*out = transfer;
	return true;
}

void
cfdw_http_poll(void)
{
	(void) cfdw_multi_poll(); /* an error shows again in finish */
	end_completed_transfers();
}

bool
cfdw_http_done(const CfdwTransfer *transfer)
{
	return transfer->easy == NULL;
}

/* --- the outcome -------------------------------------------------------- */

/* Cut the lines that on_header kept into names and values, in place. */
static void
read_headers(CfdwTransfer *transfer)
{
	CfdwResponse *response = &transfer->response;
	char *end;
	int lines = 0;

	if (transfer->headers.len == 0)
		return;
	end = transfer->headers.data + transfer->headers.len;
	for (char *line = transfer->headers.data; line < end; line += strlen(line) + 1)
		lines++;
	response->headers = cfdw_alloc(transfer->arena, lines * sizeof(CfdwHeader));
	for (char *line = transfer->headers.data, *next; line < end; line = next)
	{
		char *value = strchr(line, ':');
		char *tail = line + strlen(line);

		next = tail + 1;
		if (value == NULL)
			continue;
		*value++ = '\0';
		value += strspn(value, " \t");
		while (tail > value && (tail[-1] == ' ' || tail[-1] == '\t'))
			*--tail = '\0';
		response->headers[response->header_count++] = (CfdwHeader){.name = line, .value = value};
	}
}

static void
read_response(CfdwTransfer *transfer)
{
	CfdwResponse *response = &transfer->response;
	const char *date;

	read_headers(transfer);
	response->body.data = transfer->body.data != NULL ? transfer->body.data : "";
	response->body.len = transfer->body.len;
	date = cfdw_response_header(transfer->arena, response, "Date");
	if (date == NULL || !cfdw_header_date(date, &response->date))
		response->date = 0;
	transfer->response_ready = true;
}

bool
cfdw_http_finish(CfdwTransfer *transfer, const CfdwWaiter *waiter, const CfdwResponse **out, CfdwError *err)
{
	int64 deadline = now_us() + (int64) transfer->options.request_timeout_ms * 1000;
	Stop stop = STOP_NONE;

	while (!cfdw_http_done(transfer))
	{
		int64 left_us = deadline - now_us();

		if (left_us <= 0)
			stop = STOP_TIMEOUT;
		else if (!cfdw_multi_wait(waiter, transfer->easy, (long) ((left_us + 999) / 1000)))
			stop = STOP_BROKEN;
		end_completed_transfers();
		if (stop != STOP_NONE && !cfdw_http_done(transfer))
		{
			transfer->stop = stop;
			end_transfer(transfer);
		}
	}
	if (transfer->stop != STOP_NONE || transfer->result != CURLE_OK)
		return cfdw_transfer_explain(transfer, err);
	if (!transfer->response_ready)
		read_response(transfer);
	*out = &transfer->response;
	return true;
}

const char *
cfdw_response_header(CfdwArena *arena, const CfdwResponse *response, const char *name)
{
	const char *found = NULL;

	for (int i = 0; i < response->header_count; i++)
	{
		const CfdwHeader *header = &response->headers[i];

		if (pg_strcasecmp(header->name, name) != 0)
			continue;
		found = found == NULL ? header->value : cfdw_printf(arena, "%s, %s", found, header->value);
	}
	return found;
}

/*
 * http_failure.c
 *	  What went wrong with a transfer, in words.
 */
#include "hosts.h"
#include "transfer.h"

typedef struct Failure
{
	CURLcode code;
	CfdwErrorKind kind;
	bool with_reason; /* libcurl's own words say more, and hold nothing of the request but host and port */
	const char *message;
	const char *hint;
} Failure;

static const Failure failures[] = {
	{CURLE_URL_MALFORMAT, CFDW_ERR_URL, false, "malformed URL", ""},
	{CURLE_COULDNT_RESOLVE_HOST, CFDW_ERR_CONNECT, true, "could not resolve the server's host name",
	 "Check the host name in the URL and the name service of the database server."},
	{CURLE_COULDNT_CONNECT, CFDW_ERR_CONNECT, true, "could not connect to the server",
	 "Check host and port in the URL, and that the database server may connect there."},
	{CURLE_SSL_CONNECT_ERROR, CFDW_ERR_CONNECT, true, "TLS handshake with the server failed",
	 "Check that the server speaks https at this port."},
	{CURLE_PEER_FAILED_VERIFICATION, CFDW_ERR_TRUST, true, "certificate of the server is not trusted",
	 "Check the host name in the URL, and that the trusted certificates (the database server's, or option ca_file) include the issuer."},
	{CURLE_SSL_CACERT_BADFILE, CFDW_ERR_TRUST, true, "trusted certificates cannot be read",
	 "Check the server's option ca_file, and that the database server may read that file."},
	{CURLE_SSL_CERTPROBLEM, CFDW_ERR_TRUST, true, "client certificate cannot be used",
	 "Check client_cert and client_key in the user mapping, and that the database server may read these files."},
	{CURLE_COULDNT_RESOLVE_PROXY, CFDW_ERR_CONNECT, true, "could not resolve the proxy's host name",
	 "Check the server's option proxy."},
	{CURLE_UNSUPPORTED_PROTOCOL, CFDW_ERR_TRANSFER, false, "the server's answer is not HTTP",
	 "Check scheme, host and port in the URL."},
	{CURLE_WEIRD_SERVER_REPLY, CFDW_ERR_TRANSFER, false, "the server's answer is not HTTP",
	 "Check scheme, host and port in the URL."},
	{CURLE_GOT_NOTHING, CFDW_ERR_TRANSFER, false, "the server closed the connection without a response", ""},
	{CURLE_PARTIAL_FILE, CFDW_ERR_TRANSFER, true, "the response was cut off", ""},
	{CURLE_RECV_ERROR, CFDW_ERR_TRANSFER, true, "connection to the server was lost", ""},
	{CURLE_SEND_ERROR, CFDW_ERR_TRANSFER, true, "connection to the server was lost", ""},
	{CURLE_HTTP2, CFDW_ERR_TRANSFER, true, "connection to the server was lost", ""},
	{CURLE_HTTP2_STREAM, CFDW_ERR_TRANSFER, true, "the response was cut off", ""},
	{CURLE_BAD_CONTENT_ENCODING, CFDW_ERR_TRANSFER, false, "response could not be decompressed", ""},
	{CURLE_OUT_OF_MEMORY, CFDW_ERR_MEMORY, false, "out of memory", ""},
	/* only on_socket can be the callback */
	{CURLE_ABORTED_BY_CALLBACK, CFDW_ERR_MEMORY, false, "out of memory", ""},
};

/* How libcurl complains of a header line beyond its own limit; before 8.6 it says "out of memory". */
#if LIBCURL_VERSION_NUM >= 0x080600
#define LINE_TOO_LONG CURLE_TOO_LARGE
#else
#define LINE_TOO_LONG CURLE_OUT_OF_MEMORY
#endif

static const Failure *
find_failure(CURLcode code)
{
	for (int i = 0; i < lengthof(failures); i++)
		if (failures[i].code == code)
			return &failures[i];
	return NULL;
}

static void
fail_stopped(const CfdwTransfer *transfer, Stop stop, CfdwError *err)
{
	switch (stop)
	{
		case STOP_BODY_LIMIT:
			cfdw_fail(err, CFDW_ERR_LIMIT, "response is larger than %lld bytes",
					  (long long) transfer->options.max_response_bytes);
			cfdw_hint(err, "Raise max_response_bytes, or ask for smaller pages.");
			break;
		case STOP_HEADER_LIMIT:
			cfdw_fail(err, CFDW_ERR_LIMIT, "response headers are larger than %d bytes", MAX_HEADER_BYTES);
			break;
		case STOP_TIMEOUT:
			cfdw_fail(err, CFDW_ERR_TIMEOUT, "no complete response within %d ms", transfer->options.request_timeout_ms);
			cfdw_hint(err, "Raise request_timeout, or ask for smaller pages.");
			break;
		case STOP_MEMORY:
			cfdw_fail(err, CFDW_ERR_MEMORY, "out of memory");
			break;
		default:
			cfdw_fail(err, CFDW_ERR_INTERNAL, "libcurl cannot go on with its transfers");
			break;
	}
}

static void
fail_with_code(const CfdwTransfer *transfer, const Failure *failure, CfdwError *err)
{
	if (transfer->result == CURLE_OPERATION_TIMEDOUT)
	{
		/* libcurl was given no other limit, and the system's own are about connecting too */
		cfdw_fail(err, CFDW_ERR_TIMEOUT, "no connection to the server within %d ms", transfer->options.connect_timeout_ms);
		cfdw_hint(err, "Raise connect_timeout, or check that the database server may connect to this host and port.");
	}
	else if (failure == NULL)
		cfdw_fail(err, CFDW_ERR_TRANSFER, "request failed: %s", curl_easy_strerror(transfer->result));
	else
	{
		bool refused = transfer->result == CURLE_COULDNT_CONNECT && transfer->os_error != 0;

		cfdw_fail(err, failure->kind, "%s%s%s", failure->message,
				  refused ? ": " : "", refused ? strerror((int) transfer->os_error) : "");
		cfdw_hint(err, "%s", failure->hint);
	}
}

bool
cfdw_transfer_explain(const CfdwTransfer *transfer, CfdwError *err)
{
	const Failure *failure = find_failure(transfer->result);
	Stop stop = transfer->stop;

	if (stop == STOP_NONE && transfer->in_block && transfer->result == LINE_TOO_LONG)
		stop = STOP_HEADER_LIMIT;
	if (stop == STOP_NONE && transfer->result == CURLE_COULDNT_CONNECT && transfer->refused[0] != '\0')
		cfdw_hosts_fail(transfer->refused, err);
	else if (stop != STOP_NONE)
		fail_stopped(transfer, stop, err);
	else
		fail_with_code(transfer, failure, err);
	if (err->kind != CFDW_ERR_FORBIDDEN && stop == STOP_NONE && failure != NULL && failure->with_reason && transfer->reason[0] != '\0')
		cfdw_detail(err, "%s. The request was %s \"%s\".", transfer->reason, transfer->method, transfer->response.masked_url);
	else
		cfdw_detail(err, "The request was %s \"%s\".", transfer->method, transfer->response.masked_url);
	return false;
}

/*
 * exchange.c
 *	  One request and its answer.
 */
#include "exchange.h"

struct CfdwExchange
{
	CfdwTransfer *transfer;
};

bool
cfdw_exchange_start(CfdwArena *arena, const CfdwHttpOptions *options, const CfdwRequest *request, CfdwExchange **out, CfdwError *err)
{
	CfdwExchange *exchange = cfdw_alloc(arena, sizeof(CfdwExchange));

	*out = exchange;
	return cfdw_http_start(arena, options, request, &exchange->transfer, err);
}

static bool
check_status(const CfdwResponse *response, CfdwError *err)
{
	int status = response->status;
	bool auth = status == 401 || status == 403;

	if (status >= 200 && status <= 299)
		return true;
	cfdw_fail(err, auth ? CFDW_ERR_AUTH : CFDW_ERR_STATUS, "the API answered with HTTP status %d", status);
	err->status = status;
	cfdw_detail(err, "URL: %s", response->masked_url);
	if (auth)
		cfdw_hint(err, "Check the server's option auth and the secrets in the user mapping of the current user.");
	else if (status >= 300 && status <= 399)
		cfdw_hint(err, "Redirects are not followed; put the final address into base_url or endpoint.");
	else if (status == 404 || status == 410)
		cfdw_hint(err, "Check the options base_url and endpoint.");
	else if (status == 429 || status >= 500)
		cfdw_hint(err, "Nothing was changed; run the statement again later.");
	else
		cfdw_hint(err, "Check the options endpoint, params, headers and body of the foreign table.");
	return false;
}

bool
cfdw_exchange_finish(CfdwExchange *exchange, const CfdwWaiter *waiter, const CfdwResponse **out, CfdwError *err)
{
	*out = NULL;
	return cfdw_http_finish(exchange->transfer, waiter, out, err) && check_status(*out, err);
}

/*
 * verdict.c
 *	  What a response is worth.
 */
#include "verdict.h"

#include "lexer.h"

#define QUOTED_BYTES 300

bool
cfdw_verdict_fail_at(CfdwArena *arena, const CfdwResponse *response, CfdwError *err)
{
	char *detail = cfdw_strdup(arena, err->detail);

	cfdw_detail(err, "URL: %s%s%s", response->masked_url, detail[0] == '\0' ? "" : "\n", detail);
	return false;
}

/* ---- quotes ---- */

const char *
cfdw_verdict_quote(CfdwArena *arena, const CfdwSecrets *secrets, CfdwSlice body)
{
	const char *end = body.data + body.len;
	const char *first = cfdw_skip_blanks(body.data, end);
	CfdwSlice text = {first, (size_t) (end - first)};

	while (text.len > 0 && strchr(" \t\r\n", text.data[text.len - 1]) != NULL)
		text.len--;
	if (text.len <= 2 || *first == '<') /* "{}"; HTML is for browsers */
		return "";
	/* a secret must not be cut in half, and masked the rest of it shown */
	text.len = Min(text.len, 64 * QUOTED_BYTES);
	return cfdw_excerpt(arena, cfdw_secrets_mask(secrets, arena, text), QUOTED_BYTES);
}

/* Add what the API says to DETAIL. */
static void
quote_in_detail(CfdwArena *arena, const CfdwExchangeRules *rules, CfdwSlice text, CfdwError *err)
{
	const char *quote = cfdw_verdict_quote(arena, rules->endpoint->secrets, text);
	char *detail = cfdw_strdup(arena, err->detail);

	if (quote[0] != '\0')
		cfdw_detail(err, "%s%sThe API says: %s", detail, detail[0] == '\0' ? "" : "\n", quote);
}

/* ---- statuses ---- */

static bool
fail_status(CfdwArena *arena, const CfdwExchangeRules *rules, const CfdwResponse *response, CfdwError *err)
{
	int status = response->status;
	bool auth = status == 401 || status == 403;

	cfdw_fail(err, auth ? CFDW_ERR_AUTH : CFDW_ERR_STATUS, "the API answered with HTTP status %d", status);
	err->status = status;
	if (auth)
		cfdw_hint(err, "Check the server's option auth and the secrets in the user mapping of the current user.");
	else if (status >= 300 && status <= 399)
		cfdw_hint(err, "This cannot be followed; put the final address into base_url or endpoint.");
	else if (status == 404 || status == 410)
		cfdw_hint(err, "Check the options base_url and endpoint.");
	else if (status == 429 || status >= 500)
		cfdw_hint(err, "Nothing was changed; run the statement again later.");
	else
		cfdw_hint(err, "Check the options endpoint, params, headers and body of the foreign table.");
	quote_in_detail(arena, rules, response->body, err);
	return cfdw_verdict_fail_at(arena, response, err);
}

/* A page without records. */
static void
set_empty(CfdwArena *arena, CfdwPage *page)
{
	memset(page, 0, sizeof(*page));
	page->envelope = cfdw_strdup(arena, "null");
	page->envelope_len = 4;
}

/* ---- bodies that say that they are no page ---- */

static bool
contains(CfdwSlice text, const char *part)
{
	size_t len = strlen(part);

	for (size_t i = 0; i + len <= text.len; i++)
		if (pg_strncasecmp(text.data + i, part, len) == 0)
			return true;
	return false;
}

/* The value at error_path in a JSON document; data NULL: there is none. */
static CfdwSlice
value_at(CfdwArena *arena, const CfdwExchangeRules *rules, CfdwSlice document)
{
	const char *path = rules->error_path + (rules->error_path[0] == '!' ? 1 : 0);
	CfdwSlice value = {NULL, 0};
	CfdwPointer pointer;
	CfdwError ignored;
	char *result = NULL;

	if (path[0] == '$')
	{
		rules->endpoint->evaluate(arena, document, path, &result);
		if (result != NULL)
			value = (CfdwSlice){result, strlen(result)};
	}
	else if (!cfdw_pointer_parse(arena, path, false, &pointer, &ignored) || !cfdw_page_find(document, &pointer, &value))
		value.data = NULL;
	return value;
}

static bool
is_true(CfdwArena *arena, CfdwSlice value)
{
	CfdwJson *json;
	CfdwError ignored;

	if (value.data == NULL)
		return false;
	/* what json-c cannot hold is a number of many digits, and so not 0 */
	return !cfdw_json_parse(arena, value.data, value.len, &json, &ignored) || cfdw_json_truth(json);
}

/* Does a document, a body or what surrounds its records, say that there was an error? */
static bool
check_error_path(CfdwArena *arena, const CfdwExchangeRules *rules, const CfdwResponse *response, CfdwSlice document, CfdwError *err)
{
	bool inverted = rules->error_path != NULL && rules->error_path[0] == '!';
	CfdwSlice value;

	if (rules->error_path == NULL)
		return true;
	value = value_at(arena, rules, document);
	if (is_true(arena, value) == inverted)
		return true;
	cfdw_fail(err, CFDW_ERR_API, "the API reports an error, with HTTP status %d", response->status);
	/* a flag says nothing but that the rest is about an error */
	quote_in_detail(arena, rules, inverted || strncmp(value.data, "true", 4) == 0 ? document : value, err);
	return cfdw_verdict_fail_at(arena, response, err);
}

static bool
check_match(CfdwArena *arena, const CfdwExchangeRules *rules, const CfdwResponse *response, CfdwSlice document, bool *again, CfdwError *err)
{
	if (rules->retry_match == NULL || !contains(document, rules->retry_match))
		return true;
	*again = true;
	cfdw_fail(err, CFDW_ERR_API, "the API asks for patience, with HTTP status %d", response->status);
	cfdw_hint(err, "Nothing was changed; run the statement again later.");
	quote_in_detail(arena, rules, document, err);
	return cfdw_verdict_fail_at(arena, response, err);
}

/* ---- pages ---- */

/* What is wrong with a body that is no page; said of a body without secrets, so that none is quoted. */
static bool
fail_page(CfdwArena *arena, const CfdwExchangeRules *rules, const CfdwResponse *response, CfdwError *err)
{
	CfdwSlice masked = cfdw_secrets_mask(rules->endpoint->secrets, arena, response->body);
	CfdwPage ignored;

	if (masked.data != response->body.data && cfdw_page_parse(arena, &rules->page, masked, &ignored, err))
		cfdw_fail(err, CFDW_ERR_JSON, "response body is not valid");
	return cfdw_verdict_fail_at(arena, response, err);
}

static bool
read_page(CfdwArena *arena, const CfdwExchangeRules *rules, CfdwAnswer *answer, bool *again, CfdwError *err)
{
	const CfdwResponse *response = answer->response;
	CfdwPage *page = &answer->page;
	CfdwSlice envelope;
	bool is_json;

	if (cfdw_page_parse(arena, &rules->page, response->body, page, err))
	{
		envelope = (CfdwSlice){page->envelope, page->envelope_len};
		return check_match(arena, rules, response, envelope, again, err) &&
			   check_error_path(arena, rules, response, envelope, err);
	}
	is_json = err->kind == CFDW_ERR_MISSING || err->kind == CFDW_ERR_SHAPE;
	*again = err->kind == CFDW_ERR_CUT;
	if (!check_match(arena, rules, response, response->body, again, err) ||
		(is_json && !check_error_path(arena, rules, response, response->body, err)))
		return false;
	return fail_page(arena, rules, response, err);
}

bool
cfdw_verdict(CfdwArena *arena, const CfdwExchangeRules *rules, bool first, CfdwAnswer *answer, bool *again, CfdwError *err)
{
	const CfdwResponse *response = answer->response;
	int status = response->status;
	const CfdwStatuses *nothing = first ? &rules->ignore_statuses : &rules->end_statuses;

	*again = false;
	answer->nothing = cfdw_statuses_have(nothing, status);
	if (answer->nothing || status == 204) /* RFC 9110 15.3.5: no content */
	{
		set_empty(arena, &answer->page);
		return true;
	}
	if (status >= 200 && status <= 299)
		return read_page(arena, rules, answer, again, err);
	*again = cfdw_statuses_have(&rules->retry_statuses, status) ||
			 (rules->retry_match != NULL && contains(response->body, rules->retry_match));
	return fail_status(arena, rules, response, err);
}

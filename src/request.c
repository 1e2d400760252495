/*
 * request.c
 *	  Building requests: URL, query, headers and body of an endpoint with
 *	  their placeholders filled.
 */
#include "request.h"

#include "origin.h"
#include "url.h"

typedef enum BodyKind
{
	BODY_NONE,
	BODY_JSON,
	BODY_FORM,
	BODY_TEXT
} BodyKind;

/* What pagination fills by itself, and which option is the shorthand for a query pair. */
typedef enum Builtin
{
	BUILTIN_CURSOR,
	BUILTIN_OFFSET,
	BUILTIN_PAGE,
	BUILTIN_LIMIT,
	BUILTIN_SINCE,
	BUILTIN_UNTIL,
	BUILTIN_SYNC_TOKEN
} Builtin;

#define BUILTIN_COUNT (BUILTIN_SYNC_TOKEN + 1)

static const struct
{
	const char *placeholder;
	const char *option;
} builtins[BUILTIN_COUNT] = {
	[BUILTIN_CURSOR] = {"cursor", "cursor_param"},
	[BUILTIN_OFFSET] = {"offset", "offset_param"},
	[BUILTIN_PAGE] = {"page", "page_param"},
	[BUILTIN_LIMIT] = {"limit", "limit_param"},
	[BUILTIN_SINCE] = {"since", "timestamp_param"},
	[BUILTIN_UNTIL] = {"until", "until_param"},
	[BUILTIN_SYNC_TOKEN] = {"sync_token", "sync_token_param"},
};

bool
cfdw_request_is_builtin(const char *name, size_t len)
{
	for (int i = 0; i < BUILTIN_COUNT; i++)
		if (strlen(builtins[i].placeholder) == len && memcmp(builtins[i].placeholder, name, len) == 0)
			return true;
	return false;
}

struct CfdwRequestBuilder
{
	const CfdwEndpoint *endpoint;
	const char *pair[BUILTIN_COUNT]; /* name of the query pair, NULL: none */
	bool placed[BUILTIN_COUNT];      /* does the request have a place for it? */
	BodyKind body_kind;
	const char *content_type; /* of the body; NULL: no body */
	CfdwJson *json_body;
};

/* One request in the making. */
typedef struct Build
{
	const CfdwRequestBuilder *builder;
	const CfdwEndpoint *endpoint;
	CfdwArena *arena;
	CfdwVariables vars; /* the built-in ones first, in order */
	CfdwJson *merge;    /* an object cursor without a place, or NULL */
	CfdwError *err;
} Build;

/* ----- opening ------------------------------------------------------------ */

static const CfdwHeader *
find_header(int count, const CfdwHeader *headers, const char *name)
{
	for (int i = 0; i < count; i++)
		if (pg_strcasecmp(headers[i].name, name) == 0)
			return &headers[i];
	return NULL;
}

/* Does text hold the placeholder anywhere in the request's templates? */
static bool
templates_use(const CfdwEndpoint *endpoint, const char *name)
{
	const char *templates[] = {endpoint->endpoint, endpoint->params, endpoint->body};

	for (int i = 0; i < lengthof(templates); i++)
		if (templates[i] != NULL && cfdw_template_uses(templates[i], name))
			return true;
	for (int i = 0; i < endpoint->header_count; i++)
		if (cfdw_template_uses(endpoint->headers[i].value, name))
			return true;
	return false;
}

/* The next pair of a decoded query string, which moves on; false at its end. */
static bool
next_pair(const char **params, CfdwSlice *pair, CfdwSlice *name)
{
	const char *start = *params;

	if (start == NULL || *start == '\0')
		return false;
	pair->data = start;
	pair->len = strcspn(start, "&");
	name->data = start;
	name->len = strcspn(start, "=&");
	*params = start + pair->len + (start[pair->len] == '&' ? 1 : 0);
	return true;
}

static bool
slice_equals(CfdwSlice slice, const char *s)
{
	return slice.len == strlen(s) && memcmp(slice.data, s, slice.len) == 0;
}

static bool
params_have(const char *params, const char *wanted)
{
	CfdwSlice pair;
	CfdwSlice name;

	while (next_pair(&params, &pair, &name))
		if (slice_equals(name, wanted))
			return true;
	return false;
}

/* Find the place of one built-in value: a placeholder, or the pair that its shorthand names. */
static bool
place_builtin(CfdwRequestBuilder *builder, Builtin which, const char *param, CfdwError *err)
{
	const CfdwEndpoint *endpoint = builder->endpoint;

	builder->placed[which] = templates_use(endpoint, builtins[which].placeholder);
	if (builder->placed[which] || param == NULL)
		return true;
	if (!params_have(endpoint->params, param))
	{
		builder->pair[which] = param;
		builder->placed[which] = true;
		return true;
	}
	if (which == BUILTIN_LIMIT)
		return true;
	cfdw_fail(err, CFDW_ERR_OPTION, "\"%s\" stands both in params and in %s", param, builtins[which].option);
	cfdw_hint(err, "Take it out of params; page_start or timestamp_initial give the first value.");
	return false;
}

static bool
require_place(const CfdwRequestBuilder *builder, Builtin which, CfdwError *err)
{
	if (builder->placed[which])
		return true;
	cfdw_fail(err, CFDW_ERR_OPTION, "the request has no place for {%s}", builtins[which].placeholder);
	cfdw_hint(err, "Set %s, or write {%s} in endpoint, params, headers or body.", builtins[which].option, builtins[which].placeholder);
	return false;
}

static bool
place_all(CfdwRequestBuilder *builder, CfdwError *err)
{
	const CfdwEndpoint *endpoint = builder->endpoint;

	for (int i = 0; i < endpoint->columns.count; i++)
		if (cfdw_request_is_builtin(endpoint->columns.items[i].name, strlen(endpoint->columns.items[i].name)))
		{
			cfdw_fail(err, CFDW_ERR_OPTION, "a parameter cannot be named \"%s\"", endpoint->columns.items[i].name);
			cfdw_hint(err, "A walk fills this placeholder; give the column's param option another name.");
			return false;
		}
	if (!place_builtin(builder, BUILTIN_CURSOR, endpoint->cursor_param, err) ||
		!place_builtin(builder, BUILTIN_OFFSET, endpoint->offset_param, err) ||
		!place_builtin(builder, BUILTIN_PAGE, endpoint->page_param, err) ||
		!place_builtin(builder, BUILTIN_LIMIT, endpoint->limit_param, err) ||
		!place_builtin(builder, BUILTIN_SINCE, endpoint->timestamp_param, err) ||
		!place_builtin(builder, BUILTIN_UNTIL, endpoint->until_param, err) ||
		!place_builtin(builder, BUILTIN_SYNC_TOKEN, endpoint->sync_token_param, err))
		return false;
	switch (endpoint->pagination)
	{
		case CFDW_PAGINATION_HEADER_CURSOR:
		case CFDW_PAGINATION_KEYSET:
			return require_place(builder, BUILTIN_CURSOR, err);
		case CFDW_PAGINATION_OFFSET:
			return require_place(builder, BUILTIN_OFFSET, err);
		case CFDW_PAGINATION_PAGE_NUMBER:
			return require_place(builder, BUILTIN_PAGE, err);
		default:
			return true; /* an object cursor needs no place: seen when it comes */
	}
}

bool
cfdw_request_is_json(CfdwArena *arena, const char *content_type)
{
	char *type = cfdw_strndup(arena, content_type, strcspn(content_type, ";"));

	for (char *c = type; *c != '\0'; c++)
		*c = (char) pg_tolower((unsigned char) *c);
	return strstr(type, "json") != NULL && strstr(type, "ndjson") == NULL &&
		   strstr(type, "jsonl") == NULL && strstr(type, "json-seq") == NULL;
}

static bool
is_form_type(const char *content_type)
{
	return pg_strncasecmp(content_type, "application/x-www-form-urlencoded", 33) == 0;
}

static bool
fail_body(CfdwError *err)
{
	CfdwError inner = *err;

	cfdw_fail(err, CFDW_ERR_OPTION, "body is not JSON: %s", inner.message);
	cfdw_detail(err, "%s", inner.detail);
	cfdw_hint(err, "Write a placeholder as a JSON string, as in {\"limit\": \"{limit}\"}; it becomes the raw value.  For another kind of body set content_type.");
	return false;
}

/* Decide what the body is, and parse it once if it is JSON. */
static bool
open_body(CfdwArena *arena, CfdwRequestBuilder *builder, CfdwError *err)
{
	const CfdwEndpoint *endpoint = builder->endpoint;
	const char *body = endpoint->body;
	const char *type = endpoint->content_type;
	const CfdwHeader *header = find_header(endpoint->header_count, endpoint->headers, "Content-Type");

	if (body == NULL)
		return true;
	if (type == NULL && header != NULL)
		type = header->value;
	if (type == NULL || cfdw_request_is_json(arena, type))
	{
		char first = body[strspn(body, " \t\r\n")];

		if (cfdw_json_parse(arena, body, strlen(body), &builder->json_body, err))
		{
			builder->body_kind = BODY_JSON;
			builder->content_type = type != NULL ? type : "application/json";
			return true;
		}
		if (type != NULL || first == '{' || first == '[')
			return fail_body(err);
		type = "application/x-www-form-urlencoded";
	}
	builder->body_kind = is_form_type(type) ? BODY_FORM : BODY_TEXT;
	builder->content_type = type;
	return true;
}

bool
cfdw_request_open(CfdwArena *arena, const CfdwEndpoint *endpoint, CfdwRequestBuilder **out, CfdwError *err)
{
	CfdwRequestBuilder *builder = cfdw_alloc(arena, sizeof(CfdwRequestBuilder));

	builder->endpoint = endpoint;
	if (!place_all(builder, err) || !open_body(arena, builder, err))
		return false;
	*out = builder;
	return true;
}

/* ----- values ------------------------------------------------------------- */

static bool
set_cursor(Build *build, CfdwVariable *cursor, const char *json)
{
	CfdwJson *value = NULL;
	char *text;

	if (build->builder->placed[BUILTIN_CURSOR])
	{
		if (!cfdw_step_cursor_text(build->arena, json, &text, build->err))
			return false;
		cursor->text = text;
		cursor->json = json;
		return true;
	}
	if (*json == '{')
	{
		if (!cfdw_json_parse(build->arena, json, strlen(json), &value, build->err))
			return false;
		build->merge = value;
		return true;
	}
	return require_place(build->builder, BUILTIN_CURSOR, build->err);
}

/* What the walk asks; a time goes as a number into a JSON body if the API counts in numbers. */
static bool
set_question(Build *build, CfdwVariable *items, const CfdwQuestion *question)
{
	char *token;

	items[BUILTIN_SINCE].text = question->since;
	items[BUILTIN_UNTIL].text = question->until;
	if (question->numeric)
	{
		items[BUILTIN_SINCE].json = question->since;
		items[BUILTIN_UNTIL].json = question->until;
	}
	if (question->sync_token == NULL)
		return true;
	items[BUILTIN_SYNC_TOKEN].json = question->sync_token;
	if (!cfdw_step_cursor_text(build->arena, question->sync_token, &token, build->err))
		return false;
	items[BUILTIN_SYNC_TOKEN].text = token;
	return true;
}

static bool
set_variables(Build *build, const CfdwStep *values, const CfdwQuestion *question)
{
	const CfdwEndpoint *endpoint = build->endpoint;
	int count = BUILTIN_COUNT + endpoint->columns.count;
	CfdwVariable *items = cfdw_alloc(build->arena, count * sizeof(CfdwVariable));

	for (int i = 0; i < BUILTIN_COUNT; i++)
		items[i].name = builtins[i].placeholder;
	for (int i = 0; i < endpoint->columns.count; i++)
		items[BUILTIN_COUNT + i] = endpoint->columns.items[i];
	build->vars.count = count;
	build->vars.items = items;

	if (question != NULL && !set_question(build, items, question))
		return false;
	if (endpoint->page_size > 0)
		items[BUILTIN_LIMIT].text = items[BUILTIN_LIMIT].json = cfdw_printf(build->arena, "%d", endpoint->page_size);
	if (values->kind == CFDW_STEP_NUMBER)
	{
		Builtin which = endpoint->pagination == CFDW_PAGINATION_OFFSET ? BUILTIN_OFFSET : BUILTIN_PAGE;

		items[which].text = items[which].json = cfdw_printf(build->arena, INT64_FORMAT, values->number);
	}
	if (values->kind == CFDW_STEP_CURSOR)
		return set_cursor(build, &items[BUILTIN_CURSOR], values->text);
	return true;
}

/* ----- pairs: query and form body ------------------------------------------ */

static void
add_pair(CfdwBuf *out, const char *name, const char *value)
{
	if (out->len > 0)
		cfdw_buf_putc(out, '&');
	cfdw_url_encode(out, name, strlen(name), false);
	cfdw_buf_putc(out, '=');
	cfdw_url_encode(out, value, strlen(value), false);
}

typedef struct MergeTarget
{
	CfdwArena *arena;
	CfdwBuf *out;
} MergeTarget;

static bool
merge_member(const char *name, CfdwJson *value, void *arg)
{
	MergeTarget *target = arg;
	char *text = cfdw_json_text(target->arena, value);

	if (text != NULL)
		add_pair(target->out, name, text);
	return true;
}

/* Does the merged object (NULL: none) have a member of this name?  A null member counts too. */
static bool
merge_replaces(const Build *build, CfdwJson *merge, CfdwSlice name)
{
	CfdwSegment segment = {cfdw_strndup(build->arena, name.data, name.len), name.len, -1, false};
	CfdwPointer pointer = {1, &segment, false};
	bool found = false;

	if (merge != NULL)
		cfdw_json_at(merge, &pointer, &found);
	return found;
}

/* Append params, filled, with the merged object's members over them (NULL: none). */
static bool
add_params(Build *build, CfdwBuf *out, const char *params, CfdwJson *merge)
{
	MergeTarget target = {build->arena, out};
	CfdwBuf kept;
	CfdwSlice pair;
	CfdwSlice name;

	cfdw_buf_init(&kept, build->arena);
	while (next_pair(&params, &pair, &name))
	{
		if (merge_replaces(build, merge, name))
			continue;
		if (kept.len > 0)
			cfdw_buf_putc(&kept, '&');
		cfdw_buf_add(&kept, pair.data, pair.len);
	}
	if (!cfdw_template_query(out, kept.data, &build->vars, build->err))
		return false;
	if (merge != NULL)
		cfdw_json_each(merge, merge_member, &target);
	return true;
}

/* ----- URL ------------------------------------------------------------------ */

/* Does the merged object go into the body? */
static bool
merges_into_body(const CfdwRequestBuilder *builder)
{
	return builder->body_kind == BODY_JSON || builder->body_kind == BODY_FORM;
}

static bool
build_url(Build *build, char **out)
{
	const CfdwEndpoint *endpoint = build->endpoint;
	CfdwJson *merge = merges_into_body(build->builder) ? NULL : build->merge;
	CfdwBuf path;
	CfdwBuf query;
	char *url;

	cfdw_buf_init(&path, build->arena);
	cfdw_buf_init(&query, build->arena);
	if (!cfdw_template_fill(&path, endpoint->endpoint != NULL ? endpoint->endpoint : "", CFDW_PATH, &build->vars, build->err) ||
		!cfdw_url_join(build->arena, endpoint->base_url, path.data, &url, build->err) ||
		!add_params(build, &query, endpoint->params, merge))
		return false;
	for (int i = 0; i < BUILTIN_COUNT; i++)
	{
		const char *name = build->builder->pair[i];
		const char *value = build->vars.items[i].text;

		if (name == NULL || value == NULL || cfdw_url_has_param(url, name) ||
			merge_replaces(build, merge, (CfdwSlice){name, strlen(name)}))
			continue;
		add_pair(&query, name, value);
	}
	*out = cfdw_url_add_query(build->arena, url, query.data);
	return true;
}

char *
cfdw_request_add_auth(CfdwArena *arena, const CfdwEndpoint *endpoint, const char *url)
{
	CfdwBuf pair;

	if (endpoint->auth_param == NULL || cfdw_url_has_param(url, endpoint->auth_param))
		return cfdw_strdup(arena, url);
	cfdw_buf_init(&pair, arena);
	add_pair(&pair, endpoint->auth_param, endpoint->auth_value);
	return cfdw_url_add_query(arena, url, pair.data);
}

const char *
cfdw_request_mask(CfdwArena *arena, const CfdwEndpoint *endpoint, const char *url)
{
	/* first the secrets: what they are in is not encoded any further */
	return cfdw_url_mask(arena, cfdw_secrets_mask_string(endpoint->secrets, arena, url), endpoint->auth_param);
}

/* ----- headers and body ------------------------------------------------------ */

static bool
has_value(const Build *build, const char *tmpl)
{
	const CfdwVariable *sole = cfdw_template_sole(tmpl, &build->vars);

	return sole == NULL || sole->text != NULL;
}

/* The headers of the options, filled; those that auth or content_type decide are left to them. */
static bool
fill_headers(Build *build, CfdwHeader *headers, int *count)
{
	const CfdwEndpoint *endpoint = build->endpoint;

	for (int i = 0; i < endpoint->header_count; i++)
	{
		const CfdwHeader *header = &endpoint->headers[i];
		CfdwBuf value;

		if (find_header(endpoint->auth_header_count, endpoint->auth_headers, header->name) != NULL ||
			(build->builder->content_type != NULL && pg_strcasecmp(header->name, "Content-Type") == 0) ||
			!has_value(build, header->value))
			continue;
		cfdw_buf_init(&value, build->arena);
		if (!cfdw_template_fill(&value, header->value, CFDW_PLAIN, &build->vars, build->err))
			return false;
		headers[(*count)++] = (CfdwHeader){header->name, value.data};
	}
	return true;
}

static bool
build_headers(Build *build, CfdwRequest *out)
{
	const CfdwEndpoint *endpoint = build->endpoint;
	int most = endpoint->header_count + endpoint->auth_header_count + 2;
	CfdwHeader *headers = cfdw_alloc(build->arena, most * sizeof(CfdwHeader));
	int count = 0;

	if (!fill_headers(build, headers, &count))
		return false;
	for (int i = 0; i < endpoint->auth_header_count; i++)
		headers[count++] = endpoint->auth_headers[i];
	if (find_header(count, headers, "Accept") == NULL)
		headers[count++] = (CfdwHeader){"Accept", endpoint->ndjson ? "application/x-ndjson, application/json" : "application/json"};
	if (build->builder->content_type != NULL)
		headers[count++] = (CfdwHeader){"Content-Type", build->builder->content_type};
	out->header_count = count;
	out->headers = headers;
	return true;
}

static bool
build_body(Build *build, CfdwRequest *out)
{
	const CfdwRequestBuilder *builder = build->builder;
	const char *tmpl = build->endpoint->body;
	char *json;
	CfdwBuf text;

	switch (builder->body_kind)
	{
		case BODY_NONE:
			return true;
		case BODY_JSON:
			if (!cfdw_json_fill(build->arena, builder->json_body, &build->vars, build->merge, &json, build->err))
				return false;
			out->body = json;
			out->body_len = strlen(json);
			return true;
		case BODY_FORM:
		case BODY_TEXT:
			break;
	}
	cfdw_buf_init(&text, build->arena);
	if (builder->body_kind == BODY_FORM ? !add_params(build, &text, tmpl, build->merge) :
										  !cfdw_template_fill(&text, tmpl, CFDW_PLAIN, &build->vars, build->err))
		return false;
	out->body = text.data;
	out->body_len = text.len;
	return true;
}

bool
cfdw_request_build(const CfdwRequestBuilder *builder, CfdwArena *arena, const CfdwStep *values, const CfdwQuestion *question,
				   const char *url, CfdwRequest *out, CfdwError *err)
{
	const CfdwEndpoint *endpoint = builder->endpoint;
	Build build = {builder, endpoint, arena, {0, NULL}, NULL, err};
	char *address;

	memset(out, 0, sizeof(*out));
	if (!set_variables(&build, values, question))
		return false;
	if (url != NULL ? !cfdw_origin_resolve(arena, endpoint->base_url, endpoint->next_url_origin, endpoint->base_url, url, "the next page", &address, err) :
					  !build_url(&build, &address))
		return false;
	address = cfdw_request_add_auth(arena, endpoint, address);
	out->method = endpoint->method != NULL ? endpoint->method : "GET";
	out->url = address;
	out->masked_url = cfdw_request_mask(arena, endpoint, address);
	return build_headers(&build, out) && build_body(&build, out);
}

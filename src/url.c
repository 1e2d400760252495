/*
 * url.c
 *	  URLs as text.
 *
 * Who decides what: this file splits text by RFC 3986 and resolves by it,
 * byte for byte and the same with every version of libcurl (whose own
 * resolution loses the query in "#x", takes "http:/host" for "http://host"
 * and rewrites what it touches).  What host and port a URL has is libcurl's
 * answer, since libcurl will connect to it.  Forms on which two parsers
 * might disagree are refused before libcurl is asked.
 */
#include "url.h"

#include <curl/curl.h>

/* Where the parts of a reference lie, but its fragment; a part that is not there has data NULL. */
typedef struct Parts
{
	CfdwSlice scheme;    /* without ":" */
	CfdwSlice authority; /* without "//" */
	CfdwSlice path;      /* never NULL */
	CfdwSlice query;     /* without "?" */
} Parts;

typedef struct Origin
{
	bool https;
	char host[256]; /* a DNS name has at most 253 bytes */
	int port;
} Origin;

static bool
is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int
hex_value(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static void
encode_byte(CfdwBuf *out, unsigned char byte)
{
	static const char digits[] = "0123456789ABCDEF";
	char code[3] = {'%', digits[byte >> 4], digits[byte & 15]};

	cfdw_buf_add(out, code, sizeof(code));
}

void
cfdw_url_encode(CfdwBuf *out, const char *s, size_t len, bool keep_slash)
{
	for (size_t i = 0; i < len; i++)
	{
		char c = s[i];

		if (is_alpha(c) || is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~' || (keep_slash && c == '/'))
			cfdw_buf_putc(out, c);
		else
			encode_byte(out, (unsigned char) c);
	}
}

/* The next byte of form-encoded text: %41 is A, "+" is a blank.  Moves *p, which is before end. */
static char
decode_byte(const char **p, const char *end)
{
	const char *s = *p;

	if (s[0] == '%' && end - s >= 3 && hex_value(s[1]) >= 0 && hex_value(s[2]) >= 0)
	{
		*p += 3;
		return (char) (hex_value(s[1]) * 16 + hex_value(s[2]));
	}
	*p += 1;
	return s[0] == '+' ? ' ' : s[0];
}

/* Split a reference (RFC 3986 appendix B).  Never fails: any text has parts. */
static Parts
split(const char *text)
{
	Parts parts = {{NULL, 0}};
	const char *p = text;

	if (is_alpha(*p))
	{
		size_t len = 1;

		while (is_alpha(p[len]) || is_digit(p[len]) || p[len] == '+' || p[len] == '-' || p[len] == '.')
			len++;
		if (p[len] == ':')
		{
			parts.scheme = (CfdwSlice){p, len};
			p += len + 1;
		}
	}
	if (p[0] == '/' && p[1] == '/')
	{
		parts.authority = (CfdwSlice){p + 2, strcspn(p + 2, "/?#")};
		p += 2 + parts.authority.len;
	}
	parts.path = (CfdwSlice){p, strcspn(p, "?#")};
	p += parts.path.len;
	if (*p == '?')
		parts.query = (CfdwSlice){p + 1, strcspn(p + 1, "#")};
	return parts;
}

/*
 * Has it only characters that every parser reads alike?  No percent-encoding,
 * no Unicode and no IPv6 zones: libcurl would decode and map them to
 * something else.  Whether it is a host and a port, libcurl says.
 */
static bool
authority_is_plain(CfdwSlice authority)
{
	for (size_t i = 0; i < authority.len; i++)
	{
		char c = authority.data[i];

		if (!is_alpha(c) && !is_digit(c) && strchr("-._:[]", c) == NULL)
			return false;
	}
	return authority.len > 0;
}

/* Read one part as libcurl sees it into a buffer.  false: it has none, or it does not fit. */
static bool
curl_part(CURLU *handle, CURLUPart part, unsigned int flags, char *out, size_t size)
{
	char *text = NULL;
	bool ok = curl_url_get(handle, part, &text, flags) == CURLUE_OK && strlen(text) < size;

	if (ok)
		strlcpy(out, text, size);
	curl_free(text);
	return ok;
}

/* Ask libcurl for host and effective port of a URL. */
static bool
curl_origin(const char *url, Origin *origin, CfdwError *err)
{
	CURLU *handle = curl_url();
	char port[16];
	bool ok;

	if (handle == NULL)
		return cfdw_fail(err, CFDW_ERR_MEMORY, "out of memory in libcurl");
	ok = curl_url_set(handle, CURLUPART_URL, url, 0) == CURLUE_OK &&
		 curl_part(handle, CURLUPART_HOST, 0, origin->host, sizeof(origin->host)) &&
		 curl_part(handle, CURLUPART_PORT, CURLU_DEFAULT_PORT, port, sizeof(port));
	curl_url_cleanup(handle);
	if (ok)
		origin->port = atoi(port);
	if (!ok || origin->port < 1 || origin->port > 65535)
		return cfdw_fail(err, CFDW_ERR_URL, "malformed URL: the host or the port is not valid");
	return true;
}

/* May this absolute URL be asked at all?  Fills its origin. */
static bool
check_absolute(const char *url, Origin *origin, CfdwError *err)
{
	Parts parts = split(url);
	CfdwSlice scheme = parts.scheme;

	for (const char *p = url; *p != '\0'; p++)
	{
		if ((unsigned char) *p <= ' ' || *p == 0x7F || *p == '\\')
			return cfdw_fail(err, CFDW_ERR_FORBIDDEN, "URL with a blank, a backslash or a control character");
	}
	origin->https = scheme.len == 5 && pg_strncasecmp(scheme.data, "https", 5) == 0;
	if (scheme.data == NULL)
		return cfdw_fail(err, CFDW_ERR_URL, "malformed URL: it does not start with http:// or https://");
	if (!origin->https && !(scheme.len == 4 && pg_strncasecmp(scheme.data, "http", 4) == 0))
		return cfdw_fail(err, CFDW_ERR_FORBIDDEN, "URL that is neither http nor https");
	if (parts.authority.len == 0)
		return cfdw_fail(err, CFDW_ERR_URL, "malformed URL: there is no host");
	if (memchr(parts.authority.data, '@', parts.authority.len) != NULL)
		return cfdw_fail(err, CFDW_ERR_FORBIDDEN, "URL with a user name or a password");
	if (!authority_is_plain(parts.authority))
		return cfdw_fail(err, CFDW_ERR_URL, "malformed URL: the host or the port is not valid");
	return curl_origin(url, origin, err);
}

/*
 * Add the URL to an error as DETAIL, without its query, which may hold a
 * secret under any name.  Always returns false.
 */
static bool
fail_with_url(CfdwArena *arena, const char *url, CfdwError *err)
{
	const char *masked = cfdw_url_mask(arena, url, NULL);
	size_t len = strcspn(masked, "?#");

	cfdw_detail(err, "The URL is \"%.*s%s\".", (int) Min(len, 900), masked, masked[len] == '?' ? "?..." : "");
	return false;
}

bool
cfdw_url_join(CfdwArena *arena, const char *base, const char *endpoint, char **out, CfdwError *err)
{
	Origin origin;
	size_t len = strlen(base);

	if (!check_absolute(base, &origin, err))
	{
		/* a setting is wrong, nobody is kept out */
		if (err->kind == CFDW_ERR_FORBIDDEN)
			err->kind = CFDW_ERR_URL;
		fail_with_url(arena, base, err);
		cfdw_hint(err, "Write base_url as \"https://host/path\"; secrets belong into the user mapping.");
		return false;
	}
	if (base[strcspn(base, "?#")] != '\0')
	{
		cfdw_fail(err, CFDW_ERR_URL, "base_url has a query or a fragment");
		fail_with_url(arena, base, err);
		cfdw_hint(err, "Query parameters of every request belong into the option \"params\".");
		return false;
	}
	if (endpoint[0] != '\0' && endpoint[0] != '/')
	{
		cfdw_fail(err, CFDW_ERR_OPTION, "endpoint does not start with a slash");
		cfdw_hint(err, "Write the path below base_url, such as \"/items\".");
		return false;
	}
	while (base[len - 1] == '/')
		len--;
	*out = cfdw_printf(arena, "%.*s%s", (int) len, base, endpoint);
	if (strchr(endpoint, '#') != NULL)
		cfdw_fail(err, CFDW_ERR_URL, "endpoint has a fragment");
	else if (check_absolute(*out, &origin, err))
		return true;
	err->kind = CFDW_ERR_URL;
	fail_with_url(arena, *out, err);
	cfdw_hint(err, "Write special characters percent-encoded: a blank is %%20, \"#\" is %%23.");
	return false;
}

char *
cfdw_url_add_query(CfdwArena *arena, const char *url, const char *query)
{
	Parts parts = split(url);
	size_t len = strcspn(url, "#");
	const char *joint = "?";

	if (query[0] == '\0')
		return cfdw_strdup(arena, url);
	if (parts.query.data != NULL)
		joint = url[len - 1] == '?' || url[len - 1] == '&' ? "" : "&";
	return cfdw_printf(arena, "%.*s%s%s%s", (int) len, url, joint, query, url + len);
}

/*
 * Step through the pairs of a query: takes the first off rest.  An empty
 * query has one empty pair; rest->data is NULL once all are taken.
 */
static CfdwSlice
next_pair(CfdwSlice *rest)
{
	const char *joint = memchr(rest->data, '&', rest->len);
	CfdwSlice pair = {rest->data, joint != NULL ? (size_t) (joint - rest->data) : rest->len};

	if (joint != NULL)
		*rest = (CfdwSlice){joint + 1, rest->len - pair.len - 1};
	else
		*rest = (CfdwSlice){NULL, 0};
	return pair;
}

/* Has the pair this (decoded) name? */
static bool
pair_is(CfdwSlice pair, const char *name)
{
	const char *equals = memchr(pair.data, '=', pair.len);
	const char *end = equals != NULL ? equals : pair.data + pair.len;
	const char *p = pair.data;

	while (p < end)
	{
		char c = decode_byte(&p, end);

		if (c == '\0' || c != *name++)
			return false;
	}
	return *name == '\0';
}

bool
cfdw_url_has_param(const char *url, const char *name)
{
	CfdwSlice rest = split(url).query;

	while (rest.data != NULL)
	{
		if (pair_is(next_pair(&rest), name))
			return true;
	}
	return false;
}

char *
cfdw_url_without_param(CfdwArena *arena, const char *url, const char *name)
{
	Parts parts = split(url);
	CfdwSlice rest = parts.query;
	char joint = '?';
	CfdwBuf out;

	if (rest.data == NULL)
		return cfdw_strdup(arena, url);
	cfdw_buf_init(&out, arena);
	cfdw_buf_add(&out, url, (size_t) (rest.data - 1 - url));
	while (rest.data != NULL)
	{
		CfdwSlice pair = next_pair(&rest);

		if (pair_is(pair, name))
			continue;
		cfdw_buf_putc(&out, joint);
		cfdw_buf_add(&out, pair.data, pair.len);
		joint = '&';
	}
	cfdw_buf_puts(&out, parts.query.data + parts.query.len);
	return out.data;
}

/* Take the last segment and its slash off a path that begins at start; the caller adds something then. */
static void
cut_segment(CfdwBuf *out, size_t start)
{
	while (out->len > start && out->data[out->len - 1] != '/')
		out->len--;
	if (out->len > start)
		out->len--;
}

/* Append an absolute path without its "." and ".." segments (RFC 3986 5.2.4). */
static void
add_path(CfdwBuf *out, const char *path, size_t len)
{
	size_t start = out->len;
	const char *end = path + len;

	while (path < end)
	{
		const char *slash = memchr(path + 1, '/', (size_t) (end - path - 1));
		const char *next = slash != NULL ? slash : end;
		size_t segment = (size_t) (next - path); /* with its slash */
		bool dot = segment == 2 && path[1] == '.';
		bool dots = segment == 3 && path[1] == '.' && path[2] == '.';

		if (dots)
			cut_segment(out, start);
		if (!dot && !dots)
			cfdw_buf_add(out, path, segment);
		else if (next == end)
			cfdw_buf_putc(out, '/');
		path = next;
	}
}

/* Append the base's path up to its last slash and then the reference's (RFC 3986 5.2.3). */
static void
add_merged_path(CfdwArena *arena, CfdwBuf *out, CfdwSlice base, CfdwSlice ref)
{
	CfdwBuf merged;

	while (base.len > 0 && base.data[base.len - 1] != '/')
		base.len--;
	cfdw_buf_init(&merged, arena);
	if (base.len == 0)
		cfdw_buf_putc(&merged, '/');
	cfdw_buf_add(&merged, base.data, base.len);
	cfdw_buf_add(&merged, ref.data, ref.len);
	add_path(out, merged.data, merged.len);
}

/* The target of a reference without a scheme (RFC 3986 5.2.2), without its fragment. */
static char *
relative_target(CfdwArena *arena, const Parts *base, const Parts *ref)
{
	CfdwSlice authority = ref->authority.data != NULL ? ref->authority : base->authority;
	CfdwSlice query = ref->query;
	CfdwBuf out;

	cfdw_buf_init(&out, arena);
	cfdw_buf_add(&out, base->scheme.data, base->scheme.len);
	cfdw_buf_puts(&out, "://");
	cfdw_buf_add(&out, authority.data, authority.len);
	if (ref->authority.data != NULL || (ref->path.len > 0 && ref->path.data[0] == '/'))
		add_path(&out, ref->path.data, ref->path.len);
	else if (ref->path.len > 0)
		add_merged_path(arena, &out, base->path, ref->path);
	else
	{
		cfdw_buf_add(&out, base->path.data, base->path.len);
		if (query.data == NULL)
			query = base->query;
	}
	if (query.data != NULL)
	{
		cfdw_buf_putc(&out, '?');
		cfdw_buf_add(&out, query.data, query.len);
	}
	return out.data;
}

bool
cfdw_url_resolve(CfdwArena *arena, const char *base, const char *ref, char **out, CfdwError *err)
{
	Parts base_parts = split(base);
	Parts ref_parts = split(ref);
	Origin origin;

	if (!check_absolute(base, &origin, err))
		return fail_with_url(arena, base, err);
	if (ref_parts.scheme.data != NULL)
		*out = cfdw_strndup(arena, ref, strcspn(ref, "#"));
	else
		*out = relative_target(arena, &base_parts, &ref_parts);
	if (!check_absolute(*out, &origin, err))
		return fail_with_url(arena, ref, err);
	return true;
}

bool
cfdw_url_same_origin(const char *a, const char *b)
{
	Origin origins[2] = {{false}};
	CfdwError ignored;

	return check_absolute(a, &origins[0], &ignored) &&
		   check_absolute(b, &origins[1], &ignored) &&
		   origins[0].https == origins[1].https &&
		   origins[0].port == origins[1].port &&
		   pg_strcasecmp(origins[0].host, origins[1].host) == 0;
}

bool
cfdw_url_host(const char *url, char *host, size_t size)
{
	Origin origin;
	CfdwError ignored;

	return check_absolute(url, &origin, &ignored) && strlcpy(host, origin.host, size) < size;
}

/* A name decoded, in lower case and without punctuation: "X-Api%5FKey" and "apiKey" are compared by their letters. */
static char *
plain_name(CfdwArena *arena, const char *name, size_t len)
{
	char *plain = cfdw_alloc(arena, len + 1);
	size_t used = 0;

	for (const char *p = name; p < name + len;)
	{
		char c = decode_byte(&p, name + len);

		if (is_alpha(c) || is_digit(c) || (unsigned char) c >= 0x80)
			plain[used++] = (char) pg_ascii_tolower((unsigned char) c);
	}
	return plain;
}

/*
 * Does a plain name look like a secret's?  Page, sync and continuation
 * tokens are none, and one wants to see them; so "token" and "key" are whole
 * names, and their compounds are listed.
 */
static bool
looks_secret(const char *plain)
{
	static const char *const names[] = {"token", "key", "sig", "pwd", "pass", "passphrase", "auth", "authorization", "jwt", "bearer", "session"};
	static const char *const endings[] = {
		"secret", "password", "passwd", "signature", "credential", "credentials", "assertion",
		"apikey", "appkey", "accesskey", "accesskeyid", "authkey", "privatekey", "secretkey", "subscriptionkey", "hapikey",
		"accesstoken", "apitoken", "authtoken", "bearertoken", "idtoken", "oauthtoken", "privatetoken", "refreshtoken",
		"securitytoken", "sessiontoken", "usertoken"};

	for (size_t i = 0; i < lengthof(names); i++)
	{
		if (strcmp(plain, names[i]) == 0)
			return true;
	}
	for (size_t i = 0; i < lengthof(endings); i++)
	{
		size_t len = strlen(endings[i]);
		size_t plain_len = strlen(plain);

		if (plain_len >= len && strcmp(plain + plain_len - len, endings[i]) == 0)
			return true;
	}
	return false;
}

/* Append text for a message: what is not printable ASCII is percent-encoded, so that no line can be forged. */
static void
add_printable(CfdwBuf *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
	{
		if (text[i] >= ' ' && text[i] < 0x7F)
			cfdw_buf_putc(out, text[i]);
		else
			encode_byte(out, (unsigned char) text[i]);
	}
}

/*
 * Append the start of a URL up to its query.  What stands before the last
 * "@" may be a password, however it was misspelt, and is masked, except in
 * a path behind a plain host ("/users/@me").
 */
static void
add_masked_head(CfdwBuf *out, const char *url)
{
	Parts parts = split(url);
	CfdwSlice authority = parts.authority;
	bool plain = authority.data != NULL ? authority_is_plain(authority) && memchr(authority.data, ':', authority.len) == NULL :
										  parts.scheme.data == NULL && parts.path.data[0] == '/';
	const char *start = authority.data != NULL ? authority.data : parts.path.data;
	const char *end = url + strcspn(url, "?#");
	const char *shown = start;

	for (const char *p = start; p < end && !plain; p++)
	{
		if (*p == '@')
			shown = p;
	}
	add_printable(out, url, (size_t) (start - url));
	if (shown != start)
		cfdw_buf_puts(out, "***");
	add_printable(out, shown, (size_t) (end - shown));
}

/* Append the pair at text, its value masked if its name says so.  Returns the place behind it. */
static const char *
add_masked_pair(CfdwBuf *out, const char *text, const char *secret)
{
	size_t len = strcspn(text, "?#&;");
	const char *equals = memchr(text, '=', len);
	size_t name_len = equals != NULL ? (size_t) (equals - text) : len;
	const char *name = plain_name(out->arena, text, name_len);

	if (equals == NULL || !(looks_secret(name) || (secret != NULL && strcmp(name, secret) == 0)))
	{
		add_printable(out, text, len);
		return text + len;
	}
	/* inside a secret only "&" can be an end */
	add_printable(out, text, name_len);
	cfdw_buf_puts(out, "=***");
	return text + strcspn(text, "&");
}

char *
cfdw_url_mask(CfdwArena *arena, const char *url, const char *secret_param)
{
	const char *secret = secret_param != NULL ? plain_name(arena, secret_param, strlen(secret_param)) : NULL;
	const char *p = url + strcspn(url, "?#");
	CfdwBuf out;

	cfdw_buf_init(&out, arena);
	add_masked_head(&out, url);
	/* a fragment is masked too; ";" and a second "?" begin a pair for some servers */
	while (*p != '\0')
	{
		cfdw_buf_putc(&out, *p);
		p = add_masked_pair(&out, p + 1, secret);
	}
	return out.data;
}

/*
 * origin.c
 *	  Where a URL that comes from outside may lead.
 */
#include "origin.h"

#include "url.h"

/* Scheme, host and port: all up to the path (userinfo has been refused before). */
static size_t
origin_length(const char *url)
{
	const char *host = strstr(url, "://");

	host = host != NULL ? host + 3 : url;
	return (size_t) (host - url) + strcspn(host, "/?#");
}

/* The next element of a list, without blanks around it; false: no more.  Moves *list. */
static bool
next_origin(const char **list, CfdwSlice *origin)
{
	const char *start = *list;
	size_t len;

	if (start == NULL)
		return false;
	start += strspn(start, " ");
	len = strcspn(start, ",");
	*list = start[len] == ',' ? start + len + 1 : NULL;
	while (len > 0 && start[len - 1] == ' ')
		len--;
	*origin = (CfdwSlice){start, len};
	return true;
}

static bool
is_word(const char *rule)
{
	return rule == NULL || strcmp(rule, "same") == 0 || strcmp(rule, "rewrite") == 0;
}

bool
cfdw_origin_is_rule(CfdwArena *arena, const char *rule)
{
	CfdwSlice origin;
	CfdwError ignored;
	char *joined;

	if (is_word(rule))
		return true;
	while (next_origin(&rule, &origin))
	{
		char *text = cfdw_strndup(arena, origin.data, origin.len);

		if (!cfdw_url_join(arena, text, "", &joined, &ignored) || origin_length(text) != origin.len)
			return false;
	}
	return true;
}

bool
cfdw_origin_has_plain(const char *rule)
{
	CfdwSlice origin;

	if (is_word(rule))
		return false;
	while (next_origin(&rule, &origin))
		if (pg_strncasecmp(origin.data, "https:", 6) != 0)
			return true;
	return false;
}

static bool
is_listed(CfdwArena *arena, const char *rule, const char *url)
{
	CfdwSlice origin;

	if (is_word(rule))
		return false;
	while (next_origin(&rule, &origin))
		if (cfdw_url_same_origin(cfdw_strndup(arena, origin.data, origin.len), url))
			return true;
	return false;
}

bool
cfdw_origin_resolve(CfdwArena *arena, const char *base_url, const char *rule, const char *asked, const char *ref,
					const char *what, char **out, CfdwError *err)
{
	char *url;

	if (!cfdw_url_resolve(arena, asked, ref, &url, err))
		return false;
	if (cfdw_url_same_origin(base_url, url) || is_listed(arena, rule, url))
		*out = url;
	else if (rule != NULL && strcmp(rule, "rewrite") == 0)
		*out = cfdw_printf(arena, "%.*s%s", (int) origin_length(base_url), base_url, url + origin_length(url));
	else
	{
		cfdw_fail(err, CFDW_ERR_FORBIDDEN, "%s is at another origin", what);
		cfdw_detail(err, "The API is asked at %.*s, but %s is at %.*s.", (int) origin_length(base_url), base_url, what, (int) origin_length(url), url);
		cfdw_hint(err, "Credentials never follow a link to another origin. If the API lives there, set base_url to it; the server's option next_url_origin allows other origins, or asks every link at base_url's.");
		return false;
	}
	return true;
}

/*
 * template.c
 *	  Filling placeholders.
 */
#include "template.h"
#include "url.h"

typedef struct Placeholder
{
	const CfdwVariable *variable;
	bool keep_slash; /* {+name} */
	size_t len;      /* with its braces */
} Placeholder;

/* How the parts of a template go to the output. */
typedef enum Target
{
	TARGET_PLAIN,
	TARGET_PATH,
	TARGET_QUERY, /* values are encoded, the template's text is not */
	TARGET_PARAMS /* both are encoded */
} Target;

/* Do the len bytes at text start with {name} or {+name}?  Its length, or 0. */
static size_t
match_name(const char *text, size_t len, const char *name)
{
	size_t name_len = strlen(name);
	size_t start = len > 1 && text[1] == '+' ? 2 : 1;

	if (len < start + name_len + 1 || text[0] != '{' ||
		memcmp(text + start, name, name_len) != 0 || text[start + name_len] != '}')
		return 0;
	return start + name_len + 1;
}

/* The placeholder that the len bytes at text start with; variable NULL: none. */
static Placeholder
placeholder_at(const char *text, size_t len, const CfdwVariables *vars)
{
	Placeholder found = {NULL, false, 0};

	for (int i = 0; i < vars->count; i++)
	{
		size_t matched = match_name(text, len, vars->items[i].name);

		if (matched > 0)
		{
			found.variable = &vars->items[i];
			found.keep_slash = text[1] == '+';
			found.len = matched;
			break;
		}
	}
	return found;
}

/* The variable whose placeholder is the whole text, or NULL. */
static const CfdwVariable *
sole_placeholder(const char *text, size_t len, const CfdwVariables *vars)
{
	Placeholder found = placeholder_at(text, len, vars);

	return found.len == len ? found.variable : NULL;
}

bool
cfdw_template_uses(const char *tmpl, const char *name)
{
	for (const char *p = strchr(tmpl, '{'); p != NULL; p = strchr(p + 1, '{'))
	{
		if (match_name(p, strlen(p), name) > 0)
			return true;
	}
	return false;
}

const CfdwVariable *
cfdw_template_sole(const char *tmpl, const CfdwVariables *vars)
{
	return sole_placeholder(tmpl, strlen(tmpl), vars);
}

/* Is the segment "." or "..", also with dots that are percent-encoded already (servers may decode twice)? */
static bool
is_dot_segment(const char *segment, size_t len)
{
	int dots = 0;

	for (size_t i = 0; i < len; dots++)
	{
		if (segment[i] == '.')
			i++;
		else if (len - i >= 3 && pg_strncasecmp(segment + i, "%2e", 3) == 0)
			i += 3;
		else
			return false;
	}
	return dots == 1 || dots == 2;
}

static bool
has_dot_segment(const char *value, bool keep_slash)
{
	if (!keep_slash)
		return is_dot_segment(value, strlen(value));
	for (;;)
	{
		size_t len = strcspn(value, "/");

		if (is_dot_segment(value, len))
			return true;
		if (value[len] == '\0')
			return false;
		value += len + 1;
	}
}

static bool
fail_missing(const CfdwVariable *variable, CfdwError *err)
{
	cfdw_fail(err, CFDW_ERR_OPTION, "placeholder {%s} has no value", variable->name);
	cfdw_detail(err, "It stands inside a longer text, so it cannot be left out.");
	if (strcmp(variable->name, "since") == 0 || strcmp(variable->name, "until") == 0)
		cfdw_hint(err, "Set the option \"timestamp_initial\", so that the first request has a value too.");
	return false;
}

/* Append a value to the output, or refuse it. */
static bool
add_value(CfdwBuf *out, const Placeholder *found, Target target, CfdwError *err)
{
	const char *name = found->variable->name;
	const char *value = found->variable->text;

	if (target == TARGET_PLAIN)
	{
		if (strpbrk(value, "\r\n") != NULL)
		{
			cfdw_fail(err, CFDW_ERR_OPTION, "the value of placeholder {%s} has a line break", name);
			cfdw_detail(err, "A line break would add a line to the request.");
			return false;
		}
		cfdw_buf_puts(out, value);
		return true;
	}
	if (target == TARGET_PATH && has_dot_segment(value, found->keep_slash))
	{
		cfdw_fail(err, CFDW_ERR_OPTION, "the value of placeholder {%s} has a \".\" or \"..\" segment", name);
		cfdw_detail(err, "The request would go to another path than the option \"endpoint\" says.");
		return false;
	}
	cfdw_url_encode(out, value, strlen(value), target == TARGET_PATH && found->keep_slash);
	return true;
}

/* Append the len bytes at text with their placeholders filled. */
static bool
expand(CfdwBuf *out, const char *text, size_t len, Target target, const CfdwVariables *vars, CfdwError *err)
{
	size_t i = 0;

	while (i < len)
	{
		const char *brace = memchr(text + i, '{', len - i);
		size_t literal = brace != NULL ? (size_t) (brace - (text + i)) : len - i;
		Placeholder found = {NULL, false, 0};

		if (brace != NULL)
		{
			found = placeholder_at(brace, len - i - literal, vars);
			/* a brace that starts no placeholder is text */
			literal += found.variable == NULL ? 1 : 0;
		}
		if (target == TARGET_PARAMS)
			cfdw_url_encode(out, text + i, literal, false);
		else
			cfdw_buf_add(out, text + i, literal);
		i += literal;
		if (found.variable == NULL)
			continue;
		if (found.variable->text == NULL)
			return fail_missing(found.variable, err);
		if (!add_value(out, &found, target, err))
			return false;
		i += found.len;
	}
	return true;
}

bool
cfdw_template_fill(CfdwBuf *out, const char *tmpl, CfdwEncoding encoding, const CfdwVariables *vars, CfdwError *err)
{
	static const Target targets[] = {
		[CFDW_PLAIN] = TARGET_PLAIN,
		[CFDW_PATH] = TARGET_PATH,
		[CFDW_QUERY] = TARGET_QUERY,
	};

	return expand(out, tmpl, strlen(tmpl), targets[encoding], vars, err);
}

bool
cfdw_template_query(CfdwBuf *out, const char *params, const CfdwVariables *vars, CfdwError *err)
{
	bool first = true;

	while (*params != '\0')
	{
		size_t len = strcspn(params, "&");
		const char *equals = memchr(params, '=', len);
		size_t name_len = equals != NULL ? (size_t) (equals - params) : len;
		const char *value = equals != NULL ? equals + 1 : params + len;
		size_t value_len = len - (size_t) (value - params);
		const CfdwVariable *sole = sole_placeholder(value, value_len, vars);

		if (len > 0 && (sole == NULL || sole->text != NULL))
		{
			if (!first)
				cfdw_buf_putc(out, '&');
			first = false;
			if (!expand(out, params, name_len, TARGET_PARAMS, vars, err))
				return false;
			if (equals != NULL)
				cfdw_buf_putc(out, '=');
			if (!expand(out, value, value_len, TARGET_PARAMS, vars, err))
				return false;
		}
		params += len;
		if (*params == '&')
			params++;
	}
	return true;
}

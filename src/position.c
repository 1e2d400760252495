/*
 * position.c
 *	  A position to JSON and back.
 */
#include "position.h"

static CfdwJson *
member(CfdwJson *object, const char *name)
{
	return cfdw_json_kind(object) == CFDW_JSON_OBJECT ? cfdw_json_member(object, name) : NULL;
}

static bool
parse_step(CfdwArena *arena, CfdwJson *object, CfdwStep *step, bool *present, CfdwError *err)
{
	CfdwJson *value;

	*present = (object != NULL);
	if (!*present)
		return true;
	if ((value = member(object, "cursor")) != NULL)
	{
		step->kind = CFDW_STEP_CURSOR;
		step->text = cfdw_json_dump(arena, value);
	}
	else if (cfdw_json_kind(value = member(object, "url")) == CFDW_JSON_STRING)
	{
		step->kind = CFDW_STEP_URL;
		step->text = cfdw_json_text(arena, value);
	}
	else if (cfdw_json_int(member(object, "number"), &step->number))
		step->kind = CFDW_STEP_NUMBER;
	else if (member(object, "first") != NULL)
		step->kind = CFDW_STEP_FIRST;
	else
		return cfdw_fail(err, CFDW_ERR_POSITION, "stored position names no page");
	return true;
}

/* A count that must not be negative; missing is 0. */
static bool
parse_count(CfdwJson *object, const char *name, int64 *out, CfdwError *err)
{
	CfdwJson *value = member(object, name);

	*out = 0;
	if (value == NULL || (cfdw_json_int(value, out) && *out >= 0))
		return true;
	return cfdw_fail(err, CFDW_ERR_POSITION, "\"%s\" of the stored position is not a count", name);
}

static bool
parse_loop(CfdwArena *arena, CfdwJson *object, CfdwLoop *loop, CfdwError *err)
{
	char *digest = cfdw_json_text(arena, member(object, "digest"));

	memset(loop, 0, sizeof(*loop));
	if (object == NULL)
		return true;
	if (digest == NULL || sscanf(digest, "%16" INT64_MODIFIER "x%16" INT64_MODIFIER "x", &loop->digest[0], &loop->digest[1]) != 2)
		return cfdw_fail(err, CFDW_ERR_POSITION, "\"loop\" of the stored position has no digest");
	return parse_count(object, "power", &loop->power, err) &&
		   parse_count(object, "length", &loop->length, err);
}

static bool
parse_stamp(CfdwArena *arena, CfdwJson *object, CfdwStamp *stamp, CfdwError *err)
{
	memset(stamp, 0, sizeof(*stamp));
	if (object == NULL)
		return true;
	stamp->exists = true;
	stamp->text = cfdw_json_text(arena, member(object, "text"));
	if (!cfdw_json_int(member(object, "value"), &stamp->tick))
		return cfdw_fail(err, CFDW_ERR_POSITION, "a timestamp of the stored position has no value");
	return true;
}

static const char *
parse_token(CfdwArena *arena, CfdwJson *value)
{
	return value ? cfdw_json_dump(arena, value) : NULL;
}

bool
cfdw_position_parse(CfdwArena *arena, const char *text, CfdwPosition *out, CfdwError *err)
{
	CfdwJson *root;

	memset(out, 0, sizeof(*out));
	if (text == NULL)
		return true;
	if (!cfdw_json_parse(arena, text, strlen(text), &root, err) ||
		cfdw_json_kind(root) != CFDW_JSON_OBJECT)
	{
		cfdw_fail(err, CFDW_ERR_POSITION, "stored position is not a JSON object");
		return false;
	}
	out->sync_token = parse_token(arena, member(root, "sync_token"));
	out->next_sync_token = parse_token(arena, member(root, "next_sync_token"));
	return parse_step(arena, member(root, "page"), &out->page, &out->has_page, err) &&
		   parse_step(arena, member(root, "next"), &out->next, &out->has_next, err) &&
		   parse_count(root, "pages", &out->pages, err) &&
		   parse_count(root, "length", &out->length, err) &&
		   parse_count(root, "full", &out->full, err) &&
		   parse_count(root, "started", &out->started, err) &&
		   parse_stamp(arena, member(root, "since"), &out->since, err) &&
		   parse_stamp(arena, member(root, "high"), &out->high, err) &&
		   parse_stamp(arena, member(root, "until"), &out->until, err) &&
		   parse_stamp(arena, member(root, "known_before"), &out->known_before, err) &&
		   parse_loop(arena, member(root, "loop"), &out->loop, err);
}

static void
dump_step(CfdwBuf *out, const char *name, const CfdwStep *step)
{
	cfdw_buf_puts(out, out->len > 1 ? ", \"" : "\"");
	cfdw_buf_puts(out, name);
	switch (step->kind)
	{
		case CFDW_STEP_FIRST:
			cfdw_buf_puts(out, "\": {\"first\": true}");
			break;
		case CFDW_STEP_CURSOR:
			cfdw_buf_puts(out, "\": {\"cursor\": ");
			cfdw_buf_puts(out, step->text);
			cfdw_buf_putc(out, '}');
			break;
		case CFDW_STEP_URL:
			cfdw_buf_puts(out, "\": {\"url\": ");
			cfdw_buf_puts(out, cfdw_json_quote(out->arena, step->text));
			cfdw_buf_putc(out, '}');
			break;
		case CFDW_STEP_NUMBER:
			cfdw_buf_puts(out, cfdw_printf(out->arena, "\": {\"number\": " INT64_FORMAT "}", step->number));
			break;
	}
}

static void
dump_count(CfdwBuf *out, const char *name, int64 value)
{
	if (value > 0)
		cfdw_buf_puts(out, cfdw_printf(out->arena, "%s\"%s\": " INT64_FORMAT, out->len > 1 ? ", " : "", name, value));
}

static void
dump_stamp(CfdwBuf *out, const char *name, const CfdwStamp *stamp)
{
	const char *comma = out->len > 1 ? ", " : "";

	if (stamp->exists && stamp->text != NULL)
		cfdw_buf_puts(out, cfdw_printf(out->arena, "%s\"%s\": {\"text\": %s, \"value\": " INT64_FORMAT "}", comma, name,
									   cfdw_json_quote(out->arena, stamp->text), stamp->tick));
	else if (stamp->exists)
		cfdw_buf_puts(out, cfdw_printf(out->arena, "%s\"%s\": {\"value\": " INT64_FORMAT "}", comma, name, stamp->tick));
}

static void
dump_token(CfdwBuf *out, const char *name, const char *json)
{
	if (json != NULL)
		cfdw_buf_puts(out, cfdw_printf(out->arena, "%s\"%s\": %s", out->len > 1 ? ", " : "", name, json));
}

char *
cfdw_position_dump(CfdwArena *arena, const CfdwPosition *position)
{
	const CfdwLoop *loop = &position->loop;
	CfdwBuf out;

	cfdw_buf_init(&out, arena);
	cfdw_buf_putc(&out, '{');
	if (position->has_page)
		dump_step(&out, "page", &position->page);
	if (position->has_next)
		dump_step(&out, "next", &position->next);
	dump_count(&out, "pages", position->pages);
	dump_count(&out, "length", position->length);
	dump_count(&out, "full", position->full);
	dump_stamp(&out, "since", &position->since);
	dump_stamp(&out, "high", &position->high);
	dump_stamp(&out, "until", &position->until);
	dump_stamp(&out, "known_before", &position->known_before);
	dump_count(&out, "started", position->started);
	dump_token(&out, "sync_token", position->sync_token);
	dump_token(&out, "next_sync_token", position->next_sync_token);
	if (loop->power > 0)
		cfdw_buf_puts(&out, cfdw_printf(arena, "%s\"loop\": {\"digest\": \"%016" INT64_MODIFIER "x%016" INT64_MODIFIER "x\", \"power\": " INT64_FORMAT ", \"length\": " INT64_FORMAT "}",
										out.len > 1 ? ", " : "", loop->digest[0], loop->digest[1], loop->power, loop->length));
	cfdw_buf_putc(&out, '}');
	return out.data;
}

CfdwPosition
cfdw_position_copy(CfdwArena *arena, const CfdwPosition *position)
{
	CfdwPosition copy = *position;

	copy.page = cfdw_step_copy(arena, &position->page);
	copy.next = cfdw_step_copy(arena, &position->next);
	copy.since = cfdw_stamp_copy(arena, &position->since);
	copy.high = cfdw_stamp_copy(arena, &position->high);
	copy.until = cfdw_stamp_copy(arena, &position->until);
	copy.known_before = cfdw_stamp_copy(arena, &position->known_before);
	if (position->sync_token != NULL)
		copy.sync_token = cfdw_strdup(arena, position->sync_token);
	if (position->next_sync_token != NULL)
		copy.next_sync_token = cfdw_strdup(arena, position->next_sync_token);
	return copy;
}

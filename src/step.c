/*
 * step.c
 *	  Copying and comparing steps and questions.
 */
#include "step.h"

#include "json.h"

CfdwStep
cfdw_step_copy(CfdwArena *arena, const CfdwStep *step)
{
	CfdwStep copy = *step;

	if (step->text != NULL)
		copy.text = cfdw_strdup(arena, step->text);
	return copy;
}

bool
cfdw_step_equal(const CfdwStep *a, const CfdwStep *b)
{
	if (a->kind != b->kind)
		return false;
	switch (a->kind)
	{
		case CFDW_STEP_FIRST:
			return true;
		case CFDW_STEP_NUMBER:
			return a->number == b->number;
		case CFDW_STEP_CURSOR:
		case CFDW_STEP_URL:
			break;
	}
	return strcmp(a->text, b->text) == 0;
}

static bool
equal_text(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static const char *
copy_text(CfdwArena *arena, const char *text)
{
	return text ? cfdw_strdup(arena, text) : NULL;
}

CfdwQuestion
cfdw_question_copy(CfdwArena *arena, const CfdwQuestion *question)
{
	CfdwQuestion copy = *question;

	copy.since = copy_text(arena, question->since);
	copy.until = copy_text(arena, question->until);
	copy.sync_token = copy_text(arena, question->sync_token);
	return copy;
}

bool
cfdw_question_equal(const CfdwQuestion *a, const CfdwQuestion *b)
{
	return equal_text(a->since, b->since) && equal_text(a->until, b->until) && equal_text(a->sync_token, b->sync_token);
}

bool
cfdw_step_cursor_text(CfdwArena *arena, const char *json, char **out, CfdwError *err)
{
	CfdwJson *value;

	/* a number may be longer than json-c can hold, and its JSON text is its text */
	if (*json == '-' || (*json >= '0' && *json <= '9'))
	{
		*out = cfdw_strdup(arena, json);
		return true;
	}
	if (!cfdw_json_parse(arena, json, strlen(json), &value, err))
		return false;
	*out = cfdw_json_text(arena, value);
	return true;
}

/*
 * error.c
 *	  Filling an error value.
 */
#include "error.h"

/* Format into a fixed field; what does not fit is cut before a UTF-8 character. */
static void
format_field(char *field, size_t size, const char *fmt, va_list args)
{
	int len = vsnprintf(field, size, fmt, args);

	if (len < 0)
		field[0] = '\0';
	else if ((size_t) len >= size)
	{
		size_t end = size - 1;

		/* a character starts at the last byte that is no continuation (10xxxxxx) */
		while (end > 0 && ((unsigned char) field[end - 1] & 0xC0) == 0x80)
			end--;
		if (end > 0 && (unsigned char) field[end - 1] >= 0xC0)
			end--;
		field[end] = '\0';
	}
}

bool
cfdw_fail(CfdwError *err, CfdwErrorKind kind, const char *fmt, ...)
{
	va_list args;

	err->kind = kind;
	err->status = 0;
	err->detail[0] = '\0';
	err->hint[0] = '\0';
	va_start(args, fmt);
	format_field(err->message, sizeof(err->message), fmt, args);
	va_end(args);
	return false;
}

void
cfdw_detail(CfdwError *err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	format_field(err->detail, sizeof(err->detail), fmt, args);
	va_end(args);
}

void
cfdw_hint(CfdwError *err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	format_field(err->hint, sizeof(err->hint), fmt, args);
	va_end(args);
}

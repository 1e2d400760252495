/*
 * base_test.c
 *	  Arenas, buffers and error values.
 */
#include "base.h"
#include "error.h"
#include "unit.h"

static char trace[16];

static void
note(void *arg)
{
	strcat(trace, arg);
}

static void
test_arena_lifetimes(void)
{
	CfdwArena *root = cfdw_arena_new(NULL, "root");
	CfdwArena *first = cfdw_arena_new(root, "first");
	CfdwArena *second = cfdw_arena_new(root, "second");

	trace[0] = '\0';
	cfdw_arena_on_reset(root, note, "r");
	cfdw_arena_on_reset(first, note, "1");
	cfdw_arena_on_reset(first, note, "2");
	cfdw_arena_on_reset(second, note, "s");
	CHECK_STR(cfdw_strdup(first, "text"), "text");

	cfdw_arena_reset(first);
	CHECK_STR(trace, "21");
	cfdw_arena_reset(first);
	CHECK_STR(trace, "21");
	cfdw_arena_free(first);
	CHECK_STR(trace, "21");
	cfdw_arena_free(root);
	CHECK_STR(trace, "21sr");
}

static void
test_memory_is_zeroed_and_aligned(void)
{
	CfdwArena *root = cfdw_arena_new(NULL, "root");
	bool zero = true;

	for (size_t size = 0; size < 64; size++)
	{
		char *memory = cfdw_alloc(root, size);

		for (size_t i = 0; i < size; i++)
			zero = zero && memory[i] == '\0';
		CHECK(((uintptr_t) memory) % sizeof(int64) == 0);
	}
	CHECK(zero);
	cfdw_arena_free(root);
}

static void
test_strings(void)
{
	CfdwArena *root = cfdw_arena_new(NULL, "root");
	char long_text[1000];

	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	CHECK_STR(cfdw_strndup(root, "abcdef", 3), "abc");
	CHECK_STR(cfdw_strndup(root, "abcdef", 0), "");
	CHECK_STR(cfdw_strdup(root, ""), "");
	CHECK_STR(cfdw_printf(root, "%s-%d", "page", 7), "page-7");
	CHECK_STR(cfdw_printf(root, "%s", long_text), long_text);
	cfdw_arena_free(root);
}

static void
test_buffer_grows(void)
{
	CfdwArena *root = cfdw_arena_new(NULL, "root");
	CfdwBuf buf;

	cfdw_buf_init(&buf, root);
	CHECK_STR(buf.data, "");
	cfdw_buf_puts(&buf, "head");
	cfdw_buf_add(&buf, "\0x", 2);
	CHECK_INT(buf.len, 6);
	CHECK(memcmp(buf.data, "head\0x", 7) == 0);
	for (int i = 0; i < 1000; i++)
		cfdw_buf_putc(&buf, 'y');
	CHECK_INT(buf.len, 1006);
	CHECK_INT(strlen(buf.data + 5), 1001);
	cfdw_arena_free(root);
}

static void
test_error_values(void)
{
	CfdwError err;
	char text[2000];

	CHECK(!cfdw_fail(&err, CFDW_ERR_URL, "no %s", "host"));
	CHECK_INT(err.kind, CFDW_ERR_URL);
	CHECK_STR(err.message, "no host");
	cfdw_detail(&err, "It is %d.", 3);
	cfdw_hint(&err, "Write %s.", "one");
	err.status = 404;
	CHECK_STR(err.detail, "It is 3.");
	CHECK_STR(err.hint, "Write one.");

	cfdw_fail(&err, CFDW_ERR_JSON, "again");
	CHECK_STR(err.detail, "");
	CHECK_STR(err.hint, "");
	CHECK_INT(err.status, 0);

	/* a message that does not fit is cut, never inside a character */
	for (size_t shift = 0; shift < 4; shift++)
	{
		size_t len = shift;
		const unsigned char *last;

		memset(text, 'a', shift);
		for (; len + 3 < sizeof(text); len += 3)
			memcpy(text + len, "\xE2\x82\xAC", 3);
		text[len] = '\0';
		cfdw_fail(&err, CFDW_ERR_URL, "%s", text);
		len = strlen(err.message);
		CHECK(len < sizeof(err.message) && len > sizeof(err.message) - 5);
		CHECK(strncmp(err.message, text, len) == 0);
		last = (const unsigned char *) err.message + len - 1;
		CHECK((len - shift) % 3 == 0 && *last == 0xAC);
	}
}

int
main(void)
{
	test_arena_lifetimes();
	test_memory_is_zeroed_and_aligned();
	test_strings();
	test_buffer_grows();
	test_error_values();
	return unit_done("base");
}

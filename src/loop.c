/*
 * loop.c
 *	  The loop guard.
 */
#include "loop.h"

#include "common/hashfn.h"

static void
hash_128(const char *data, size_t len, uint64 seed, uint64 out[2])
{
	out[0] = hash_bytes_extended((const unsigned char *) data, (int) len, seed);
	out[1] = hash_bytes_extended((const unsigned char *) data, (int) len, ~seed);
}

static bool
is_remembered(CfdwLoop *loop, const uint64 digest[2])
{
	if (loop->power > 0 && memcmp(loop->digest, digest, sizeof(loop->digest)) == 0)
		return true;
	if (loop->power == 0 || ++loop->length >= loop->power)
	{
		memcpy(loop->digest, digest, sizeof(loop->digest));
		loop->power = Max(loop->power * 2, 1);
		loop->length = 0;
	}
	return false;
}

bool
cfdw_loop_repeats(CfdwLoop *loop, CfdwLastPage *last, const CfdwStep *step, CfdwSlice body, bool computed)
{
	CfdwLastPage now = {true, {0, 0}, {0, 0}};
	bool repeats;

	hash_128(body.data, body.len, 0, now.body);
	hash_128(step->text ? step->text : "", step->text ? strlen(step->text) : 0,
			 now.body[0] ^ hash_combine64(step->kind, step->number), now.digest);
	repeats = last->exists &&
			  (memcmp(now.digest, last->digest, sizeof(now.digest)) == 0 ||
			   (computed && memcmp(now.body, last->body, sizeof(now.body)) == 0));
	*last = now;
	return is_remembered(loop, now.digest) || repeats;
}

/*
 * loop.c
 *	  The loop guard.
 */
#include "loop.h"

#include "common/hashfn.h"

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
cfdw_loop_repeats(CfdwLoop *loop, CfdwLastPage *last, uint64 request, CfdwSlice body, int may_repeat)
{
	CfdwLastPage now = {true, {0, 0}, 0};
	bool same_request;

	/* one pass over the body: more would be felt in a load */
	now.digest[0] = hash_bytes_extended((const unsigned char *) body.data, (int) body.len, 0);
	now.digest[1] = hash_combine64(request, body.len);
	same_request = last->exists && now.digest[1] == last->digest[1];
	if (last->exists && now.digest[0] == last->digest[0])
		now.same = last->same + 1;
	*last = now;
	return is_remembered(loop, now.digest) || (now.same > 0 && same_request) || now.same > may_repeat;
}

/*
 * Preloaded into a server: the look-up of slow.test takes ten seconds, as
 * with a name server that does not answer.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <string.h>
#include <unistd.h>

int
getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **res)
{
	int			(*real) (const char *, const char *, const struct addrinfo *, struct addrinfo **);

	if (node != NULL && strcmp(node, "slow.test") == 0)
	{
		sleep(10);
		return EAI_AGAIN;
	}
	real = dlsym(RTLD_NEXT, "getaddrinfo");
	return real(node, service, hints, res);
}

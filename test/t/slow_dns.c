/*
 * Preloaded into a server: the look-up of slow.test takes ten seconds, as
 * with a name server that does not answer; metadata.test is a link-local
 * address, as a name of somebody else's may be, at which nobody listens.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <string.h>
#include <unistd.h>

#define LINK_LOCAL "169.254.77.77"

int
connect(int fd, const struct sockaddr *address, socklen_t len)
{
	int			(*real) (int, const struct sockaddr *, socklen_t) = dlsym(RTLD_NEXT, "connect");

	if (address->sa_family == AF_INET && ((const struct sockaddr_in *) address)->sin_addr.s_addr == inet_addr(LINK_LOCAL))
	{
		errno = ECONNREFUSED;
		return -1;
	}
	return real(fd, address, len);
}

int
getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **res)
{
	int			(*real) (const char *, const char *, const struct addrinfo *, struct addrinfo **);

	if (node != NULL && strcmp(node, "slow.test") == 0)
	{
		sleep(10);
		return EAI_AGAIN;
	}
	if (node != NULL && strcmp(node, "metadata.test") == 0)
		node = LINK_LOCAL;
	real = dlsym(RTLD_NEXT, "getaddrinfo");
	return real(node, service, hints, res);
}

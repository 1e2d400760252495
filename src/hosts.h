/*
 * hosts.h
 *	  To whom the database server may talk: names of hosts, and addresses.
 *
 * Whoever may create a foreign server makes this machine connect; so an
 * administrator can limit the hosts (checkpoint_fdw.allowed_hosts), and the
 * addresses at which clouds hand out credentials to every process of a
 * machine are refused unless they are listed.  An address is judged when the
 * connection is made, so a name that resolves to it does not help.
 */
#ifndef CFDW_HOSTS_H
#define CFDW_HOSTS_H

#include "error.h"

struct sockaddr;

/*
 * A list has patterns with commas between them: a name, "*.example.com" (all
 * names below it), an address, or "*" (all); NULL or "" is "*".
 */
extern bool cfdw_hosts_is_list(const char *list);

/* May a URL have this host (a name, or an address, IPv6 in brackets or not)?  CFDW_ERR_FORBIDDEN. */
extern bool cfdw_hosts_check(const char *list, const char *host, CfdwError *err);

/* Is this one of the refused addresses?  text (of at least 46 bytes) is the address for messages. */
extern bool cfdw_hosts_refuse(const char *list, const struct sockaddr *address, char *text, size_t size);

/* The error for such an address: CFDW_ERR_FORBIDDEN. */
extern bool cfdw_hosts_fail(const char *address, CfdwError *err);

#endif /* CFDW_HOSTS_H */

#!/bin/sh
# symbols.sh LIBRARY: fail if the shared library exports a name without our
# prefix: it is loaded into a server with others.
set -eu
if [ ! -f "$1" ]; then
	echo "$1 is not built; its symbols are not checked"
	exit 0
fi
${NM:-nm} -D --defined-only "$1" | awk -v library="$1" '
$3 !~ /^(cfdw(_|[A-Z])|checkpoint_fdw_|pg_finfo_checkpoint_fdw_|Pg_magic_func$|_PG_init$)/ {
	print library ": symbol without our prefix: " $3
	bad = 1
}
END { exit bad || NR == 0 }'

# What test/run, test/demo.sh and test/bench/run share: packages, build and
# installation, a throw-away cluster, the scripted API server, and their end.
# Sourced by bash scripts; they all leave by cleanup.

set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=
api_pid=
: "${PG_CONFIG:=pg_config}"
export PG_CONFIG

die()
{
	echo "$(basename "$0"): $*" >&2
	exit 1
}

# ---- packages

# The one list: who wants it (build, demo, test), how its presence shows, Debian's name.
packages='
build  command:gcc                                        gcc
build  file:/usr/include/stdio.h                          libc6-dev
build  command:make                                       make
build  command:pkg-config                                 pkg-config
build  library:libcurl                                    libcurl4-openssl-dev
build  library:json-c                                     libjson-c-dev
demo   command:python3                                    python3
demo   file:/usr/share/iso-codes/json/iso_639-3.json      iso-codes
test   command:curl                                       curl
test   command:clang-format                               clang-format
test   command:prove                                      perl
test   command:openssl                                    openssl
test   perl:IPC::Run                                      libipc-run-perl
'

is_there()
{
	case $1 in
		command:*) command -v "${1#*:}" >/dev/null ;;
		file:*) [ -e "${1#*:}" ] ;;
		library:*) pkg-config --exists "${1#*:}" 2>/dev/null ;;
		perl:*) perl "-M${1#*:}" -e 1 2>/dev/null ;;
	esac
}

as_root()
{
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		die "this needs root and there is no sudo: $*"
	fi
}

apt()
{
	command -v apt-get >/dev/null || die "this system has no apt; install what Debian calls: $*"
	local install=(env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@")
	echo "installing $*"
	if ! as_root "${install[@]}" >/dev/null 2>&1; then
		as_root apt-get update -q >/dev/null 2>&1 || true
		as_root "${install[@]}" >/dev/null || die "apt-get could not install: $*"
	fi
}

# The server and its development files, of one major version.
postgresql_packages()
{
	local major=
	if "$PG_CONFIG" --version >/dev/null 2>&1; then
		[ -x "$("$PG_CONFIG" --bindir)/postgres" ] && [ -f "$("$PG_CONFIG" --pgxs)" ] && return
		major=$("$PG_CONFIG" --version | sed 's/[^0-9]*\([0-9]*\).*/\1/')
	elif ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1; then
		major=$(ls -d /usr/lib/postgresql/*/bin/postgres | cut -d/ -f5 | sort -n | tail -n 1)
	else
		apt-cache show postgresql >/dev/null 2>&1 || as_root apt-get update -q >/dev/null 2>&1 || true
		major=$(apt-cache depends postgresql 2>/dev/null | sed -n 's/.*Depends: postgresql-\([0-9]*\)$/\1/p')
	fi
	echo "postgresql-$major postgresql-server-dev-$major"
}

# Install what is missing for build and the other kinds named.
need_packages()
{
	local wanted=() kind presence package server
	while read -r kind presence package; do
		case " build $* " in
			*" $kind "*) is_there "$presence" || wanted+=("$package") ;;
		esac
	done < <(grep . <<<"$packages")
	server=$(postgresql_packages)
	# shellcheck disable=SC2206
	wanted+=($server)
	[ ${#wanted[@]} -eq 0 ] && return
	local before
	before=$(running_clusters)
	apt "${wanted[@]}"
	# Debian's package starts a cluster of its own when it is installed; nothing here needs it
	running_clusters | grep -vxF "$before" | while read -r version name; do
		as_root pg_ctlcluster "$version" "$name" stop
	done || true
}

running_clusters()
{
	pg_lsclusters -h 2>/dev/null | awk '$4 == "online" { print $1, $2 }' || true
}

# ---- build

build_and_install()
{
	local log=$top/test/tmp/build.log
	mkdir -p "$top/test/tmp"
	make -C "$top" -s -j "$(nproc)" all >"$log" 2>&1 || { cat "$log" >&2; die "the build failed"; }
	if [ -w "$("$PG_CONFIG" --pkglibdir)" ] && [ -w "$("$PG_CONFIG" --sharedir)/extension" ]; then
		make -C "$top" -s install >"$log" 2>&1 || { cat "$log" >&2; die "make install failed"; }
	else
		as_root make -C "$top" -s install PG_CONFIG="$PG_CONFIG" >"$log" 2>&1 || { cat "$log" >&2; die "make install failed"; }
	fi
}

# ---- servers

# PostgreSQL refuses to run as root: then everything that touches a server runs as postgres.
as_server()
{
	local environment=(env -u XDG_RUNTIME_DIR HOME="$work" PATH="$bindir:/usr/local/bin:/usr/bin:/bin" LC_ALL=C.UTF-8)
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid postgres --regid postgres --init-groups "${environment[@]}" "$@"
	else
		"${environment[@]}" "$@"
	fi
}

# A directory for everything that a run writes, and $source: the tree, or a copy if the server's user cannot read it.
start_work()
{
	trap cleanup EXIT
	trap 'exit 130' INT TERM HUP
	bindir=$("$PG_CONFIG" --bindir)
	PATH=$bindir:$PATH
	work=$(mktemp -d "${TMPDIR:-/tmp}/checkpoint_fdw.XXXXXX")
	source=$top
	if [ "$(id -u)" = 0 ]; then
		chown postgres: "$work"
		if ! (cd / && as_server test -r "$top/test/lib.sh"); then
			source=$work/source
			mkdir "$source"
			(cd "$top" && tar cf - --exclude=./.git --exclude=./test/tmp --exclude='*.o' .) | tar xf - -C "$source"
			chown -R postgres: "$source"
		fi
	fi
	cd "$work"
}

start_cluster()
{
	as_server initdb -D "$work/data" -U postgres -A trust -E UTF8 --no-locale --no-sync >"$work/initdb.log" 2>&1 || { cat "$work/initdb.log" >&2; die "initdb failed"; }
	as_server tee -a "$work/data/postgresql.conf" >/dev/null <<-CONF
		listen_addresses = ''
		unix_socket_directories = '$work'
		fsync = off
		max_prepared_transactions = 10
		restart_after_crash = on
	CONF
	as_server pg_ctl -D "$work/data" -l "$work/postgres.log" -w start >/dev/null || { cat "$work/postgres.log" >&2; die "the server did not start"; }
	export PGHOST=$work PGPORT=5432 PGUSER=postgres PGDATABASE=postgres
	unset PGSERVICE PGOPTIONS PGPASSFILE
}

# Start a Python program that listens and writes its port to --port-file; $api_url is its address.
start_api()
{
	local program=$1
	shift
	as_server python3 "$source/$program" --port-file "$work/api.port" "$@" &
	api_pid=$!
	local tries=0
	until [ -f "$work/api.port" ]; do
		kill -0 "$api_pid" 2>/dev/null && [ $((tries++)) -lt 200 ] || die "the API server did not start"
		sleep 0.05
	done
	api_url=http://127.0.0.1:$(cat "$work/api.port")
	export api_url
}

# One request to the API server: METHOD, path, and a body if there is one.
ask_api()
{
	python3 - "$1" "$api_url$2" "${3-}" <<-'PYTHON'
		import sys, urllib.request
		method, url, body = sys.argv[1:]
		request = urllib.request.Request(url, body.encode() or None, method=method)
		sys.stdout.write(urllib.request.urlopen(request).read().decode())
	PYTHON
}

# SQL with plain output.
sql()
{
	psql -X -A -t -q -v ON_ERROR_STOP=1 "$@"
}

cleanup()
{
	local status=$?
	trap - EXIT
	if [ -n "$api_pid" ]; then
		kill "$api_pid" 2>/dev/null || true
	fi
	if [ -n "$work" ]; then
		cd /
		local pid_file
		for pid_file in "$work"/data/postmaster.pid "$work"/tmp_check/*/pgdata/postmaster.pid; do
			[ ! -f "$pid_file" ] || as_server pg_ctl -D "${pid_file%/*}" -m immediate -w stop >/dev/null 2>&1 || true
		done
		rm -rf "$work"
	fi
	exit "$status"
}

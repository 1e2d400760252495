#!/bin/bash
# make demo: loads the languages of ISO 639-3 from a sample API into a table,
# and shows that a run with nothing new, appended records and a killed backend
# leave every record there once.
#
# With DEMO_URL (address of the first page) it loads that API instead:
#   DEMO_COLUMNS  column definitions   default: record jsonb OPTIONS (source 'record')
#   DEMO_OPTIONS  more table options   such as: pagination 'link_header'
#   DEMO_MAPPING  user mapping options such as: token '…' (then DEMO_SERVER: auth 'bearer')
#   DEMO_SERVER   more server options
. "$(dirname "$0")/lib.sh"

iso=/usr/share/iso-codes/json

thousands()
{
	sed -E ':a;s/([0-9])([0-9]{3})($|,)/\1,\2\3/;ta' <<<"$1"
}

# expect WHAT ACTUAL WANTED
expect()
{
	[ "$2" = "$3" ] || die "$1: $2, not $3"
}

# Run $insert; sets $rows and $ms.
insert_rows()
{
	local output
	output=$(psql -X -v ON_ERROR_STOP=1 -c '\timing on' -c "$insert")
	rows=$(sed -n 's/^INSERT 0 //p' <<<"$output")
	ms=$(sed -n 's/^Time: \([0-9]*\).*/\1/p' <<<"$output")
}

# load WANTED: one run; shows rows, requests and time
load()
{
	local requests
	ask_api DELETE /_log
	insert_rows
	requests=$(ask_api GET /_log | grep -c .)
	echo "   INSERT … SELECT: $(thousands "$rows") rows, $requests request$([ "$requests" = 1 ] || echo s), $ms ms"
	expect "rows loaded" "$rows" "$1"
}

checkpoint()
{
	sql -c "SELECT position FROM checkpoint_fdw.checkpoint"
}

# Which life of the server this is: the death of a backend ends one.
life()
{
	sql -c "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'" 2>/dev/null || true
}

# Wait until the server is back after life $1.
wait_for_server()
{
	local tries=0 now
	until now=$(life) && [ -n "$now" ] && [ "$now" != "$1" ]; do
		[ $((tries++)) -lt 200 ] || die "the server did not come back"
		sleep 0.1
	done
}

# Start a load, kill its backend while the API holds the page asked by request number $1.
kill_load()
{
	local pid before
	before=$(life)
	ask_api POST /_rule "{\"path\": \"/languages\", \"at\": {\"$1\": {\"hold\": true}}}"
	ask_api DELETE /_log
	sql -c "SET application_name = 'doomed'; $insert" >"$work/doomed.log" 2>&1 &
	ask_api GET "/_wait?path=/languages&count=$1"
	pid=$(sql -c "SELECT pid FROM pg_stat_activity WHERE application_name = 'doomed'")
	kill -9 "$pid"
	wait $! || true
	ask_api DELETE /_rule
	wait_for_server "$before"
}

languages()
{
	start_api test/api/server.py --collection "languages=$iso/iso_639-3.json#639-3:alpha_3"
	sql <<-SQL
		CREATE EXTENSION checkpoint_fdw;
		CREATE SERVER languages FOREIGN DATA WRAPPER checkpoint_fdw OPTIONS (base_url '$api_url');
		CREATE FOREIGN TABLE api_languages (alpha_3 text OPTIONS (key 'true'), name text, scope text, type text)
		  SERVER languages
		  OPTIONS (endpoint '/languages', params 'limit=100', records_path '/data',
		           cursor_path '/next_cursor', cursor_param 'cursor', checkpoint 'cursor');
		CREATE TABLE languages (alpha_3 text, name text, scope text, type text);
	SQL
	insert='INSERT INTO languages SELECT * FROM api_languages'
	local total before
	total=$(python3 -c "import json; print(len(json.load(open('$iso/iso_639-3.json'))['639-3']))")

	echo "1. $(thousands "$total") languages of ISO 639-3 from an API with pages of 100: first load"
	load "$total"
	echo "2. Nothing new"
	load 0
	echo "3. The API gets the 115 language families of ISO 639-5"
	append "json.load(open('$iso/iso_639-5.json'))['639-5']"
	load 115
	echo "4. It gets the 520 codes reserved for local use; kill -9 of the backend that loads them, at the 4th of 6 pages"
	append "[{'alpha_3': 'q' + a + b, 'name': 'Reserved for local use', 'scope': 'L', 'type': 'S'}
	         for a in 'abcdefghijklmnopqrst' for b in 'abcdefghijklmnopqrstuvwxyz']"
	before=$(checkpoint)
	kill_load 4
	echo "   table: $(sql -c "SELECT count(*) FROM languages WHERE alpha_3 BETWEEN 'qaa' AND 'qtz'") rows of it; checkpoint unmoved"
	expect "rows after the kill" "$(sql -c 'SELECT count(*) FROM languages')" $((total + 115))
	expect "checkpoint after the kill" "$(checkpoint)" "$before"
	load 520
	compare
	echo "6. The checkpoint"
	sql -x -P footer=off -P format=aligned -c 'SELECT foreign_table, consumer, position, batch, pending FROM checkpoint_fdw.checkpoint' | grep '|' | sed 's/^/   /'
}

append()
{
	ask_api POST /languages "$(python3 -c "import json; print(json.dumps($1))")" >/dev/null
}

compare()
{
	local api table
	api=$(ask_api GET '/languages?limit=1000000' | python3 -c "import json, sys
ids = [r['alpha_3'] for r in json.load(sys.stdin)['data']]
print(len(ids), len(set(ids)))")
	table=$(sql -F ' ' -c 'SELECT count(*), count(DISTINCT alpha_3) FROM languages')
	echo "5. Records and distinct ids: $(tr ' ' '/' <<<"$api") at the API, $(tr ' ' '/' <<<"$table") in the table"
	expect "records and ids in the table" "$table" "$api"
}

# Any other API: twice, to show what a second run reads.
other_api()
{
	local address query endpoint options=${DEMO_OPTIONS:-} mapping=
	[[ $DEMO_URL =~ ^(https?://[^/?]+)([^?]*)(\?(.*))?$ ]] || die "DEMO_URL is no http or https address: $DEMO_URL"
	address=${BASH_REMATCH[1]} endpoint=${BASH_REMATCH[2]} query=${BASH_REMATCH[4]:-}
	[ -z "${DEMO_MAPPING:-}" ] || mapping="CREATE USER MAPPING FOR CURRENT_USER SERVER demo OPTIONS ($DEMO_MAPPING);"
	[ -z "$query" ] || options="params '${query//\'/\'\'}'${options:+, $options}"
	[ -z "$endpoint" ] || options="endpoint '${endpoint//\'/\'\'}'${options:+, $options}"
	sql <<-SQL
		CREATE EXTENSION checkpoint_fdw;
		CREATE SERVER demo FOREIGN DATA WRAPPER checkpoint_fdw OPTIONS (base_url '$address'${DEMO_SERVER:+, $DEMO_SERVER});
		$mapping
		CREATE FOREIGN TABLE api (${DEMO_COLUMNS:-record jsonb OPTIONS (source 'record')}) SERVER demo OPTIONS ($options);
		CREATE TABLE loaded (LIKE api);
	SQL
	local run insert='INSERT INTO loaded SELECT * FROM api'
	for run in first second; do
		insert_rows
		echo "$run run: $rows rows, $ms ms"
	done
	psql -X -c 'TABLE loaded LIMIT 3' -c 'SELECT foreign_table, position, batch, pending FROM checkpoint_fdw.checkpoint' | cut -c 1-160
}

need_packages demo
build_and_install
start_work
start_cluster
if [ -n "${DEMO_URL:-}" ]; then
	other_api
else
	languages
fi

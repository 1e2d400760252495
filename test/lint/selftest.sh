#!/bin/bash
# selftest.sh: each checker must find each fault that it is there for, at the
# right line, and nothing in a good sample.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
checks=0
failures=0

# expect STATUS TEXT COMMAND…: the command's status (0 or 1) and a text in its output ("" = no output)
expect()
{
	local wanted=$1 text=$2 status=0 output
	shift 2
	output=$("$@" 2>&1) || status=1
	checks=$((checks + 1))
	if [ $status != "$wanted" ] || { [ -n "$text" ] && [[ $output != *"$text"* ]]; } || { [ -z "$text" ] && [ -n "$output" ]; }; then
		failures=$((failures + 1))
		echo "lint selftest: wanted status $wanted and \"$text\" of: $*"
		sed 's/^/    /' <<<"$output"
	fi
}

# style TEXT [FILE]: the C code on standard input, as FILE (sample.c), has the fault TEXT; "" = has none
style()
{
	local file=${2:-sample.c}
	cat >"$file"
	expect "$([ -n "$1" ] && echo 1 || echo 0)" "${1:+$file:$1}" "$here/style.py" layers "$file"
}

# repeat COUNT LINE
repeat()
{
	for ((i = 0; i < $1; i++)); do echo "$2"; done
}

cat >layers <<'END'
# a comment
0 ground
1 left right
2 upper page
4 sample
5 roof
may right left
library curl upper
library json-c page
palloc page
END

# ---- layers.sh

# layers TEXT FILE INCLUDE
layers()
{
	printf '/* a file */\n%s\n' "$3" >"$2"
	expect "$([ -n "$1" ] && echo 1 || echo 0)" "${1:+$2:$1}" "$here/layers.sh" layers "$2"
}
layers '' left.c '#include "left.h"'
layers '' left.c '#include "ground.h"'
layers '' upper.c '#include "left.h"'
layers '' right.c '#include "left.h"'
layers '' left.c '#include "common/upper.h"'
layers '' upper.c '#include <curl/curl.h>'
layers '' page.c '#include <json.h>'
layers '1: module stray is not in the list' stray.c ''
layers '2: ground (layer 0) must not include left.h (layer 1)' ground.h '#include "left.h"'
layers '2: left (layer 1) must not include right.h (layer 1)' left.c '#include "right.h"'
layers '2: left (layer 1) must not include upper.h (layer 2)' left.c '  #  include "upper.h" /* why */'
layers '2: page (layer 2) must not include upper.h (layer 2)' page.c '#include "upper.h"'
layers '2: sample (layer 4) must not include roof.h (layer 5)' sample.c '#include "roof.h"'
layers '2: left must not include headers of curl' left.c '#include <curl/curl.h>'
layers '2: upper must not include headers of json-c' upper.c '#include <json-c/json.h>'

# ---- style.py: messages

style '' <<'END'
/* "Quoted." and ereport(ERROR, (errmsg("Bad."))); in a comment */
void
good(void)
{
	char quote = '"';

	ereport(ERROR,
			(errcode(ERRCODE_FDW_ERROR),
			 errmsg("could not read \"%s\"", name),
			 errdetail("The value is " INT64_FORMAT ".", value),
			 errhint("%s", text)));
	ereport(WARNING, errmsg("JSON is missing"), errcontext("page %d", 3));
	ereport(INFO, errmsg_plural("one row", "%d rows", n, n));
	elog(DEBUG1, "Anything.");
	cfdw_fail(err, CFDW_ERR_JSON, empty ? "body is empty" : "URL is empty");
	cfdw_detail(err, "\"%s\" is too long.", name);
	cfdw_detail(err, "It starts with: %.*s%s", len, text, dots);
	cfdw_hint(err, odd ? "Set one." : "Set \"two\".");
}
END
style '1: message starts upper case: "Could not read"' <<<'void f(void) { cfdw_fail(err, KIND, "Could not " "read"); }'
style '1: message starts upper case: "A value"' <<<'void f(void) { cfdw_fail(err, KIND, "A value"); }'
style '1: message ends with a full stop' <<<'void f(void) { cfdw_fail(err, KIND, "no value."); }'
style '1: message ends with a full stop' <<<'void f(void) { cfdw_fail(err, KIND, a ? "no value" : "bad value."); }'
style '2: message with a line break' <<<'void f(void) {
	cfdw_fail(err, KIND, "no\nvalue"); }'
style '1: message starts upper case' <<<'void f(void) { ereport(WARNING, (errmsg("Bad thing"))); }'
style '1: message starts upper case' <<<'void f(void) { ereport(WARNING, errmsg_plural("one", "Many", n, n)); }'
style '1: message starts upper case' <<<'void f(void) { errcontext("Page %d", n); }'
style '1: detail or hint starts lower case' <<<'void f(void) { errdetail("the value is bad."); }'
style '1: detail or hint ends without a full stop' <<<'void f(void) { errhint("Set it"); }'
style '1: detail or hint starts lower case' <<<'void f(void) { cfdw_detail(err, "the value is bad."); }'
style '1: detail or hint ends without a full stop' <<<'void f(void) { cfdw_hint(err, "Set %s", name); }'
style '2: ereport without an errcode' <<<'void f(void) {
	ereport(ERROR, (errmsg("no code"))); }'
style '1: ereport without an errcode' <<<'void f(void) { ereport(level, errmsg("no code")); }'
style '1: elog(ERROR)' <<<'void f(void) { elog(ERROR, "no code"); }'
style '1: elog(level)' <<<'void f(void) { elog(level, "no code"); }'

# ---- style.py: words

style '1: sprintf knows no bound' <<<'void f(void) { sprintf(buf, "%s", name); }'
style '1: strcpy knows no bound' <<<'void f(void) { strcpy(a, b); }'
style '1: strcat knows no bound' <<<'void f(void) { strcat(a, b); }'
style '' <<<'void f(void) { snprintf(buf, 3, "strcpy(a, b)"); }'
style '3: open end' <<<'/*
 * Works.
 * TODO: the rest
 */'
style '1: ereport below the layer line' upper.c <<<'void f(void) { ereport(ERROR, (errcode(1), errmsg("x"))); }'
style '1: MemoryContextReset below the layer line' left.c <<<'void f(void) { MemoryContextReset(a); }'
style '1: palloc0 below the layer line' left.c <<<'void f(void) { palloc0(1); }'
style '' page.c <<<'void f(void) { palloc0(1); }'
style '' <<<'void f(void) { palloc0(1); }'

# ---- style.py: sizes

# body COUNT: a function with so many lines between its braces
body()
{
	printf 'int f(void)\n{\n'
	repeat "$1" '	if (a) { b("}"); }'
	echo '}'
}
style '2: function f has 81 lines' < <(body 79)
style '' < <(body 78)
style '3: function f has 81 lines' < <(printf '#ifdef A\nint f(int a)\n{\n#else\nint f(void)\n{\n#endif\n'; repeat 75 '	a();'; echo '} int g(void) { }')
style '' < <(printf 'int f(void)\n{\n\tstatic int t[] = {\n'; repeat 90 '		{1},'; echo '	};'; repeat 70 '	a();'; echo '}')
style '' < <(echo 'static int t[] = {'; repeat 90 '	{1},'; echo '};')
style '' < <(repeat 600 'int a;')
style '601: file has 601 lines' < <(repeat 601 'int a;')
style '1: braces do not match' <<<'void f(void) { {'

# ---- symbols.sh and format.sh

# library NAME: a shared library that exports NAME beside a good one
library()
{
	echo "int cfdw_good(void); int cfdw_good(void) { return 1; } int $1(void); int $1(void) { return 2; }" |
		${CC:-cc} -shared -fPIC -x c - -o sample.so
}
for name in cfdwBegin checkpoint_fdw_handler pg_finfo_checkpoint_fdw_handler Pg_magic_func _PG_init; do
	library $name
	expect 0 '' "$here/symbols.sh" sample.so
done
for name in helper cfdwbegin Cfdw_x pg_finfo_other _PG_fini; do
	library $name
	expect 1 "sample.so: symbol without our prefix: $name" "$here/symbols.sh" sample.so
done
expect 0 'not built' "$here/symbols.sh" missing.so

cp "$here/../../.clang-format" .
printf 'int\nmain(void)\n{\n\treturn 0;\n}\n' >sample.c
if [ -z "$("$here/format.sh" sample.c)" ]; then
	printf 'int main(void) { return 0; }\n' >sample.c
	expect 1 'sample.c: clang-format' "$here/format.sh" sample.c
fi
expect 0 'the format is not checked' env CLANG_FORMAT=false "$here/format.sh" sample.c

[ $failures = 0 ] || exit 1
echo "lint selftest: $checks checks passed"

#!/bin/sh
# format.sh FILE…: fail if clang-format would change a file.  Its versions
# disagree; .clang-format is written for the one below, others are not asked.
set -eu
wanted=14
found=$(${CLANG_FORMAT:-clang-format} --version 2>/dev/null | sed -n 's/.*version \([0-9]*\)\..*/\1/p')
if [ "$found" != $wanted ]; then
	echo "clang-format $wanted is wanted, ${found:-none} found; the format is not checked"
	exit 0
fi
${CLANG_FORMAT:-clang-format} --dry-run -Werror "$@"

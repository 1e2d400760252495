#!/bin/sh
# format.sh FILE…: fail if clang-format would change a file.  Its versions
# disagree; .clang-format is written for the one below, others are not asked.
set -eu
wanted=14
format=${CLANG_FORMAT:-clang-format}
found=$($format --version 2>/dev/null | sed -n 's/.*version \([0-9]*\)\..*/\1/p')
if [ "$found" != $wanted ]; then
	echo "clang-format $wanted is wanted, ${found:-none} found; the format is not checked"
	exit 0
fi
failed=0
for file; do
	if ! $format --dry-run -Werror "$file" 2>/dev/null; then
		echo "$file: clang-format -i would change it"
		failed=1
	fi
done
exit $failed

#!/bin/sh
# layers.sh LAYERS FILE…: fail if a source file includes a project header from a
# higher layer, a sibling in layers 1 and 2, or a library's header that is not
# its own to include.  LAYERS says which is which.
set -eu
awk '
function name(path)
{
	sub(/^.*\//, "", path)
	sub(/\.[ch]$/, "", path)
	return path
}
function complain(text)
{
	print FILENAME ":" FNR ": " text
	bad = 1
}
FNR == NR && /^[0-9]/ { for (i = 2; i <= NF; i++) layer[$i] = $1 }
FNR == NR && $1 == "may" { may[$2, $3] = 1 }
FNR == NR && $1 == "library" { libraries[$2] = 1; for (i = 3; i <= NF; i++) may[$i, $2] = 1 }
FNR == NR { next }
FNR == 1 {
	me = name(FILENAME)
	if (!(me in layer))
		complain("module " me " is not in the list of layers")
}
/^[ \t]*#[ \t]*include[ \t]/ {
	header = $0
	sub(/^[^<"]*[<"]/, "", header)
	sub(/[>"].*$/, "", header)
	for (library in libraries)
		if ((index(header, library "/") == 1 || index(header, library ".") == 1) && !((me, library) in may))
			complain(me " must not include headers of " library)
	other = name(header)
	if (header ~ /\// || !(other in layer) || other == me || (me, other) in may)
		next
	if (layer[other] > layer[me] || (layer[other] == layer[me] && (layer[me] == 1 || layer[me] == 2)))
		complain(me " (layer " layer[me] ") must not include " other ".h (layer " layer[other] ")")
}
END { exit bad }' "$@"

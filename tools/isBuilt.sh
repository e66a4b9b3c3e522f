#!/bin/sh
# Says by its exit code whether dist/ holds the program that the sources are now. A build writes what it was made from last.
root=${0%/*}/..
[ -f "$root/dist/built-from" ] && [ "$(cat "$root/dist/built-from")" = "$(sh "$root/tools/sourcesSum.sh")" ]

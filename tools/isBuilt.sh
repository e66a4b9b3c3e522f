#!/bin/sh
# Says by its exit code whether dist/ holds the program that the sources are now: nothing of what it is built from is newer than
# the beginning of its build, whose time the file has that a build writes last.
root=${0%/*}/..
stamp=$root/dist/help.txt
[ -f "$stamp" ] || exit 1
set -- "$root/src" "$root/package.json" "$root/tools/build.ts" "$root/package-lock.json"
[ -z "$(find "$@" -newer "$stamp" 2> /dev/null | head -n 1)" ]

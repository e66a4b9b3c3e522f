#!/bin/sh
# What `npm run limitbot` starts: the built program, which begins more than twice as fast and takes a third less memory, while it is what
# the sources say; else the sources themselves. `npm ci` builds it.
root=${0%/*}/..
if sh "$root/tools/isBuilt.sh"; then
  program=$root/dist/limitbot.mjs
else
  # Compiled code is found from the first file on.
  NODE_COMPILE_CACHE=$root/node_modules/.cache/limitbot
  export NODE_COMPILE_CACHE
  program=$root/src/main.ts
fi
# SIGUSR1 would open the debugger of a process that holds keys.
exec sh "$root/tools/node.sh" --disable-warning=ExperimentalWarning --disable-sigusr1 "$program" "$@"

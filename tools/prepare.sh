#!/bin/sh
# After `npm ci`: builds the program for `npm run limitbot`, if it is not built. Without it, as where packages for development are left
# out, limitbot starts from its sources, so nothing that goes wrong here fails an installation.
root=${0%/*}/..
[ -d "$root/node_modules/rolldown" ] || exit 0
sh "$root/tools/isBuilt.sh" && exit 0
sh "$root/tools/node.sh" --disable-warning=ExperimentalWarning "$root/tools/build.ts" "$root/dist" > /dev/null ||
  echo "limitbot: could not be built, and starts from its sources" >&2
exit 0

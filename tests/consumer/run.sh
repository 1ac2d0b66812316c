#!/usr/bin/env bash
# run.sh BUILD_FOLDER: installs the build into a temporary prefix, builds the consumer
# project against it and runs that.
set -euo pipefail
build=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" >"$work/install.log" ||
  { cat "$work/install.log"; exit 1; }
cmake -S "$here" -B "$work/build" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$work/prefix"
cmake --build "$work/build"
"$work/build/consumer"
test -x "$work/prefix/bin/thinwire"
# Nothing installed may point back into the tree that it was built from.
source_tree=$(cd "$here/../.." && pwd)
if grep -rl --include='*.cmake' -e "$source_tree/" "$work/prefix"; then
  echo "the files above name the source tree"
  exit 1
fi

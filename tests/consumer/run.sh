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
for file in man/man1/thinwire.1 bash-completion/completions/thinwire \
  zsh/site-functions/_thinwire fish/vendor_completions.d/thinwire.fish \
  doc/thinwire/README.md doc/thinwire/docs/decks.md doc/thinwire/examples/dipole/dipole.nec; do
  test -s "$work/prefix/share/$file" || { echo "not installed: $file"; exit 1; }
done
# Nothing installed may point back into the tree that it was built from.
source_tree=$(cd "$here/../.." && pwd)
if grep -rl --include='*.cmake' -e "$source_tree/" "$work/prefix"; then
  echo "the files above name the source tree"
  exit 1
fi

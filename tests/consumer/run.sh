#!/usr/bin/env bash
# run.sh BUILD_FOLDER: installs the build into a temporary prefix, and does there what
# docs/reference/cpp.md tells its reader to do: the page's program, its CMakeLists.txt, its commands, its
# output. Nothing is added but where the prefix is.
set -euo pipefail
build=$1
source_tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" >"$work/install.log" ||
  { cat "$work/install.log"; exit 1; }

# block LANGUAGE NUMBER: the page's block of that language and number.
block() {
  awk -v fence="\`\`\`$1" -v number="$2" \
    '/^```/ { inside = !inside; if (inside) { shown = $0 == fence && ++count == number; next } }
     inside && shown' "$source_tree/docs/reference/cpp.md" | grep . ||
    { echo "docs/reference/cpp.md: has no block $2 of \`$1\`" >&2; exit 1; }
}
mkdir "$work/antenna"
cd "$work/antenna"
block cpp 1 >antenna.cpp
block cmake 1 >CMakeLists.txt
block sh 1 >commands
CMAKE_PREFIX_PATH="$work/prefix" sh -ex commands | tee log
block "" 1 | diff - <(tail -n 1 log) || { echo "docs/reference/cpp.md shows another output"; exit 1; }
if pc=$(find "$work/prefix" -name thinwire.pc | grep .) && command -v pkg-config >/dev/null; then
  block sh 2 >commands
  PKG_CONFIG_PATH=$(dirname "$pc") sh -ex commands
  LD_LIBRARY_PATH=$(dirname "$(dirname "$pc")") ./antenna | diff - <(tail -n 1 log)
fi

test -x "$work/prefix/bin/thinwire"
for file in man/man1/thinwire.1 bash-completion/completions/thinwire \
  zsh/site-functions/_thinwire fish/vendor_completions.d/thinwire.fish \
  doc/thinwire/README.md doc/thinwire/docs/reference/decks.md doc/thinwire/examples/dipole/dipole.nec; do
  test -s "$work/prefix/share/$file" || { echo "not installed: $file"; exit 1; }
done
# Nothing installed may point back into the tree that it was built from.
if grep -rl --include='*.cmake' -e "$source_tree/" "$work/prefix"; then
  echo "the files above name the source tree"
  exit 1
fi

#!/usr/bin/env bash
# check_packages_test.sh ROOT: tests that scripts/check-packages refuses packages that do not work, in
# one line each. A stand-in for lintian finds nothing wrong.
set -euo pipefail
root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
printf '#!/bin/sh\nexit 0\n' >"$work/bin/lintian"
chmod +x "$work/bin/lintian"
export PATH=$work/bin:$PATH

# expect_refused TEXT FILE...: of the files, with that text in the one line that begins with error.
expect_refused() {
  local text=$1
  shift
  if "$root/scripts/check-packages" "$@" >"$work/out" 2>"$work/err"; then
    echo "not refused: $*"
    exit 1
  fi
  if [[ $(grep -c '^error: ' "$work/err") != 1 ]] || ! grep '^error: ' "$work/err" | grep -qF -- "$text"; then
    echo "'$text' is not the error of $*:"
    cat "$work/err"
    exit 1
  fi
}

expect_refused "no packages given"
expect_refused "no.whl: no such file" "$work/no.whl"
touch "$work/notes.txt"
expect_refused "neither a .deb nor a .whl" "$work/notes.txt"
touch "$work/thinwire-0-py3-none-any.whl"
expect_refused "thinwire-0-py3-none-any.whl" "$work/thinwire-0-py3-none-any.whl"

if ! command -v dpkg-deb >/dev/null; then
  echo "Debian packages left out: no dpkg-deb"
  exit 0
fi
# package PROGRAM: a Debian package with that text as its program.
package() {
  rm -rf "$work/tree"
  mkdir -p "$work/tree/DEBIAN" "$work/tree/usr/bin"
  printf 'Package: thinwire\nVersion: 0\nArchitecture: all\nMaintainer: a <a@b.org>\nDescription: a\n' \
    >"$work/tree/DEBIAN/control"
  printf '%s\n' "$1" >"$work/tree/usr/bin/thinwire"
  chmod 755 "$work/tree/usr/bin/thinwire"
  dpkg-deb --root-owner-group --build "$work/tree" "$work/thinwire_0_all.deb" >/dev/null
}
package '#!/bin/sh
echo "libfmt.so.9: cannot open" >&2
exit 127'
expect_refused 'the unpacked program: fails (`libfmt.so.9: cannot open`)' "$work/thinwire_0_all.deb"
package "#!/bin/sh
exec $root/build/cli/thinwire"
expect_refused "usr/bin/thinwire names $root." "$work/thinwire_0_all.deb"

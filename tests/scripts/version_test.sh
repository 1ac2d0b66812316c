#!/usr/bin/env bash
# The commit that cmake/Version.cmake finds: in a checkout, also another user's, in an archive of
# it, also one within another repository, and in a folder without either.
# usage: version_test.sh SOURCE_FOLDER CMAKE
set -euo pipefail
source=$1
cmake=$2
command -v git >/dev/null || { echo "no git"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_CEILING_DIRECTORIES=$folder
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b

repository() {
  git -C "$1" init -q
  git -C "$1" add .
  git -C "$1" commit -q -m "$2"
}
expect() { # where, the text for people
  cat >"$folder/find.cmake" <<EOF
set(PROJECT_VERSION 1.2)
set(PROJECT_SOURCE_DIR "$1")
set(PROJECT_BINARY_DIR "$folder/build")
include("$1/cmake/Version.cmake")
EOF
  "$cmake" -P "$folder/find.cmake"
  local found
  found=$(sed -n 's/^#define THINWIRE_VERSION_TEXT "\(.*\)"$/\1/p' \
    "$folder/build/generated/thinwire_version.h")
  [ "$found" = "$2" ] || { echo "$1: expected $2, got $found"; exit 1; }
}

checkout=$folder/checkout
mkdir -p "$checkout/cmake"
cp "$source/.gitattributes" "$checkout"
cp "$source"/cmake/{Version.cmake,version.h.in} "$checkout/cmake"
repository "$checkout" one
commit=$(git -C "$checkout" rev-parse --short HEAD)
expect "$checkout" "1.2 ($commit)"

mkdir -p "$folder/other/archive"
git -C "$checkout" archive HEAD | tar -x -C "$folder/other/archive"
expect "$folder/other/archive" "1.2 ($commit)"
repository "$folder/other" another
expect "$folder/other/archive" "1.2 ($commit)"

if [ "$(id -u)" = 0 ]; then
  chown -R 12345 "$checkout"
  expect "$checkout" "1.2 ($commit)"
  chown -R 0 "$checkout"
fi
rm -rf "$checkout/.git"
expect "$checkout" "1.2"

#!/usr/bin/env bash
# install_missing_test.sh ROOT: tests install_missing of scripts/common.sh with stand-ins
# for dpkg-query, apt-get and sudo that write down how they are called.
set -euo pipefail
root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CALLS=$work/calls
cat >"$work/dpkg-query" <<'STUB'
#!/bin/sh
case $4 in
  there*) printf 'install ok installed' ;;
  removed) printf 'deinstall ok config-files' ;;
  *) exit 1 ;;
esac
STUB
printf '#!/bin/sh\necho "apt-get $*" >>"$CALLS"\n' >"$work/apt-get"
printf '#!/bin/sh\nexec "$@"\n' >"$work/sudo"
chmod +x "$work"/*
export PATH=$work:$PATH
source "$root/scripts/common.sh"

expect_calls() {
  if ! diff <(printf '%s' "$1") <(cat "$CALLS" 2>/dev/null); then
    echo "unexpected calls of apt-get ($2)"
    exit 1
  fi
  rm -f "$CALLS"
}

install_missing there-1 there-2 2>/dev/null
expect_calls "" "nothing is missing"

install_missing there-1 absent removed 2>"$work/said"
expect_calls "apt-get update -qq
apt-get install -y -qq --no-install-recommends absent removed
" "two are missing"
grep -q "installing absent removed" "$work/said"

#!/usr/bin/env bash
# completion_test.sh ROOT PROGRAM: completes command lines as the shells do, with the files
# of cli/completion/: in bash, and in zsh and fish where they are installed.
set -euo pipefail
root=$1 program=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ln -s "$program" "$work/thinwire"
cd "$work"
failed=0

expect() {
  [[ $3 == "$2" ]] && return
  echo "$1: '$3' instead of '$2'"
  failed=1
}

source "$root/cli/completion/thinwire.bash"
# in_bash EXPECTED WORD...: the last word is the one at the cursor.
in_bash() {
  local expected=$1
  shift
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _thinwire "$1"
  expect "bash, $*" "$expected" "${COMPREPLY[*]}"
}
in_bash "solve" ./thinwire so
in_bash "--device" ./thinwire solve --dev
in_bash "cpu cuda" ./thinwire solve "a deck.nec" --device c
in_bash "cpu cuda" ./thinwire solve --device = c
in_bash "" ./thinwire solve ""
expect "bash" "complete -o default -F _thinwire thinwire" "$(complete -p thinwire)"

if command -v zsh >/dev/null; then
  # compadd and _files, which need a terminal, stand for what they are given.
  in_zsh() {
    local expected=$1
    shift
    expect "zsh, $*" "$expected" "$(zsh -fc '
      compadd() { print -r -- "${(P)2}"; }
      _files() { print files; }
      complete_words() { local -a words=("$@"); local CURRENT=$#; source "$COMPLETION"; }
      complete_words "$@"' zsh "$@")"
  }
  export COMPLETION=$root/cli/completion/_thinwire
  in_zsh "solve" ./thinwire so
  in_zsh "--device" ./thinwire solve --dev
  in_zsh "cpu cuda" ./thinwire solve "a deck.nec" --device c
  in_zsh "files" ./thinwire solve ""
else
  echo "zsh left out: not installed"
fi

if command -v fish >/dev/null; then
  in_fish() {
    expect "fish, $2" "$1" "$(HOME=$work fish -c \
      "source '$root/cli/completion/thinwire.fish'; complete -C '$2'" | xargs)"
  }
  in_fish "--device" "./thinwire solve --dev"
  in_fish "cpu cuda" "./thinwire solve a --device c"
else
  echo "fish left out: not installed"
fi
exit "$failed"

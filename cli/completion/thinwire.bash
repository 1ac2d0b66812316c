# bash completion of thinwire: the program itself says what fits; where it says nothing,
# a file's name does.
_thinwire() {
  mapfile -t COMPREPLY < <("$1" complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _thinwire thinwire

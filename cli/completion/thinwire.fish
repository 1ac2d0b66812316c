# fish completion of thinwire: the program itself says what fits, beside files' names.
function __thinwire_complete
    set -l before (commandline -opc)
    $before[1] complete $before[2..-1] (commandline -ct) 2>/dev/null
end
complete -c thinwire -a '(__thinwire_complete)'

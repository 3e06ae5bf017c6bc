#compdef mcptools
# zsh completion for mcptools. The words are passed on without their quotes; nothing in them is expanded.
_mcptools() {
    local line value flags=0
    local program=${${(Q)words[1]}/#\~/$HOME}
    local -a answer values shown options
    answer=("${(@f)$("$program" __complete --shell zsh -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
    flags=${answer[-1]#:}
    [[ $flags == <-> ]] || return 1
    for line in "${(@)answer[1,-2]}"; do
        value=${line%%$'\t'*}
        values+=("$value")
        if [[ $line == *$'\t'* ]]; then
            shown+=("$value  -- ${line#*$'\t'}")
        else
            shown+=("$value")
        fi
    done
    ((flags & 2)) && options=(-S '')
    if ((${#values})); then
        compadd -V mcptools -l -d shown "${options[@]}" -a values
    elif ((!(flags & 4))); then
        if ((flags & 16)); then _files -/; else _files; fi
    fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _mcptools "$@"
else
    compdef _mcptools mcptools
fi

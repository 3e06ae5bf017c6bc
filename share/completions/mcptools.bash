# bash completion for mcptools
# The words are passed on as they are; nothing in them is expanded. bash splits words at $COMP_WORDBREAKS, which has "="
# and ":", so they are joined again where no blank stands between them; --last names the part that bash replaces.
_mcptools() {
    local line=$COMP_LINE word last=${COMP_WORDS[COMP_CWORD]} flags=0 program value
    local -a words=() answer=()
    for word in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
        if ((${#words[@]})) && [[ $line != [[:blank:]]* ]]; then
            words[${#words[@]}-1]+=$word
        else
            words+=("$word")
        fi
        line=${line#"${line%%[![:blank:]]*}"}
        line=${line#"$word"}
    done
    [[ $last == [=:] ]] && last=
    program=${words[0]/#\~/$HOME}
    mapfile -t answer < <("$program" __complete --shell bash --last "$last" -- "${words[@]:1}" 2>/dev/null)
    COMPREPLY=()
    ((${#answer[@]})) || return 0
    flags=${answer[${#answer[@]}-1]#:}
    for line in "${answer[@]:0:${#answer[@]}-1}"; do
        value=${line%%$'\t'*}
        [[ $last == [\"\']* ]] || printf -v value %q "$value"
        COMPREPLY+=("$value")
    done
    ((flags & 2)) && compopt -o nospace 2>/dev/null
    compopt -o nosort 2>/dev/null
    if ((!(flags & 4) && !${#COMPREPLY[@]})); then
        ((flags & 16)) && compopt -o dirnames 2>/dev/null || compopt -o default 2>/dev/null
    fi
    return 0
} && complete -F _mcptools mcptools

# fish completion for mcptools. The words are passed on as they are; nothing in them is expanded.
function __mcptools_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program (string replace -r '^~' $HOME -- $words[1])
    set -l answer ($program __complete --shell fish -- $words[2..-1] "$current" 2>/dev/null)
    test (count $answer) -gt 0
    or return
    set -l flags (string replace ':' '' -- $answer[-1])
    if test (count $answer) -gt 1
        string join \n -- $answer[1..-2]
    else if test (math "bitand($flags, 4)") -eq 0
        if test (math "bitand($flags, 16)") -ne 0
            __fish_complete_directories "$current"
        else
            __fish_complete_path "$current"
        end
    end
end
complete -c mcptools -f -k -a '(__mcptools_complete)'

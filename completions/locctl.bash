
# Bash takes a colon for the end of a word, but a principal such as user:alice has one. The words are joined for the
# time of the completion, and what bash takes for another word is cut off again.
_locctl_with_colons() {
    local -a words=()
    local -i index cursor=0
    for index in "${!COMP_WORDS[@]}"; do
        if ((index > 0)) && [[ ${COMP_WORDS[index]} == : || ${COMP_WORDS[index - 1]} == : ]]; then
            words[-1]+=${COMP_WORDS[index]}
        else
            words+=("${COMP_WORDS[index]}")
        fi
        ((index > COMP_CWORD)) || cursor=$((${#words[@]} - 1))
    done
    local -a COMP_WORDS=("${words[@]}")
    local -i COMP_CWORD=$cursor
    local word=${words[cursor]} before=
    [[ $word != *:* ]] || before=${word%"${word##*:}"}
    _locctl "$1" "$word" "${words[cursor - 1]}"
    COMPREPLY=("${COMPREPLY[@]#"$before"}")
    # It would go off at the end of every script that is sourced from now on.
    trap - RETURN
}

complete -o filenames -F _locctl_with_colons locctl


# The library's own function of this name gives the words to `compgen -W`, which expands them: a word with a command in it
# would be run. And bash looks for a file of each word's name, for which it expands `${x:=$(command)}`. So words are
# compared as they are, and offered only if they mean nothing to bash.
__locctl_add_completions() {
    local completion
    if [[ $1 == -W ]]; then
        local LC_ALL=C
        while IFS='' read -r completion; do
            [[ $completion == "$cur"* && $completion =~ ^[A-Za-z0-9_][A-Za-z0-9_.:@+/,-]*$ ]] || continue
            COMPREPLY+=("$completion")
        done <<<"$2"
    else
        while IFS='' read -r completion; do
            COMPREPLY+=("$completion")
        done < <(IFS=$'\n' compgen "$@" -- "$cur")
    fi
}

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

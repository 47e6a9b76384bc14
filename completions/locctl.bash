
# In the sources this file stands alone; in a package what locctl generates comes before it.
declare -F _locctl >/dev/null || source <(locctl --generate-completion-script bash)

# The function of this name in ArgumentParser's script passes the words to `compgen -W`, which expands them: a command in a
# word would be executed. Bash also looks for a file of each word's name, for which it expands `${x:=$(command)}`. So words
# are compared without expansion, and offered only if they have no special characters of bash.
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

# Bash ends a word at a colon, but a principal such as user:alice has one. The words are joined during the completion, and
# the part that is a separate word for bash is removed again.
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

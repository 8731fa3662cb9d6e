
# Before the generated function: bash cuts words at `=`, and it knows neither commands nor skills.
_skills() {
    local cur="$2" prev="$3" cut="" word before
    before=$((COMP_CWORD - 1))
    for word in "${COMP_WORDS[@]:1:before}"; do
        if [[ $word == -- ]]; then
            [[ $prev != -- ]] || COMPREPLY=($(compgen -c -- "$cur"))
            return 0
        fi
    done
    # `--agent=c` is three words, and so is `name-format=off`.
    if [[ $cur == = ]]; then
        cur="" prev="="
        before=$((COMP_CWORD))
    fi
    if [[ $prev == = ]]; then
        word=${COMP_WORDS[before - 1]}
        if [[ $word == --* ]]; then
            prev=$word
        else
            cut="$word=" cur="$word=$cur" prev=${COMP_WORDS[before - 2]}
        fi
    fi
    _skills_words "$1" "$cur" "$prev"
    COMPREPLY=("${COMPREPLY[@]#"$cut"}")
    if [[ ${#COMPREPLY[@]} -eq 0 && $cur != -* && ${COMP_WORDS[1]} == @(NAMING_COMMANDS) ]]; then
        COMPREPLY=($(compgen -W "$("$1" list --discover --format names 2>/dev/null)" -- "$cur"))
    fi
}

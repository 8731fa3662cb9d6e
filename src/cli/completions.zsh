    # What follows `--` is a command line of its own.
    local -i dashes=${words[(i)--]}
    if (( dashes < CURRENT )); then
        words=("${(@)words[dashes + 1, -1]}")
        (( CURRENT -= dashes ))
        _normal
        return
    fi
    local skills_program=$words[1]

# The names of installed skills.
_skills_installed() {
    local -a installed
    installed=(${(f)"$(_call_program names $skills_program list --discover --format names 2>/dev/null)"})
    compadd -a installed
}

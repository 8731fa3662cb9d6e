_skills_words() {
    local i cur prev opts cmd
    COMPREPLY=()
    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
        cur="$2"
    else
        cur="${COMP_WORDS[COMP_CWORD]}"
    fi
    prev="$3"
    cmd=""
    opts=""

    for i in "${COMP_WORDS[@]:0:COMP_CWORD}"
    do
        case "${cmd},${i}" in
            ",$1")
                cmd="skills"
                ;;
            skills,add)
                cmd="skills__subcmd__install"
                ;;
            skills,cache)
                cmd="skills__subcmd__cache"
                ;;
            skills,cat)
                cmd="skills__subcmd__read"
                ;;
            skills,check)
                cmd="skills__subcmd__validate"
                ;;
            skills,completions)
                cmd="skills__subcmd__completions"
                ;;
            skills,disable)
                cmd="skills__subcmd__disable"
                ;;
            skills,enable)
                cmd="skills__subcmd__enable"
                ;;
            skills,explain)
                cmd="skills__subcmd__explain"
                ;;
            skills,help)
                cmd="skills__subcmd__help"
                ;;
            skills,i)
                cmd="skills__subcmd__install"
                ;;
            skills,info)
                cmd="skills__subcmd__show"
                ;;
            skills,init)
                cmd="skills__subcmd__init"
                ;;
            skills,install)
                cmd="skills__subcmd__install"
                ;;
            skills,lint)
                cmd="skills__subcmd__validate"
                ;;
            skills,list)
                cmd="skills__subcmd__list"
                ;;
            skills,lock)
                cmd="skills__subcmd__lock"
                ;;
            skills,ls)
                cmd="skills__subcmd__list"
                ;;
            skills,man)
                cmd="skills__subcmd__man"
                ;;
            skills,mount)
                cmd="skills__subcmd__mount"
                ;;
            skills,new)
                cmd="skills__subcmd__init"
                ;;
            skills,outdated)
                cmd="skills__subcmd__outdated"
                ;;
            skills,pack)
                cmd="skills__subcmd__pack"
                ;;
            skills,push)
                cmd="skills__subcmd__push"
                ;;
            skills,read)
                cmd="skills__subcmd__read"
                ;;
            skills,remove)
                cmd="skills__subcmd__remove"
                ;;
            skills,render)
                cmd="skills__subcmd__render"
                ;;
            skills,rm)
                cmd="skills__subcmd__remove"
                ;;
            skills,rules)
                cmd="skills__subcmd__rules"
                ;;
            skills,schema)
                cmd="skills__subcmd__schema"
                ;;
            skills,serve)
                cmd="skills__subcmd__serve"
                ;;
            skills,show)
                cmd="skills__subcmd__show"
                ;;
            skills,sync)
                cmd="skills__subcmd__sync"
                ;;
            skills,uninstall)
                cmd="skills__subcmd__remove"
                ;;
            skills,unmount)
                cmd="skills__subcmd__unmount"
                ;;
            skills,update)
                cmd="skills__subcmd__update"
                ;;
            skills,upgrade)
                cmd="skills__subcmd__update"
                ;;
            skills,validate)
                cmd="skills__subcmd__validate"
                ;;
            skills,verify)
                cmd="skills__subcmd__verify"
                ;;
            skills,view)
                cmd="skills__subcmd__read"
                ;;
            skills__subcmd__help,cache)
                cmd="skills__subcmd__help__subcmd__cache"
                ;;
            skills__subcmd__help,completions)
                cmd="skills__subcmd__help__subcmd__completions"
                ;;
            skills__subcmd__help,disable)
                cmd="skills__subcmd__help__subcmd__disable"
                ;;
            skills__subcmd__help,enable)
                cmd="skills__subcmd__help__subcmd__enable"
                ;;
            skills__subcmd__help,explain)
                cmd="skills__subcmd__help__subcmd__explain"
                ;;
            skills__subcmd__help,help)
                cmd="skills__subcmd__help__subcmd__help"
                ;;
            skills__subcmd__help,init)
                cmd="skills__subcmd__help__subcmd__init"
                ;;
            skills__subcmd__help,install)
                cmd="skills__subcmd__help__subcmd__install"
                ;;
            skills__subcmd__help,list)
                cmd="skills__subcmd__help__subcmd__list"
                ;;
            skills__subcmd__help,lock)
                cmd="skills__subcmd__help__subcmd__lock"
                ;;
            skills__subcmd__help,man)
                cmd="skills__subcmd__help__subcmd__man"
                ;;
            skills__subcmd__help,mount)
                cmd="skills__subcmd__help__subcmd__mount"
                ;;
            skills__subcmd__help,outdated)
                cmd="skills__subcmd__help__subcmd__outdated"
                ;;
            skills__subcmd__help,pack)
                cmd="skills__subcmd__help__subcmd__pack"
                ;;
            skills__subcmd__help,push)
                cmd="skills__subcmd__help__subcmd__push"
                ;;
            skills__subcmd__help,read)
                cmd="skills__subcmd__help__subcmd__read"
                ;;
            skills__subcmd__help,remove)
                cmd="skills__subcmd__help__subcmd__remove"
                ;;
            skills__subcmd__help,render)
                cmd="skills__subcmd__help__subcmd__render"
                ;;
            skills__subcmd__help,rules)
                cmd="skills__subcmd__help__subcmd__rules"
                ;;
            skills__subcmd__help,schema)
                cmd="skills__subcmd__help__subcmd__schema"
                ;;
            skills__subcmd__help,serve)
                cmd="skills__subcmd__help__subcmd__serve"
                ;;
            skills__subcmd__help,show)
                cmd="skills__subcmd__help__subcmd__show"
                ;;
            skills__subcmd__help,sync)
                cmd="skills__subcmd__help__subcmd__sync"
                ;;
            skills__subcmd__help,unmount)
                cmd="skills__subcmd__help__subcmd__unmount"
                ;;
            skills__subcmd__help,update)
                cmd="skills__subcmd__help__subcmd__update"
                ;;
            skills__subcmd__help,validate)
                cmd="skills__subcmd__help__subcmd__validate"
                ;;
            skills__subcmd__help,verify)
                cmd="skills__subcmd__help__subcmd__verify"
                ;;
            *)
                ;;
        esac
    done

    case "${cmd}" in
        skills)
            opts="-q -v -C -h -V --quiet --verbose --color --no-progress --directory --help --version validate check lint list ls show info render read cat view serve install add i sync remove rm uninstall update upgrade disable enable verify mount unmount pack push lock outdated cache init new explain rules schema completions man help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 1 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --directory)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                -C)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        skills__subcmd__cache)
            opts="-q -v -C -h --older-than --max-size --format --quiet --verbose --color --no-progress --directory --help clean"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --older-than)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --max-size)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "human json" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --directory)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                -C)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        skills__subcmd__completions)
            opts="-q -v -C -h --quiet --verbose --color --no-progress --directory --help bash elvish fish powershell zsh"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --directory)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                -C)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        skills__subcmd__disable)
            opts="-g -n -a -q -v -C -h --scope --global --home --dir --dry-run --lock-timeout --format --agent --quiet --verbose --color --no-progress --directory --help"
            if [[ ${cur} == -* ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --scope)
                    COMPREPLY=($(compgen -W "user project" -- "${cur}"))
                    return 0
                    ;;
                --home)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --dir)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --lock-timeout)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "human json" -- "${cur}"))
                    return 0
                    ;;
                --agent)
                    COMPREPLY=($(compgen -W "claude codex opencode copilot gemini pi adal aider-desk amp antigravity antigravity-cli astrbot augment autohand-code bob cline codearts-agent codebuddy codemaker codestudio command-code continue cortex crush cursor deepagents devin dexto droid firebender forgecode fx goose grok hermes-agent iflow-cli inference-sh jazz junie kilo kimchi kimi-code-cli kiro-cli kode letta lingma loaf mcpjam minimax-code mistral-vibe moxby mux neovate omp ona openclaw openhands pochi posit-assistant qoder qoder-cn qwen-code reasonix replit roo rovodev sarvam-code tabnine-cli terramind tinycloud trae trae-cn vscode warp windsurf zcode zed zencoder zenflow all" -- "${cur}"))
                    return 0
                    ;;
                -a)
                    COMPREPLY=($(compgen -W "claude codex opencode copilot gemini pi adal aider-desk amp antigravity antigravity-cli astrbot augment autohand-code bob cline codearts-agent codebuddy codemaker codestudio command-code continue cortex crush cursor deepagents devin dexto droid firebender forgecode fx goose grok hermes-agent iflow-cli inference-sh jazz junie kilo kimchi kimi-code-cli kiro-cli kode letta lingma loaf mcpjam minimax-code mistral-vibe moxby mux neovate omp ona openclaw openhands pochi posit-assistant qoder qoder-cn qwen-code reasonix replit roo rovodev sarvam-code tabnine-cli terramind tinycloud trae trae-cn vscode warp windsurf zcode zed zencoder zenflow all" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --directory)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                -C)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__enable)
            opts="-g -n -a -q -v -C -h --scope --global --home --dir --dry-run --lock-timeout --format --agent --quiet --verbose --color --no-progress --directory --help"
            if [[ ${cur} == -* ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --scope)
                    COMPREPLY=($(compgen -W "user project" -- "${cur}"))
                    return 0
                    ;;
                --home)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --dir)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --lock-timeout)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "human json" -- "${cur}"))
                    return 0
                    ;;
                --agent)
                    COMPREPLY=($(compgen -W "claude codex opencode copilot gemini pi adal aider-desk amp antigravity antigravity-cli astrbot augment autohand-code bob cline codearts-agent codebuddy codemaker codestudio command-code continue cortex crush cursor deepagents devin dexto droid firebender forgecode fx goose grok hermes-agent iflow-cli inference-sh jazz junie kilo kimchi kimi-code-cli kiro-cli kode letta lingma loaf mcpjam minimax-code mistral-vibe moxby mux neovate omp ona openclaw openhands pochi posit-assistant qoder qoder-cn qwen-code reasonix replit roo rovodev sarvam-code tabnine-cli terramind tinycloud trae trae-cn vscode warp windsurf zcode zed zencoder zenflow all" -- "${cur}"))
                    return 0
                    ;;
                -a)
                    COMPREPLY=($(compgen -W "claude codex opencode copilot gemini pi adal aider-desk amp antigravity antigravity-cli astrbot augment autohand-code bob cline codearts-agent codebuddy codemaker codestudio command-code continue cortex crush cursor deepagents devin dexto droid firebender forgecode fx goose grok hermes-agent iflow-cli inference-sh jazz junie kilo kimchi kimi-code-cli kiro-cli kode letta lingma loaf mcpjam minimax-code mistral-vibe moxby mux neovate omp ona openclaw openhands pochi posit-assistant qoder qoder-cn qwen-code reasonix replit roo rovodev sarvam-code tabnine-cli terramind tinycloud trae trae-cn vscode warp windsurf zcode zed zencoder zenflow all" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --directory)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                -C)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__explain)
            opts="-q -v -C -h --quiet --verbose --color --no-progress --directory --help missing-skill-md skill-md-case not-utf8 control-character byte-order-mark file-too-large skill-too-large missing-frontmatter unclosed-frontmatter invalid-yaml duplicate-key field-type missing-name name-format name-too-long name-directory-mismatch missing-description description-empty description-too-long compatibility-length metadata-type duplicate-name symlink special-file name-collision unsafe-file-name hidden-unicode secret-in-file plugin-manifest plugin-path confusable-letters xml-in-description reserved-name unknown-field nested-skill opaque-file empty-body body-too-long broken-link link-escapes-skill broad-tools version-control-files obfuscated-command paste-site-link portable-file-name agent-compat mcp-limits impossible-requirement plugin-skill-skipped allowed-tools-format script-not-executable metadata-value pipe-to-shell description-when description-placeholder"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --directory)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                -C)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        skills__subcmd__help)
            opts="validate list show render read serve install sync remove update disable enable verify mount unmount pack push lock outdated cache init explain rules schema completions man help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        skills__subcmd__help__subcmd__cache)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__help__subcmd__completions)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__help__subcmd__disable)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__help__subcmd__enable)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__help__subcmd__explain)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__help__subcmd__help)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__help__subcmd__init)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__help__subcmd__install)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__help__subcmd__list)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__help__subcmd__lock)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__help__subcmd__man)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__help__subcmd__mount)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__help__subcmd__outdated)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__help__subcmd__pack)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__help__subcmd__push)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__help__subcmd__read)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__help__subcmd__remove)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__help__subcmd__render)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__help__subcmd__rules)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__help__subcmd__schema)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__help__subcmd__serve)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__help__subcmd__show)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__help__subcmd__sync)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__help__subcmd__unmount)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__help__subcmd__update)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__help__subcmd__validate)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__help__subcmd__verify)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__init)
            opts="-q -v -C -h --manifest --description --template --dir --quiet --verbose --color --no-progress --directory --help"
            if [[ ${cur} == -* ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --description)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --template)
                    COMPREPLY=($(compgen -W "plain scripts references" -- "${cur}"))
                    return 0
                    ;;
                --dir)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --directory)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                -C)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__install)
            opts="-a -g -n -y -q -v -C -h --manifest --allow --deny --skill --only --plugin --exclude --max-depth --param --expand --frozen --offline --insecure --name --agent --scope --global --home --dir --dry-run --force --yes --no-sync --lock-timeout --format --link --nested --no-skip --strict --no-validate --follow-symlinks --read-only --max-skill-size --max-total-size --events --prompt-ns --prompt-key --session-id --trust-manifest --quiet --verbose --color --no-progress --directory --help"
            if [[ ${cur} == -* ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --manifest)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --allow)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --deny)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --only)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --skill)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --plugin)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --exclude)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --max-depth)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --param)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --expand)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --name)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --agent)
                    COMPREPLY=($(compgen -W "claude codex opencode copilot gemini pi adal aider-desk amp antigravity antigravity-cli astrbot augment autohand-code bob cline codearts-agent codebuddy codemaker codestudio command-code continue cortex crush cursor deepagents devin dexto droid firebender forgecode fx goose grok hermes-agent iflow-cli inference-sh jazz junie kilo kimchi kimi-code-cli kiro-cli kode letta lingma loaf mcpjam minimax-code mistral-vibe moxby mux neovate omp ona openclaw openhands pochi posit-assistant qoder qoder-cn qwen-code reasonix replit roo rovodev sarvam-code tabnine-cli terramind tinycloud trae trae-cn vscode warp windsurf zcode zed zencoder zenflow all" -- "${cur}"))
                    return 0
                    ;;
                -a)
                    COMPREPLY=($(compgen -W "claude codex opencode copilot gemini pi adal aider-desk amp antigravity antigravity-cli astrbot augment autohand-code bob cline codearts-agent codebuddy codemaker codestudio command-code continue cortex crush cursor deepagents devin dexto droid firebender forgecode fx goose grok hermes-agent iflow-cli inference-sh jazz junie kilo kimchi kimi-code-cli kiro-cli kode letta lingma loaf mcpjam minimax-code mistral-vibe moxby mux neovate omp ona openclaw openhands pochi posit-assistant qoder qoder-cn qwen-code reasonix replit roo rovodev sarvam-code tabnine-cli terramind tinycloud trae trae-cn vscode warp windsurf zcode zed zencoder zenflow all" -- "${cur}"))
                    return 0
                    ;;
                --scope)
                    COMPREPLY=($(compgen -W "user project" -- "${cur}"))
                    return 0
                    ;;
                --home)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --dir)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --lock-timeout)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "human json" -- "${cur}"))
                    return 0
                    ;;
                --max-skill-size)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --max-total-size)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --events)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --prompt-ns)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --prompt-key)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --session-id)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --directory)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                -C)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__list)
            opts="-a -l -q -v -C -h --manifest --allow --deny --skill --only --plugin --exclude --max-depth --param --expand --frozen --offline --insecure --discover --source --no-source --skills-dir --agent --format --long --tools --quiet --verbose --color --no-progress --directory --help"
            if [[ ${cur} == -* ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --manifest)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --allow)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --deny)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --only)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --skill)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --plugin)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --exclude)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --max-depth)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --param)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --expand)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --source)
                    COMPREPLY=($(compgen -W "omp claude claude-plugins agents codex opencode github copilot gemini pi goose openclaw amp cursor omp-managed custom adal aider-desk antigravity antigravity-cli astrbot augment autohand-code bob cline codearts-agent codebuddy codemaker codestudio command-code continue cortex crush deepagents devin dexto droid firebender forgecode fx grok hermes-agent iflow-cli inference-sh jazz junie kilo kimchi kimi-code-cli kiro-cli kode letta lingma loaf mcpjam minimax-code mistral-vibe moxby mux neovate ona openhands pochi posit-assistant qoder qoder-cn qwen-code reasonix replit roo rovodev sarvam-code tabnine-cli terramind tinycloud trae trae-cn vscode warp windsurf zcode zed zencoder zenflow" -- "${cur}"))
                    return 0
                    ;;
                --no-source)
                    COMPREPLY=($(compgen -W "omp claude claude-plugins agents codex opencode github copilot gemini pi goose openclaw amp cursor omp-managed custom adal aider-desk antigravity antigravity-cli astrbot augment autohand-code bob cline codearts-agent codebuddy codemaker codestudio command-code continue cortex crush deepagents devin dexto droid firebender forgecode fx grok hermes-agent iflow-cli inference-sh jazz junie kilo kimchi kimi-code-cli kiro-cli kode letta lingma loaf mcpjam minimax-code mistral-vibe moxby mux neovate ona openhands pochi posit-assistant qoder qoder-cn qwen-code reasonix replit roo rovodev sarvam-code tabnine-cli terramind tinycloud trae trae-cn vscode warp windsurf zcode zed zencoder zenflow" -- "${cur}"))
                    return 0
                    ;;
                --skills-dir)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --agent)
                    COMPREPLY=($(compgen -W "claude codex opencode copilot gemini pi adal aider-desk amp antigravity antigravity-cli astrbot augment autohand-code bob cline codearts-agent codebuddy codemaker codestudio command-code continue cortex crush cursor deepagents devin dexto droid firebender forgecode fx goose grok hermes-agent iflow-cli inference-sh jazz junie kilo kimchi kimi-code-cli kiro-cli kode letta lingma loaf mcpjam minimax-code mistral-vibe moxby mux neovate omp ona openclaw openhands pochi posit-assistant qoder qoder-cn qwen-code reasonix replit roo rovodev sarvam-code tabnine-cli terramind tinycloud trae trae-cn vscode warp windsurf zcode zed zencoder zenflow all" -- "${cur}"))
                    return 0
                    ;;
                -a)
                    COMPREPLY=($(compgen -W "claude codex opencode copilot gemini pi adal aider-desk amp antigravity antigravity-cli astrbot augment autohand-code bob cline codearts-agent codebuddy codemaker codestudio command-code continue cortex crush cursor deepagents devin dexto droid firebender forgecode fx goose grok hermes-agent iflow-cli inference-sh jazz junie kilo kimchi kimi-code-cli kiro-cli kode letta lingma loaf mcpjam minimax-code mistral-vibe moxby mux neovate omp ona openclaw openhands pochi posit-assistant qoder qoder-cn qwen-code reasonix replit roo rovodev sarvam-code tabnine-cli terramind tinycloud trae trae-cn vscode warp windsurf zcode zed zencoder zenflow all" -- "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "human json names paths" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --directory)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                -C)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__lock)
            opts="-n -q -v -C -h --manifest --param --offline --insecure --format --upgrade --dry-run --quiet --verbose --color --no-progress --directory --help"
            if [[ ${cur} == -* ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --manifest)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --param)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "human json" -- "${cur}"))
                    return 0
                    ;;
                --upgrade)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --directory)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                -C)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__man)
            opts="-q -v -C -h --dir --quiet --verbose --color --no-progress --directory --help"
            if [[ ${cur} == -* ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --dir)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --directory)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                -C)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__mount)
            opts="-a -q -v -C -h --manifest --allow --deny --skill --only --plugin --exclude --max-depth --param --expand --frozen --offline --insecure --name --agent --empty --home --prefix --keep --with --auth --allow-host-skills --trust-manifest --ignore-isolation --nested --no-skip --strict --no-validate --follow-symlinks --read-only --max-skill-size --max-total-size --events --prompt-ns --prompt-key --session-id --prompt --format --shell --quiet --verbose --color --no-progress --directory --help"
            if [[ ${cur} == -* ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --manifest)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --allow)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --deny)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --only)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --skill)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --plugin)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --exclude)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --max-depth)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --param)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --expand)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --name)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --agent)
                    COMPREPLY=($(compgen -W "claude codex opencode copilot gemini pi adal aider-desk amp antigravity antigravity-cli astrbot augment autohand-code bob cline codearts-agent codebuddy codemaker codestudio command-code continue cortex crush cursor deepagents devin dexto droid firebender forgecode fx goose grok hermes-agent iflow-cli inference-sh jazz junie kilo kimchi kimi-code-cli kiro-cli kode letta lingma loaf mcpjam minimax-code mistral-vibe moxby mux neovate omp ona openclaw openhands pochi posit-assistant qoder qoder-cn qwen-code reasonix replit roo rovodev sarvam-code tabnine-cli terramind tinycloud trae trae-cn vscode warp windsurf zcode zed zencoder zenflow all" -- "${cur}"))
                    return 0
                    ;;
                -a)
                    COMPREPLY=($(compgen -W "claude codex opencode copilot gemini pi adal aider-desk amp antigravity antigravity-cli astrbot augment autohand-code bob cline codearts-agent codebuddy codemaker codestudio command-code continue cortex crush cursor deepagents devin dexto droid firebender forgecode fx goose grok hermes-agent iflow-cli inference-sh jazz junie kilo kimchi kimi-code-cli kiro-cli kode letta lingma loaf mcpjam minimax-code mistral-vibe moxby mux neovate omp ona openclaw openhands pochi posit-assistant qoder qoder-cn qwen-code reasonix replit roo rovodev sarvam-code tabnine-cli terramind tinycloud trae trae-cn vscode warp windsurf zcode zed zencoder zenflow all" -- "${cur}"))
                    return 0
                    ;;
                --home)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --prefix)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --with)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --auth)
                    COMPREPLY=($(compgen -W "link copy none" -- "${cur}"))
                    return 0
                    ;;
                --ignore-isolation)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --max-skill-size)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --max-total-size)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --events)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --prompt-ns)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --prompt-key)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --session-id)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --prompt)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "path env json" -- "${cur}"))
                    return 0
                    ;;
                --shell)
                    COMPREPLY=($(compgen -W "sh fish powershell" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --directory)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                -C)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__outdated)
            opts="-g -a -q -v -C -h --manifest --param --offline --insecure --format --scope --global --home --dir --agent --quiet --verbose --color --no-progress --directory --help"
            if [[ ${cur} == -* ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --manifest)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --param)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "human json" -- "${cur}"))
                    return 0
                    ;;
                --scope)
                    COMPREPLY=($(compgen -W "user project" -- "${cur}"))
                    return 0
                    ;;
                --home)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --dir)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --agent)
                    COMPREPLY=($(compgen -W "claude codex opencode copilot gemini pi adal aider-desk amp antigravity antigravity-cli astrbot augment autohand-code bob cline codearts-agent codebuddy codemaker codestudio command-code continue cortex crush cursor deepagents devin dexto droid firebender forgecode fx goose grok hermes-agent iflow-cli inference-sh jazz junie kilo kimchi kimi-code-cli kiro-cli kode letta lingma loaf mcpjam minimax-code mistral-vibe moxby mux neovate omp ona openclaw openhands pochi posit-assistant qoder qoder-cn qwen-code reasonix replit roo rovodev sarvam-code tabnine-cli terramind tinycloud trae trae-cn vscode warp windsurf zcode zed zencoder zenflow all" -- "${cur}"))
                    return 0
                    ;;
                -a)
                    COMPREPLY=($(compgen -W "claude codex opencode copilot gemini pi adal aider-desk amp antigravity antigravity-cli astrbot augment autohand-code bob cline codearts-agent codebuddy codemaker codestudio command-code continue cortex crush cursor deepagents devin dexto droid firebender forgecode fx goose grok hermes-agent iflow-cli inference-sh jazz junie kilo kimchi kimi-code-cli kiro-cli kode letta lingma loaf mcpjam minimax-code mistral-vibe moxby mux neovate omp ona openclaw openhands pochi posit-assistant qoder qoder-cn qwen-code reasonix replit roo rovodev sarvam-code tabnine-cli terramind tinycloud trae trae-cn vscode warp windsurf zcode zed zencoder zenflow all" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --directory)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                -C)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__pack)
            opts="-o -q -v -C -h --output --index --oci --plugin --include --exclude --nested --no-validate --force --offline --insecure --format --quiet --verbose --color --no-progress --directory --help"
            if [[ ${cur} == -* ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --index)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --oci)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --plugin)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --include)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --exclude)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "human json" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --directory)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                -C)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__push)
            opts="-n -q -v -C -h --manifest --allow --deny --skill --only --plugin --exclude --max-depth --param --expand --frozen --offline --insecure --collection --annotation --force --dry-run --nested --no-skip --no-validate --max-skill-size --format --quiet --verbose --color --no-progress --directory --help"
            if [[ ${cur} == -* ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --manifest)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --allow)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --deny)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --only)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --skill)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --plugin)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --exclude)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --max-depth)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --param)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --expand)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --collection)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --annotation)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --max-skill-size)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "human json" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --directory)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                -C)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__read)
            opts="-q -v -C -h --manifest --param --skills-dir --offline --insecure --format --quiet --verbose --color --no-progress --directory --help"
            if [[ ${cur} == -* ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --manifest)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --param)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --skills-dir)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "human json" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --directory)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                -C)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__remove)
            opts="-a -g -n -y -q -v -C -h --all --agent --scope --global --home --dir --dry-run --yes --no-sync --lock-timeout --format --force --quiet --verbose --color --no-progress --directory --help"
            if [[ ${cur} == -* ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --agent)
                    COMPREPLY=($(compgen -W "claude codex opencode copilot gemini pi adal aider-desk amp antigravity antigravity-cli astrbot augment autohand-code bob cline codearts-agent codebuddy codemaker codestudio command-code continue cortex crush cursor deepagents devin dexto droid firebender forgecode fx goose grok hermes-agent iflow-cli inference-sh jazz junie kilo kimchi kimi-code-cli kiro-cli kode letta lingma loaf mcpjam minimax-code mistral-vibe moxby mux neovate omp ona openclaw openhands pochi posit-assistant qoder qoder-cn qwen-code reasonix replit roo rovodev sarvam-code tabnine-cli terramind tinycloud trae trae-cn vscode warp windsurf zcode zed zencoder zenflow all" -- "${cur}"))
                    return 0
                    ;;
                -a)
                    COMPREPLY=($(compgen -W "claude codex opencode copilot gemini pi adal aider-desk amp antigravity antigravity-cli astrbot augment autohand-code bob cline codearts-agent codebuddy codemaker codestudio command-code continue cortex crush cursor deepagents devin dexto droid firebender forgecode fx goose grok hermes-agent iflow-cli inference-sh jazz junie kilo kimchi kimi-code-cli kiro-cli kode letta lingma loaf mcpjam minimax-code mistral-vibe moxby mux neovate omp ona openclaw openhands pochi posit-assistant qoder qoder-cn qwen-code reasonix replit roo rovodev sarvam-code tabnine-cli terramind tinycloud trae trae-cn vscode warp windsurf zcode zed zencoder zenflow all" -- "${cur}"))
                    return 0
                    ;;
                --scope)
                    COMPREPLY=($(compgen -W "user project" -- "${cur}"))
                    return 0
                    ;;
                --home)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --dir)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --lock-timeout)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "human json" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --directory)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                -C)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__render)
            opts="-q -v -C -h --manifest --allow --deny --skill --only --plugin --exclude --max-depth --param --expand --frozen --offline --insecure --discover --source --no-source --skills-dir --format --visibility --no-instructions --nested --mount-path --events --prompt-ns --prompt-key --session-id --prompt-only --sections --preload --activate --user --as --quiet --verbose --color --no-progress --directory --help"
            if [[ ${cur} == -* ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --manifest)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --allow)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --deny)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --only)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --skill)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --plugin)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --exclude)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --max-depth)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --param)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --expand)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --source)
                    COMPREPLY=($(compgen -W "omp claude claude-plugins agents codex opencode github copilot gemini pi goose openclaw amp cursor omp-managed custom adal aider-desk antigravity antigravity-cli astrbot augment autohand-code bob cline codearts-agent codebuddy codemaker codestudio command-code continue cortex crush deepagents devin dexto droid firebender forgecode fx grok hermes-agent iflow-cli inference-sh jazz junie kilo kimchi kimi-code-cli kiro-cli kode letta lingma loaf mcpjam minimax-code mistral-vibe moxby mux neovate ona openhands pochi posit-assistant qoder qoder-cn qwen-code reasonix replit roo rovodev sarvam-code tabnine-cli terramind tinycloud trae trae-cn vscode warp windsurf zcode zed zencoder zenflow" -- "${cur}"))
                    return 0
                    ;;
                --no-source)
                    COMPREPLY=($(compgen -W "omp claude claude-plugins agents codex opencode github copilot gemini pi goose openclaw amp cursor omp-managed custom adal aider-desk antigravity antigravity-cli astrbot augment autohand-code bob cline codearts-agent codebuddy codemaker codestudio command-code continue cortex crush deepagents devin dexto droid firebender forgecode fx grok hermes-agent iflow-cli inference-sh jazz junie kilo kimchi kimi-code-cli kiro-cli kode letta lingma loaf mcpjam minimax-code mistral-vibe moxby mux neovate ona openhands pochi posit-assistant qoder qoder-cn qwen-code reasonix replit roo rovodev sarvam-code tabnine-cli terramind tinycloud trae trae-cn vscode warp windsurf zcode zed zencoder zenflow" -- "${cur}"))
                    return 0
                    ;;
                --skills-dir)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "xml markdown json" -- "${cur}"))
                    return 0
                    ;;
                --visibility)
                    COMPREPLY=($(compgen -W "full summary" -- "${cur}"))
                    return 0
                    ;;
                --mount-path)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --events)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --prompt-ns)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --prompt-key)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --session-id)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --preload)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --activate)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --user)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --as)
                    COMPREPLY=($(compgen -W "claude codex opencode copilot gemini pi all" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --directory)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                -C)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__rules)
            opts="-q -v -C -h --format --quiet --verbose --color --no-progress --directory --help"
            if [[ ${cur} == -* ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --format)
                    COMPREPLY=($(compgen -W "human json markdown" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --directory)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                -C)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__schema)
            opts="-q -v -C -h --quiet --verbose --color --no-progress --directory --help manifest skill"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --directory)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                -C)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        skills__subcmd__serve)
            opts="-q -v -C -h --manifest --allow --deny --skill --only --plugin --exclude --max-depth --param --expand --frozen --offline --insecure --nested --http --catalog --catalog-budget --print-config --events --prompt-ns --prompt-key --session-id --quiet --verbose --color --no-progress --directory --help"
            if [[ ${cur} == -* ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --manifest)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --allow)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --deny)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --only)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --skill)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --plugin)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --exclude)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --max-depth)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --param)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --expand)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --http)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=($(compgen -W "tool instructions off" -- "${cur}"))
                    return 0
                    ;;
                --catalog-budget)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --print-config)
                    COMPREPLY=($(compgen -W "claude codex vscode cursor gemini opencode" -- "${cur}"))
                    return 0
                    ;;
                --events)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --prompt-ns)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --prompt-key)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --session-id)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --directory)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                -C)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__show)
            opts="-g -a -q -v -C -h --only --plugin --offline --insecure --global --home --dir --diff --format --agent --scope --quiet --verbose --color --no-progress --directory --help"
            if [[ ${cur} == -* ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --only)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --plugin)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --home)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --dir)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "human json" -- "${cur}"))
                    return 0
                    ;;
                --agent)
                    COMPREPLY=($(compgen -W "claude codex opencode copilot gemini pi adal aider-desk amp antigravity antigravity-cli astrbot augment autohand-code bob cline codearts-agent codebuddy codemaker codestudio command-code continue cortex crush cursor deepagents devin dexto droid firebender forgecode fx goose grok hermes-agent iflow-cli inference-sh jazz junie kilo kimchi kimi-code-cli kiro-cli kode letta lingma loaf mcpjam minimax-code mistral-vibe moxby mux neovate omp ona openclaw openhands pochi posit-assistant qoder qoder-cn qwen-code reasonix replit roo rovodev sarvam-code tabnine-cli terramind tinycloud trae trae-cn vscode warp windsurf zcode zed zencoder zenflow all" -- "${cur}"))
                    return 0
                    ;;
                -a)
                    COMPREPLY=($(compgen -W "claude codex opencode copilot gemini pi adal aider-desk amp antigravity antigravity-cli astrbot augment autohand-code bob cline codearts-agent codebuddy codemaker codestudio command-code continue cortex crush cursor deepagents devin dexto droid firebender forgecode fx goose grok hermes-agent iflow-cli inference-sh jazz junie kilo kimchi kimi-code-cli kiro-cli kode letta lingma loaf mcpjam minimax-code mistral-vibe moxby mux neovate omp ona openclaw openhands pochi posit-assistant qoder qoder-cn qwen-code reasonix replit roo rovodev sarvam-code tabnine-cli terramind tinycloud trae trae-cn vscode warp windsurf zcode zed zencoder zenflow all" -- "${cur}"))
                    return 0
                    ;;
                --scope)
                    COMPREPLY=($(compgen -W "user project" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --directory)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                -C)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__sync)
            opts="-a -g -n -y -q -v -C -h --manifest --upgrade --frozen --offline --insecure --param --expand --trust-manifest --agent --scope --global --home --dir --dry-run --force --yes --no-sync --lock-timeout --format --nested --no-skip --strict --no-validate --follow-symlinks --read-only --max-skill-size --max-total-size --events --prompt-ns --prompt-key --session-id --quiet --verbose --color --no-progress --directory --help"
            if [[ ${cur} == -* ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --manifest)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --param)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --expand)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --agent)
                    COMPREPLY=($(compgen -W "claude codex opencode copilot gemini pi adal aider-desk amp antigravity antigravity-cli astrbot augment autohand-code bob cline codearts-agent codebuddy codemaker codestudio command-code continue cortex crush cursor deepagents devin dexto droid firebender forgecode fx goose grok hermes-agent iflow-cli inference-sh jazz junie kilo kimchi kimi-code-cli kiro-cli kode letta lingma loaf mcpjam minimax-code mistral-vibe moxby mux neovate omp ona openclaw openhands pochi posit-assistant qoder qoder-cn qwen-code reasonix replit roo rovodev sarvam-code tabnine-cli terramind tinycloud trae trae-cn vscode warp windsurf zcode zed zencoder zenflow all" -- "${cur}"))
                    return 0
                    ;;
                -a)
                    COMPREPLY=($(compgen -W "claude codex opencode copilot gemini pi adal aider-desk amp antigravity antigravity-cli astrbot augment autohand-code bob cline codearts-agent codebuddy codemaker codestudio command-code continue cortex crush cursor deepagents devin dexto droid firebender forgecode fx goose grok hermes-agent iflow-cli inference-sh jazz junie kilo kimchi kimi-code-cli kiro-cli kode letta lingma loaf mcpjam minimax-code mistral-vibe moxby mux neovate omp ona openclaw openhands pochi posit-assistant qoder qoder-cn qwen-code reasonix replit roo rovodev sarvam-code tabnine-cli terramind tinycloud trae trae-cn vscode warp windsurf zcode zed zencoder zenflow all" -- "${cur}"))
                    return 0
                    ;;
                --scope)
                    COMPREPLY=($(compgen -W "user project" -- "${cur}"))
                    return 0
                    ;;
                --home)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --dir)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --lock-timeout)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "human json" -- "${cur}"))
                    return 0
                    ;;
                --max-skill-size)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --max-total-size)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --events)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --prompt-ns)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --prompt-key)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --session-id)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --directory)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                -C)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__unmount)
            opts="-q -v -C -h --stale --older-than --quiet --verbose --color --no-progress --directory --help"
            if [[ ${cur} == -* ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --older-than)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --directory)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                -C)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__update)
            opts="-g -n -y -a -q -v -C -h --check --diff --prune --undo --offline --insecure --global --home --dir --dry-run --yes --no-sync --lock-timeout --format --agent --scope --force --quiet --verbose --color --no-progress --directory --help"
            if [[ ${cur} == -* ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --home)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --dir)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --lock-timeout)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "human json" -- "${cur}"))
                    return 0
                    ;;
                --agent)
                    COMPREPLY=($(compgen -W "claude codex opencode copilot gemini pi adal aider-desk amp antigravity antigravity-cli astrbot augment autohand-code bob cline codearts-agent codebuddy codemaker codestudio command-code continue cortex crush cursor deepagents devin dexto droid firebender forgecode fx goose grok hermes-agent iflow-cli inference-sh jazz junie kilo kimchi kimi-code-cli kiro-cli kode letta lingma loaf mcpjam minimax-code mistral-vibe moxby mux neovate omp ona openclaw openhands pochi posit-assistant qoder qoder-cn qwen-code reasonix replit roo rovodev sarvam-code tabnine-cli terramind tinycloud trae trae-cn vscode warp windsurf zcode zed zencoder zenflow all" -- "${cur}"))
                    return 0
                    ;;
                -a)
                    COMPREPLY=($(compgen -W "claude codex opencode copilot gemini pi adal aider-desk amp antigravity antigravity-cli astrbot augment autohand-code bob cline codearts-agent codebuddy codemaker codestudio command-code continue cortex crush cursor deepagents devin dexto droid firebender forgecode fx goose grok hermes-agent iflow-cli inference-sh jazz junie kilo kimchi kimi-code-cli kiro-cli kode letta lingma loaf mcpjam minimax-code mistral-vibe moxby mux neovate omp ona openclaw openhands pochi posit-assistant qoder qoder-cn qwen-code reasonix replit roo rovodev sarvam-code tabnine-cli terramind tinycloud trae trae-cn vscode warp windsurf zcode zed zencoder zenflow all" -- "${cur}"))
                    return 0
                    ;;
                --scope)
                    COMPREPLY=($(compgen -W "user project" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --directory)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                -C)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__validate)
            opts="-o -a -q -v -C -h --manifest --allow --deny --skill --only --plugin --exclude --max-depth --param --expand --frozen --offline --insecure --format --output --strict --deep --agent --rule --watch --changed --baseline --write-baseline --fix --diff --quiet --verbose --color --no-progress --directory --help"
            if [[ ${cur} == -* ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --manifest)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --allow)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --deny)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --only)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --skill)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --plugin)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --exclude)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --max-depth)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --param)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --expand)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "human json sarif github gitlab junit" -- "${cur}"))
                    return 0
                    ;;
                --output)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --agent)
                    COMPREPLY=($(compgen -W "claude codex opencode copilot gemini pi all mcp" -- "${cur}"))
                    return 0
                    ;;
                -a)
                    COMPREPLY=($(compgen -W "claude codex opencode copilot gemini pi all mcp" -- "${cur}"))
                    return 0
                    ;;
                --rule)
                    COMPREPLY=($(compgen -W "missing-skill-md=off missing-skill-md=note missing-skill-md=warning missing-skill-md=error skill-md-case=off skill-md-case=note skill-md-case=warning skill-md-case=error not-utf8=off not-utf8=note not-utf8=warning not-utf8=error control-character=off control-character=note control-character=warning control-character=error byte-order-mark=off byte-order-mark=note byte-order-mark=warning byte-order-mark=error file-too-large=off file-too-large=note file-too-large=warning file-too-large=error skill-too-large=off skill-too-large=note skill-too-large=warning skill-too-large=error missing-frontmatter=off missing-frontmatter=note missing-frontmatter=warning missing-frontmatter=error unclosed-frontmatter=off unclosed-frontmatter=note unclosed-frontmatter=warning unclosed-frontmatter=error invalid-yaml=off invalid-yaml=note invalid-yaml=warning invalid-yaml=error duplicate-key=off duplicate-key=note duplicate-key=warning duplicate-key=error field-type=off field-type=note field-type=warning field-type=error missing-name=off missing-name=note missing-name=warning missing-name=error name-format=off name-format=note name-format=warning name-format=error name-too-long=off name-too-long=note name-too-long=warning name-too-long=error name-directory-mismatch=off name-directory-mismatch=note name-directory-mismatch=warning name-directory-mismatch=error missing-description=off missing-description=note missing-description=warning missing-description=error description-empty=off description-empty=note description-empty=warning description-empty=error description-too-long=off description-too-long=note description-too-long=warning description-too-long=error compatibility-length=off compatibility-length=note compatibility-length=warning compatibility-length=error metadata-type=off metadata-type=note metadata-type=warning metadata-type=error duplicate-name=off duplicate-name=note duplicate-name=warning duplicate-name=error symlink=off symlink=note symlink=warning symlink=error special-file=off special-file=note special-file=warning special-file=error name-collision=off name-collision=note name-collision=warning name-collision=error unsafe-file-name=off unsafe-file-name=note unsafe-file-name=warning unsafe-file-name=error hidden-unicode=off hidden-unicode=note hidden-unicode=warning hidden-unicode=error secret-in-file=off secret-in-file=note secret-in-file=warning secret-in-file=error plugin-manifest=off plugin-manifest=note plugin-manifest=warning plugin-manifest=error plugin-path=off plugin-path=note plugin-path=warning plugin-path=error confusable-letters=off confusable-letters=note confusable-letters=warning confusable-letters=error xml-in-description=off xml-in-description=note xml-in-description=warning xml-in-description=error reserved-name=off reserved-name=note reserved-name=warning reserved-name=error unknown-field=off unknown-field=note unknown-field=warning unknown-field=error nested-skill=off nested-skill=note nested-skill=warning nested-skill=error opaque-file=off opaque-file=note opaque-file=warning opaque-file=error empty-body=off empty-body=note empty-body=warning empty-body=error body-too-long=off body-too-long=note body-too-long=warning body-too-long=error broken-link=off broken-link=note broken-link=warning broken-link=error link-escapes-skill=off link-escapes-skill=note link-escapes-skill=warning link-escapes-skill=error broad-tools=off broad-tools=note broad-tools=warning broad-tools=error version-control-files=off version-control-files=note version-control-files=warning version-control-files=error obfuscated-command=off obfuscated-command=note obfuscated-command=warning obfuscated-command=error paste-site-link=off paste-site-link=note paste-site-link=warning paste-site-link=error portable-file-name=off portable-file-name=note portable-file-name=warning portable-file-name=error agent-compat=off agent-compat=note agent-compat=warning agent-compat=error mcp-limits=off mcp-limits=note mcp-limits=warning mcp-limits=error impossible-requirement=off impossible-requirement=note impossible-requirement=warning impossible-requirement=error plugin-skill-skipped=off plugin-skill-skipped=note plugin-skill-skipped=warning plugin-skill-skipped=error allowed-tools-format=off allowed-tools-format=note allowed-tools-format=warning allowed-tools-format=error script-not-executable=off script-not-executable=note script-not-executable=warning script-not-executable=error metadata-value=off metadata-value=note metadata-value=warning metadata-value=error pipe-to-shell=off pipe-to-shell=note pipe-to-shell=warning pipe-to-shell=error description-when=off description-when=note description-when=warning description-when=error description-placeholder=off description-placeholder=note description-placeholder=warning description-placeholder=error" -- "${cur}"))
                    return 0
                    ;;
                --changed)
                    COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --baseline)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --write-baseline)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --directory)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                -C)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
        skills__subcmd__verify)
            opts="-a -g -q -v -C -h --agent --scope --global --home --dir --manifest --frozen --offline --insecure --format --quiet --verbose --color --no-progress --directory --help"
            if [[ ${cur} == -* ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --agent)
                    COMPREPLY=($(compgen -W "claude codex opencode copilot gemini pi adal aider-desk amp antigravity antigravity-cli astrbot augment autohand-code bob cline codearts-agent codebuddy codemaker codestudio command-code continue cortex crush cursor deepagents devin dexto droid firebender forgecode fx goose grok hermes-agent iflow-cli inference-sh jazz junie kilo kimchi kimi-code-cli kiro-cli kode letta lingma loaf mcpjam minimax-code mistral-vibe moxby mux neovate omp ona openclaw openhands pochi posit-assistant qoder qoder-cn qwen-code reasonix replit roo rovodev sarvam-code tabnine-cli terramind tinycloud trae trae-cn vscode warp windsurf zcode zed zencoder zenflow all" -- "${cur}"))
                    return 0
                    ;;
                -a)
                    COMPREPLY=($(compgen -W "claude codex opencode copilot gemini pi adal aider-desk amp antigravity antigravity-cli astrbot augment autohand-code bob cline codearts-agent codebuddy codemaker codestudio command-code continue cortex crush cursor deepagents devin dexto droid firebender forgecode fx goose grok hermes-agent iflow-cli inference-sh jazz junie kilo kimchi kimi-code-cli kiro-cli kode letta lingma loaf mcpjam minimax-code mistral-vibe moxby mux neovate omp ona openclaw openhands pochi posit-assistant qoder qoder-cn qwen-code reasonix replit roo rovodev sarvam-code tabnine-cli terramind tinycloud trae trae-cn vscode warp windsurf zcode zed zencoder zenflow all" -- "${cur}"))
                    return 0
                    ;;
                --scope)
                    COMPREPLY=($(compgen -W "user project" -- "${cur}"))
                    return 0
                    ;;
                --home)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --dir)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --manifest)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "human json" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --directory)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                -C)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
    esac
}

if [[ "${BASH_VERSINFO[0]}" -eq 4 && "${BASH_VERSINFO[1]}" -ge 4 || "${BASH_VERSINFO[0]}" -gt 4 ]]; then
    complete -F _skills -o nosort -o bashdefault -o default skills
else
    complete -F _skills -o bashdefault -o default skills
fi

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
    if [[ ${#COMPREPLY[@]} -eq 0 && $cur != -* && ${COMP_WORDS[1]} == @(show|info|remove|rm|uninstall|update|upgrade|disable|enable|verify|init|new) ]]; then
        COMPREPLY=($(compgen -W "$("$1" list --discover --format names 2>/dev/null)" -- "$cur"))
    fi
}

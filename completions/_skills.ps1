
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'skills' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'skills'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $values = @{
        'validate --format' = @('human', 'json', 'sarif', 'github', 'junit')
        'validate --agent' = @('claude', 'codex', 'opencode', 'copilot', 'gemini', 'pi')
        'validate --rule' = @('missing-skill-md=off', 'missing-skill-md=note', 'missing-skill-md=warning', 'missing-skill-md=error', 'skill-md-case=off', 'skill-md-case=note', 'skill-md-case=warning', 'skill-md-case=error', 'not-utf8=off', 'not-utf8=note', 'not-utf8=warning', 'not-utf8=error', 'control-character=off', 'control-character=note', 'control-character=warning', 'control-character=error', 'byte-order-mark=off', 'byte-order-mark=note', 'byte-order-mark=warning', 'byte-order-mark=error', 'file-too-large=off', 'file-too-large=note', 'file-too-large=warning', 'file-too-large=error', 'skill-too-large=off', 'skill-too-large=note', 'skill-too-large=warning', 'skill-too-large=error', 'missing-frontmatter=off', 'missing-frontmatter=note', 'missing-frontmatter=warning', 'missing-frontmatter=error', 'unclosed-frontmatter=off', 'unclosed-frontmatter=note', 'unclosed-frontmatter=warning', 'unclosed-frontmatter=error', 'invalid-yaml=off', 'invalid-yaml=note', 'invalid-yaml=warning', 'invalid-yaml=error', 'duplicate-key=off', 'duplicate-key=note', 'duplicate-key=warning', 'duplicate-key=error', 'field-type=off', 'field-type=note', 'field-type=warning', 'field-type=error', 'missing-name=off', 'missing-name=note', 'missing-name=warning', 'missing-name=error', 'name-format=off', 'name-format=note', 'name-format=warning', 'name-format=error', 'name-too-long=off', 'name-too-long=note', 'name-too-long=warning', 'name-too-long=error', 'name-directory-mismatch=off', 'name-directory-mismatch=note', 'name-directory-mismatch=warning', 'name-directory-mismatch=error', 'missing-description=off', 'missing-description=note', 'missing-description=warning', 'missing-description=error', 'description-empty=off', 'description-empty=note', 'description-empty=warning', 'description-empty=error', 'description-too-long=off', 'description-too-long=note', 'description-too-long=warning', 'description-too-long=error', 'compatibility-length=off', 'compatibility-length=note', 'compatibility-length=warning', 'compatibility-length=error', 'metadata-type=off', 'metadata-type=note', 'metadata-type=warning', 'metadata-type=error', 'duplicate-name=off', 'duplicate-name=note', 'duplicate-name=warning', 'duplicate-name=error', 'symlink=off', 'symlink=note', 'symlink=warning', 'symlink=error', 'special-file=off', 'special-file=note', 'special-file=warning', 'special-file=error', 'name-collision=off', 'name-collision=note', 'name-collision=warning', 'name-collision=error', 'unsafe-file-name=off', 'unsafe-file-name=note', 'unsafe-file-name=warning', 'unsafe-file-name=error', 'hidden-unicode=off', 'hidden-unicode=note', 'hidden-unicode=warning', 'hidden-unicode=error', 'confusable-letters=off', 'confusable-letters=note', 'confusable-letters=warning', 'confusable-letters=error', 'xml-in-description=off', 'xml-in-description=note', 'xml-in-description=warning', 'xml-in-description=error', 'reserved-name=off', 'reserved-name=note', 'reserved-name=warning', 'reserved-name=error', 'unknown-field=off', 'unknown-field=note', 'unknown-field=warning', 'unknown-field=error', 'nested-skill=off', 'nested-skill=note', 'nested-skill=warning', 'nested-skill=error', 'opaque-file=off', 'opaque-file=note', 'opaque-file=warning', 'opaque-file=error', 'empty-body=off', 'empty-body=note', 'empty-body=warning', 'empty-body=error', 'body-too-long=off', 'body-too-long=note', 'body-too-long=warning', 'body-too-long=error', 'broken-link=off', 'broken-link=note', 'broken-link=warning', 'broken-link=error', 'link-escapes-skill=off', 'link-escapes-skill=note', 'link-escapes-skill=warning', 'link-escapes-skill=error', 'broad-tools=off', 'broad-tools=note', 'broad-tools=warning', 'broad-tools=error', 'secret-in-file=off', 'secret-in-file=note', 'secret-in-file=warning', 'secret-in-file=error', 'version-control-files=off', 'version-control-files=note', 'version-control-files=warning', 'version-control-files=error', 'obfuscated-command=off', 'obfuscated-command=note', 'obfuscated-command=warning', 'obfuscated-command=error', 'paste-site-link=off', 'paste-site-link=note', 'paste-site-link=warning', 'paste-site-link=error', 'portable-file-name=off', 'portable-file-name=note', 'portable-file-name=warning', 'portable-file-name=error', 'agent-compat=off', 'agent-compat=note', 'agent-compat=warning', 'agent-compat=error', 'allowed-tools-format=off', 'allowed-tools-format=note', 'allowed-tools-format=warning', 'allowed-tools-format=error', 'script-not-executable=off', 'script-not-executable=note', 'script-not-executable=warning', 'script-not-executable=error', 'metadata-value=off', 'metadata-value=note', 'metadata-value=warning', 'metadata-value=error', 'pipe-to-shell=off', 'pipe-to-shell=note', 'pipe-to-shell=warning', 'pipe-to-shell=error', 'description-when=off', 'description-when=note', 'description-when=warning', 'description-when=error')
        'validate --color' = @('auto', 'always', 'never')
        'list --source' = @('omp', 'claude', 'claude-plugins', 'agents', 'codex', 'opencode', 'github', 'copilot', 'gemini', 'pi', 'goose', 'openclaw', 'amp', 'cursor', 'omp-managed', 'custom')
        'list --no-source' = @('omp', 'claude', 'claude-plugins', 'agents', 'codex', 'opencode', 'github', 'copilot', 'gemini', 'pi', 'goose', 'openclaw', 'amp', 'cursor', 'omp-managed', 'custom')
        'list --agent' = @('claude', 'codex', 'opencode', 'copilot', 'gemini', 'pi')
        'list --format' = @('human', 'json', 'names', 'paths')
        'list --color' = @('auto', 'always', 'never')
        'render --format' = @('xml', 'markdown', 'json')
        'render --visibility' = @('full', 'summary')
        'render --as' = @('claude', 'codex', 'opencode', 'copilot', 'gemini', 'pi')
        'render --color' = @('auto', 'always', 'never')
        'read --format' = @('human', 'json')
        'read --color' = @('auto', 'always', 'never')
        'install --agent' = @('claude', 'codex', 'opencode', 'copilot', 'gemini', 'pi', 'adal', 'aider-desk', 'amp', 'antigravity', 'antigravity-cli', 'astrbot', 'augment', 'autohand-code', 'bob', 'cline', 'codearts-agent', 'codebuddy', 'codemaker', 'codestudio', 'command-code', 'continue', 'cortex', 'crush', 'cursor', 'deepagents', 'devin', 'dexto', 'droid', 'firebender', 'forgecode', 'fx', 'grok', 'hermes-agent', 'iflow-cli', 'inference-sh', 'jazz', 'junie', 'kilo', 'kimchi', 'kimi-code-cli', 'kiro-cli', 'kode', 'lingma', 'loaf', 'mcpjam', 'minimax-code', 'mistral-vibe', 'moxby', 'mux', 'neovate', 'ona', 'openhands', 'pochi', 'posit-assistant', 'qoder', 'qoder-cn', 'qwen-code', 'reasonix', 'replit', 'roo', 'rovodev', 'sarvam-code', 'tabnine-cli', 'terramind', 'tinycloud', 'trae', 'trae-cn', 'warp', 'windsurf', 'zcode', 'zed', 'zencoder', 'zenflow')
        'install --scope' = @('user', 'project')
        'install --format' = @('human', 'json')
        'install --color' = @('auto', 'always', 'never')
        'remove --agent' = @('claude', 'codex', 'opencode', 'copilot', 'gemini', 'pi', 'adal', 'aider-desk', 'amp', 'antigravity', 'antigravity-cli', 'astrbot', 'augment', 'autohand-code', 'bob', 'cline', 'codearts-agent', 'codebuddy', 'codemaker', 'codestudio', 'command-code', 'continue', 'cortex', 'crush', 'cursor', 'deepagents', 'devin', 'dexto', 'droid', 'firebender', 'forgecode', 'fx', 'grok', 'hermes-agent', 'iflow-cli', 'inference-sh', 'jazz', 'junie', 'kilo', 'kimchi', 'kimi-code-cli', 'kiro-cli', 'kode', 'lingma', 'loaf', 'mcpjam', 'minimax-code', 'mistral-vibe', 'moxby', 'mux', 'neovate', 'ona', 'openhands', 'pochi', 'posit-assistant', 'qoder', 'qoder-cn', 'qwen-code', 'reasonix', 'replit', 'roo', 'rovodev', 'sarvam-code', 'tabnine-cli', 'terramind', 'tinycloud', 'trae', 'trae-cn', 'warp', 'windsurf', 'zcode', 'zed', 'zencoder', 'zenflow')
        'remove --scope' = @('user', 'project')
        'remove --format' = @('human', 'json')
        'remove --color' = @('auto', 'always', 'never')
        'verify --agent' = @('claude', 'codex', 'opencode', 'copilot', 'gemini', 'pi', 'adal', 'aider-desk', 'amp', 'antigravity', 'antigravity-cli', 'astrbot', 'augment', 'autohand-code', 'bob', 'cline', 'codearts-agent', 'codebuddy', 'codemaker', 'codestudio', 'command-code', 'continue', 'cortex', 'crush', 'cursor', 'deepagents', 'devin', 'dexto', 'droid', 'firebender', 'forgecode', 'fx', 'grok', 'hermes-agent', 'iflow-cli', 'inference-sh', 'jazz', 'junie', 'kilo', 'kimchi', 'kimi-code-cli', 'kiro-cli', 'kode', 'lingma', 'loaf', 'mcpjam', 'minimax-code', 'mistral-vibe', 'moxby', 'mux', 'neovate', 'ona', 'openhands', 'pochi', 'posit-assistant', 'qoder', 'qoder-cn', 'qwen-code', 'reasonix', 'replit', 'roo', 'rovodev', 'sarvam-code', 'tabnine-cli', 'terramind', 'tinycloud', 'trae', 'trae-cn', 'warp', 'windsurf', 'zcode', 'zed', 'zencoder', 'zenflow')
        'verify --scope' = @('user', 'project')
        'verify --format' = @('human', 'json')
        'verify --color' = @('auto', 'always', 'never')
        'mount --agent' = @('claude', 'codex', 'opencode', 'copilot', 'gemini', 'pi', 'all')
        'mount --auth' = @('link', 'copy', 'none')
        'mount --format' = @('path', 'env', 'json')
        'mount --shell' = @('sh', 'fish', 'powershell')
        'mount --color' = @('auto', 'always', 'never')
        'unmount --color' = @('auto', 'always', 'never')
        'pack --format' = @('human', 'json')
        'pack --color' = @('auto', 'always', 'never')
        'lock --format' = @('human', 'json')
        'lock --color' = @('auto', 'always', 'never')
        'outdated --format' = @('human', 'json')
        'outdated --color' = @('auto', 'always', 'never')
        'init --color' = @('auto', 'always', 'never')
        'explain explain' = @('missing-skill-md', 'skill-md-case', 'not-utf8', 'control-character', 'byte-order-mark', 'file-too-large', 'skill-too-large', 'missing-frontmatter', 'unclosed-frontmatter', 'invalid-yaml', 'duplicate-key', 'field-type', 'missing-name', 'name-format', 'name-too-long', 'name-directory-mismatch', 'missing-description', 'description-empty', 'description-too-long', 'compatibility-length', 'metadata-type', 'duplicate-name', 'symlink', 'special-file', 'name-collision', 'unsafe-file-name', 'hidden-unicode', 'confusable-letters', 'xml-in-description', 'reserved-name', 'unknown-field', 'nested-skill', 'opaque-file', 'empty-body', 'body-too-long', 'broken-link', 'link-escapes-skill', 'broad-tools', 'secret-in-file', 'version-control-files', 'obfuscated-command', 'paste-site-link', 'portable-file-name', 'agent-compat', 'allowed-tools-format', 'script-not-executable', 'metadata-value', 'pipe-to-shell', 'description-when')
        'explain --color' = @('auto', 'always', 'never')
        'rules --format' = @('human', 'json', 'markdown')
        'rules --color' = @('auto', 'always', 'never')
        'schema --color' = @('auto', 'always', 'never')
        'completions completions' = @('bash', 'elvish', 'fish', 'powershell', 'zsh')
        'completions --color' = @('auto', 'always', 'never')
        'man --color' = @('auto', 'always', 'never')
    }
    $words = @($commandElements | ForEach-Object { $_.ToString() })
    $before = if ($wordToComplete) { $words.Count - 2 } else { $words.Count - 1 }
    $key = "$($words[1]) $($words[$before])"
    if ($values.ContainsKey($key)) {
        return $values[$key] | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
            [CompletionResult]::new($_, $_, [CompletionResultType]::ParameterValue, $_)
        }
    }

    $completions = @(switch ($command) {
        'skills' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Choose when to use colour')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in DIR')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in DIR')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print notes too; repeat to print logs')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print notes too; repeat to print logs')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'Never show a progress bar')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('validate', 'validate', [CompletionResultType]::ParameterValue, 'Check skills against the specification and the behaviour of real agents')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List skills, and show which ones agents load and why others are missing')
            [CompletionResult]::new('render', 'render', [CompletionResultType]::ParameterValue, 'Print the catalogue of skills that a model sees')
            [CompletionResult]::new('read', 'read', [CompletionResultType]::ParameterValue, 'Print one file of a skill')
            [CompletionResult]::new('install', 'install', [CompletionResultType]::ParameterValue, 'Copy skills into the directories where agents look for them')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'Remove installed skills')
            [CompletionResult]::new('verify', 'verify', [CompletionResultType]::ParameterValue, 'Find installed skills that changed since they were installed')
            [CompletionResult]::new('mount', 'mount', [CompletionResultType]::ParameterValue, 'Create a temporary home with only these skills, and run an agent in it')
            [CompletionResult]::new('unmount', 'unmount', [CompletionResultType]::ParameterValue, 'Remove homes created by `skills mount`')
            [CompletionResult]::new('pack', 'pack', [CompletionResultType]::ParameterValue, 'Pack each skill into a reproducible .skill archive')
            [CompletionResult]::new('lock', 'lock', [CompletionResultType]::ParameterValue, 'Pin the sources of a manifest to commits and digests')
            [CompletionResult]::new('outdated', 'outdated', [CompletionResultType]::ParameterValue, 'Show what `skills lock --upgrade` would change')
            [CompletionResult]::new('init', 'init', [CompletionResultType]::ParameterValue, 'Create a skill that passes validation')
            [CompletionResult]::new('explain', 'explain', [CompletionResultType]::ParameterValue, 'Explain what a rule checks, why, and how to satisfy it')
            [CompletionResult]::new('rules', 'rules', [CompletionResultType]::ParameterValue, 'List all rules')
            [CompletionResult]::new('schema', 'schema', [CompletionResultType]::ParameterValue, 'Print the JSON Schema of skills.yaml')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a shell completion script')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print the manual page, or write one page per command')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'skills;validate' {
            [CompletionResult]::new('--manifest', '--manifest', [CompletionResultType]::ParameterName, 'Read sources, filters and rules from FILE [default: skills.yaml, without SOURCES]')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Select only skills whose names match (repeatable)')
            [CompletionResult]::new('--deny', '--deny', [CompletionResultType]::ParameterName, 'Leave out skills whose names match; overrides --allow (repeatable)')
            [CompletionResult]::new('--only', '--only', [CompletionResultType]::ParameterName, 'Select the skill with exactly this name (repeatable)')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'Skip directories whose paths below the source match (repeatable)')
            [CompletionResult]::new('--max-depth', '--max-depth', [CompletionResultType]::ParameterName, 'Search at most N levels below a source')
            [CompletionResult]::new('--param', '--param', [CompletionResultType]::ParameterName, 'Set a manifest parameter (repeatable)')
            [CompletionResult]::new('--expand', '--expand', [CompletionResultType]::ParameterName, 'Expand a section of the manifest or a skill in the prompt (repeatable)')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the chosen format to FILE (not -), and text to the terminal')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the chosen format to FILE (not -), and text to the terminal')
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'Also report what this agent does with each skill (repeatable)')
            [CompletionResult]::new('--rule', '--rule', [CompletionResultType]::ParameterName, 'Set the level of a rule: off, note, warning or error (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Choose when to use colour')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in DIR')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in DIR')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Use exactly what skills.lock pins, from the cache if possible')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Fail on warnings, and report fields outside the specification as errors')
            [CompletionResult]::new('--deep', '--deep', [CompletionResultType]::ParameterName, 'Search every file of a skill for secrets, hidden text and dangerous commands')
            [CompletionResult]::new('--fix', '--fix', [CompletionResultType]::ParameterName, 'Repair errors and warnings where the repair is certain; all: notes too')
            [CompletionResult]::new('--diff', '--diff', [CompletionResultType]::ParameterName, 'Print what --fix would change, as a diff for patch -p1 or git apply')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print notes too; repeat to print logs')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print notes too; repeat to print logs')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'Never show a progress bar')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skills;list' {
            [CompletionResult]::new('--manifest', '--manifest', [CompletionResultType]::ParameterName, 'Read sources, filters and rules from FILE [default: skills.yaml, without SOURCES]')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Select only skills whose names match (repeatable)')
            [CompletionResult]::new('--deny', '--deny', [CompletionResultType]::ParameterName, 'Leave out skills whose names match; overrides --allow (repeatable)')
            [CompletionResult]::new('--only', '--only', [CompletionResultType]::ParameterName, 'Select the skill with exactly this name (repeatable)')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'Skip directories whose paths below the source match (repeatable)')
            [CompletionResult]::new('--max-depth', '--max-depth', [CompletionResultType]::ParameterName, 'Search at most N levels below a source')
            [CompletionResult]::new('--param', '--param', [CompletionResultType]::ParameterName, 'Set a manifest parameter (repeatable)')
            [CompletionResult]::new('--expand', '--expand', [CompletionResultType]::ParameterName, 'Expand a section of the manifest or a skill in the prompt (repeatable)')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'Search only these providers: claude, agents:project, … (repeatable)')
            [CompletionResult]::new('--no-source', '--no-source', [CompletionResultType]::ParameterName, 'Skip these providers (repeatable)')
            [CompletionResult]::new('--skills-dir', '--skills-dir', [CompletionResultType]::ParameterName, 'Also search DIR, one level deep (repeatable)')
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'List exactly what this agent shows its model; with -v, also what it drops and why')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Choose when to use colour')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in DIR')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in DIR')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Use exactly what skills.lock pins, from the cache if possible')
            [CompletionResult]::new('--discover', '--discover', [CompletionResultType]::ParameterName, 'List the skills that agents find on this machine, even if skills.yaml exists')
            [CompletionResult]::new('-l', '-l', [CompletionResultType]::ParameterName, 'Also show files, bytes, tokens, path and digest')
            [CompletionResult]::new('--long', '--long', [CompletionResultType]::ParameterName, 'Also show files, bytes, tokens, path and digest')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print notes too; repeat to print logs')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print notes too; repeat to print logs')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'Never show a progress bar')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skills;render' {
            [CompletionResult]::new('--manifest', '--manifest', [CompletionResultType]::ParameterName, 'Read sources, filters and rules from FILE [default: skills.yaml, without SOURCES]')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Select only skills whose names match (repeatable)')
            [CompletionResult]::new('--deny', '--deny', [CompletionResultType]::ParameterName, 'Leave out skills whose names match; overrides --allow (repeatable)')
            [CompletionResult]::new('--only', '--only', [CompletionResultType]::ParameterName, 'Select the skill with exactly this name (repeatable)')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'Skip directories whose paths below the source match (repeatable)')
            [CompletionResult]::new('--max-depth', '--max-depth', [CompletionResultType]::ParameterName, 'Search at most N levels below a source')
            [CompletionResult]::new('--param', '--param', [CompletionResultType]::ParameterName, 'Set a manifest parameter (repeatable)')
            [CompletionResult]::new('--expand', '--expand', [CompletionResultType]::ParameterName, 'Expand a section of the manifest or a skill in the prompt (repeatable)')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--visibility', '--visibility', [CompletionResultType]::ParameterName, 'Show full entries, or only names and summaries')
            [CompletionResult]::new('--mount-path', '--mount-path', [CompletionResultType]::ParameterName, 'Say that skills are below this relative path')
            [CompletionResult]::new('--events', '--events', [CompletionResultType]::ParameterName, 'Append events to FILE, one JSON object per line (- for standard output)')
            [CompletionResult]::new('--preload', '--preload', [CompletionResultType]::ParameterName, 'Render this skill in full instead of a catalogue (repeatable)')
            [CompletionResult]::new('--activate', '--activate', [CompletionResultType]::ParameterName, 'Render one skill as an agent loads it: its text, directory and files')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Add the user''s request to the activated skill')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Render the listing that this agent shows its model; with -v, also its tokens')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Choose when to use colour')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in DIR')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in DIR')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Use exactly what skills.lock pins, from the cache if possible')
            [CompletionResult]::new('--no-instructions', '--no-instructions', [CompletionResultType]::ParameterName, 'Leave out the instructions for using skills')
            [CompletionResult]::new('--nested', '--nested', [CompletionResultType]::ParameterName, 'Include skills nested inside other skills')
            [CompletionResult]::new('--prompt-only', '--prompt-only', [CompletionResultType]::ParameterName, 'Render only skills with tools, which stay in the prompt when the rest are mounted')
            [CompletionResult]::new('--sections', '--sections', [CompletionResultType]::ParameterName, 'Render every skill as a section of the prompt, with or without tools')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print notes too; repeat to print logs')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print notes too; repeat to print logs')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'Never show a progress bar')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skills;read' {
            [CompletionResult]::new('--skills-dir', '--skills-dir', [CompletionResultType]::ParameterName, 'Search DIR, one level deep (repeatable)')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Choose when to use colour')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in DIR')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in DIR')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print notes too; repeat to print logs')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print notes too; repeat to print logs')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'Never show a progress bar')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skills;install' {
            [CompletionResult]::new('--manifest', '--manifest', [CompletionResultType]::ParameterName, 'Read sources, filters and rules from FILE [default: skills.yaml, without SOURCES]')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Select only skills whose names match (repeatable)')
            [CompletionResult]::new('--deny', '--deny', [CompletionResultType]::ParameterName, 'Leave out skills whose names match; overrides --allow (repeatable)')
            [CompletionResult]::new('--only', '--only', [CompletionResultType]::ParameterName, 'Select the skill with exactly this name (repeatable)')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'Skip directories whose paths below the source match (repeatable)')
            [CompletionResult]::new('--max-depth', '--max-depth', [CompletionResultType]::ParameterName, 'Search at most N levels below a source')
            [CompletionResult]::new('--param', '--param', [CompletionResultType]::ParameterName, 'Set a manifest parameter (repeatable)')
            [CompletionResult]::new('--expand', '--expand', [CompletionResultType]::ParameterName, 'Expand a section of the manifest or a skill in the prompt (repeatable)')
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'Use the skills directory of this agent, such as codex [default: claude] (repeatable)')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use the skills directory of the user or of the current repository')
            [CompletionResult]::new('--home', '--home', [CompletionResultType]::ParameterName, 'Use DIR as the home directory')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use DIR as the skills directory, whichever agent reads it')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Wait at most this long for another run to finish')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--max-skill-size', '--max-skill-size', [CompletionResultType]::ParameterName, 'Maximum size of one skill [default: 10MiB]')
            [CompletionResult]::new('--max-total-size', '--max-total-size', [CompletionResultType]::ParameterName, 'Maximum size of all skills together [default: 50MiB]')
            [CompletionResult]::new('--events', '--events', [CompletionResultType]::ParameterName, 'Append events to FILE, one JSON object per line (- for standard output)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Choose when to use colour')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in DIR')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in DIR')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Use exactly what skills.lock pins, from the cache if possible')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Show what would happen, and write nothing')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Show what would happen, and write nothing')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Replace skills that differ, were edited or come from elsewhere; back up edited ones')
            [CompletionResult]::new('--no-sync', '--no-sync', [CompletionResultType]::ParameterName, 'Do not wait until the files have reached the disk')
            [CompletionResult]::new('--nested', '--nested', [CompletionResultType]::ParameterName, 'Include skills nested inside other skills')
            [CompletionResult]::new('--no-skip', '--no-skip', [CompletionResultType]::ParameterName, 'Fail if any skill would be skipped')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Fail on any error that `skills validate` reports')
            [CompletionResult]::new('--no-validate', '--no-validate', [CompletionResultType]::ParameterName, 'Skip all rules except the safety rules')
            [CompletionResult]::new('--follow-symlinks', '--follow-symlinks', [CompletionResultType]::ParameterName, 'Copy the targets of links that stay inside the source')
            [CompletionResult]::new('--read-only', '--read-only', [CompletionResultType]::ParameterName, 'Make the copies read-only')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print notes too; repeat to print logs')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print notes too; repeat to print logs')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'Never show a progress bar')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skills;remove' {
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'Use the skills directory of this agent, such as codex [default: claude] (repeatable)')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use the skills directory of the user or of the current repository')
            [CompletionResult]::new('--home', '--home', [CompletionResultType]::ParameterName, 'Use DIR as the home directory')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use DIR as the skills directory, whichever agent reads it')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Wait at most this long for another run to finish')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Choose when to use colour')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in DIR')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in DIR')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Show what would happen, and write nothing')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Show what would happen, and write nothing')
            [CompletionResult]::new('--no-sync', '--no-sync', [CompletionResultType]::ParameterName, 'Do not wait until the files have reached the disk')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Remove skills that were edited or come from elsewhere, and keep a backup')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print notes too; repeat to print logs')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print notes too; repeat to print logs')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'Never show a progress bar')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skills;verify' {
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'Use the skills directory of this agent, such as codex [default: claude] (repeatable)')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use the skills directory of the user or of the current repository')
            [CompletionResult]::new('--home', '--home', [CompletionResultType]::ParameterName, 'Use DIR as the home directory')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use DIR as the skills directory, whichever agent reads it')
            [CompletionResult]::new('--manifest', '--manifest', [CompletionResultType]::ParameterName, 'Also compare with the lock of this manifest [default: skills.yaml, if it has a lock]')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Choose when to use colour')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in DIR')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in DIR')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Require every locked skill to be installed exactly as locked')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print notes too; repeat to print logs')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print notes too; repeat to print logs')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'Never show a progress bar')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skills;mount' {
            [CompletionResult]::new('--manifest', '--manifest', [CompletionResultType]::ParameterName, 'Read sources, filters and rules from FILE [default: skills.yaml, without SOURCES]')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Select only skills whose names match (repeatable)')
            [CompletionResult]::new('--deny', '--deny', [CompletionResultType]::ParameterName, 'Leave out skills whose names match; overrides --allow (repeatable)')
            [CompletionResult]::new('--only', '--only', [CompletionResultType]::ParameterName, 'Select the skill with exactly this name (repeatable)')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'Skip directories whose paths below the source match (repeatable)')
            [CompletionResult]::new('--max-depth', '--max-depth', [CompletionResultType]::ParameterName, 'Search at most N levels below a source')
            [CompletionResult]::new('--param', '--param', [CompletionResultType]::ParameterName, 'Set a manifest parameter (repeatable)')
            [CompletionResult]::new('--expand', '--expand', [CompletionResultType]::ParameterName, 'Expand a section of the manifest or a skill in the prompt (repeatable)')
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'Mount for this agent, or all [default: the agent in COMMAND, else claude] (repeatable)')
            [CompletionResult]::new('--home', '--home', [CompletionResultType]::ParameterName, 'Create the home in DIR, which must be absent or empty [default: below TMPDIR]')
            [CompletionResult]::new('--prefix', '--prefix', [CompletionResultType]::ParameterName, 'Start the name of a temporary home with PREFIX [default: agent-]')
            [CompletionResult]::new('--with', '--with', [CompletionResultType]::ParameterName, 'Link another path of the real home (repeatable)')
            [CompletionResult]::new('--auth', '--auth', [CompletionResultType]::ParameterName, 'Choose how to provide logins')
            [CompletionResult]::new('--max-skill-size', '--max-skill-size', [CompletionResultType]::ParameterName, 'Maximum size of one skill [default: 10MiB]')
            [CompletionResult]::new('--max-total-size', '--max-total-size', [CompletionResultType]::ParameterName, 'Maximum size of all skills together [default: 50MiB]')
            [CompletionResult]::new('--events', '--events', [CompletionResultType]::ParameterName, 'Append events to FILE, one JSON object per line (- for standard output)')
            [CompletionResult]::new('--prompt', '--prompt', [CompletionResultType]::ParameterName, 'Write the output of `skills render --prompt-only` to FILE')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format when no command is given')
            [CompletionResult]::new('--shell', '--shell', [CompletionResultType]::ParameterName, 'Shell for --format env')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Choose when to use colour')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in DIR')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in DIR')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Use exactly what skills.lock pins, from the cache if possible')
            [CompletionResult]::new('--keep', '--keep', [CompletionResultType]::ParameterName, 'Keep the home after the command ends')
            [CompletionResult]::new('--allow-host-skills', '--allow-host-skills', [CompletionResultType]::ParameterName, 'Run even if the agent can see skills of the real home')
            [CompletionResult]::new('--trust-manifest', '--trust-manifest', [CompletionResultType]::ParameterName, 'Let the manifest set variables that choose programs, endpoints and secrets')
            [CompletionResult]::new('--nested', '--nested', [CompletionResultType]::ParameterName, 'Include skills nested inside other skills')
            [CompletionResult]::new('--no-skip', '--no-skip', [CompletionResultType]::ParameterName, 'Fail if any skill would be skipped')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Fail on any error that `skills validate` reports')
            [CompletionResult]::new('--no-validate', '--no-validate', [CompletionResultType]::ParameterName, 'Skip all rules except the safety rules')
            [CompletionResult]::new('--follow-symlinks', '--follow-symlinks', [CompletionResultType]::ParameterName, 'Copy the targets of links that stay inside the source')
            [CompletionResult]::new('--read-only', '--read-only', [CompletionResultType]::ParameterName, 'Make the copies read-only')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print notes too; repeat to print logs')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print notes too; repeat to print logs')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'Never show a progress bar')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skills;unmount' {
            [CompletionResult]::new('--older-than', '--older-than', [CompletionResultType]::ParameterName, 'Also remove homes mounted without a command before AGE: 90s, 30m, 12h, 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Choose when to use colour')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in DIR')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in DIR')
            [CompletionResult]::new('--stale', '--stale', [CompletionResultType]::ParameterName, 'Remove homes below TMPDIR whose run was killed')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print notes too; repeat to print logs')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print notes too; repeat to print logs')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'Never show a progress bar')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skills;pack' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to this directory or, for one skill, to this .skill or .zip file [default: .]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to this directory or, for one skill, to this .skill or .zip file [default: .]')
            [CompletionResult]::new('--include', '--include', [CompletionResultType]::ParameterName, 'Include files that are left out by default (repeatable)')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'Leave out files that match (repeatable)')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Choose when to use colour')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in DIR')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in DIR')
            [CompletionResult]::new('--nested', '--nested', [CompletionResultType]::ParameterName, 'Include skills nested inside other skills')
            [CompletionResult]::new('--no-validate', '--no-validate', [CompletionResultType]::ParameterName, 'Skip all rules except the safety rules')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Replace archives that differ')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print notes too; repeat to print logs')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print notes too; repeat to print logs')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'Never show a progress bar')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skills;lock' {
            [CompletionResult]::new('--manifest', '--manifest', [CompletionResultType]::ParameterName, 'Read the sources from this manifest [default: skills.yaml]')
            [CompletionResult]::new('--param', '--param', [CompletionResultType]::ParameterName, 'Set a manifest parameter (repeatable)')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--upgrade', '--upgrade', [CompletionResultType]::ParameterName, 'Upgrade all sources, or only those that are named NAME or provide skill NAME')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Choose when to use colour')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in DIR')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in DIR')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Show what would change, and write nothing')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Show what would change, and write nothing')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print notes too; repeat to print logs')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print notes too; repeat to print logs')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'Never show a progress bar')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skills;outdated' {
            [CompletionResult]::new('--manifest', '--manifest', [CompletionResultType]::ParameterName, 'Read the sources from this manifest [default: skills.yaml]')
            [CompletionResult]::new('--param', '--param', [CompletionResultType]::ParameterName, 'Set a manifest parameter (repeatable)')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Choose when to use colour')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in DIR')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in DIR')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print notes too; repeat to print logs')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print notes too; repeat to print logs')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'Never show a progress bar')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skills;init' {
            [CompletionResult]::new('--description', '--description', [CompletionResultType]::ParameterName, 'Describe what the skill does and when to use it')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Create the skill''s directory in DIR')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Choose when to use colour')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in DIR')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in DIR')
            [CompletionResult]::new('--manifest', '--manifest', [CompletionResultType]::ParameterName, 'Write a commented skills.yaml instead of a skill')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print notes too; repeat to print logs')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print notes too; repeat to print logs')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'Never show a progress bar')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skills;explain' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Choose when to use colour')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in DIR')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in DIR')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print notes too; repeat to print logs')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print notes too; repeat to print logs')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'Never show a progress bar')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skills;rules' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Choose when to use colour')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in DIR')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in DIR')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print notes too; repeat to print logs')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print notes too; repeat to print logs')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'Never show a progress bar')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skills;schema' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Choose when to use colour')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in DIR')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in DIR')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print notes too; repeat to print logs')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print notes too; repeat to print logs')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'Never show a progress bar')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skills;completions' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Choose when to use colour')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in DIR')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in DIR')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print notes too; repeat to print logs')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print notes too; repeat to print logs')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'Never show a progress bar')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skills;man' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Write one page per command to DIR')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Choose when to use colour')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in DIR')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in DIR')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print notes too; repeat to print logs')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print notes too; repeat to print logs')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'Never show a progress bar')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skills;help' {
            [CompletionResult]::new('validate', 'validate', [CompletionResultType]::ParameterValue, 'Check skills against the specification and the behaviour of real agents')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List skills, and show which ones agents load and why others are missing')
            [CompletionResult]::new('render', 'render', [CompletionResultType]::ParameterValue, 'Print the catalogue of skills that a model sees')
            [CompletionResult]::new('read', 'read', [CompletionResultType]::ParameterValue, 'Print one file of a skill')
            [CompletionResult]::new('install', 'install', [CompletionResultType]::ParameterValue, 'Copy skills into the directories where agents look for them')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'Remove installed skills')
            [CompletionResult]::new('verify', 'verify', [CompletionResultType]::ParameterValue, 'Find installed skills that changed since they were installed')
            [CompletionResult]::new('mount', 'mount', [CompletionResultType]::ParameterValue, 'Create a temporary home with only these skills, and run an agent in it')
            [CompletionResult]::new('unmount', 'unmount', [CompletionResultType]::ParameterValue, 'Remove homes created by `skills mount`')
            [CompletionResult]::new('pack', 'pack', [CompletionResultType]::ParameterValue, 'Pack each skill into a reproducible .skill archive')
            [CompletionResult]::new('lock', 'lock', [CompletionResultType]::ParameterValue, 'Pin the sources of a manifest to commits and digests')
            [CompletionResult]::new('outdated', 'outdated', [CompletionResultType]::ParameterValue, 'Show what `skills lock --upgrade` would change')
            [CompletionResult]::new('init', 'init', [CompletionResultType]::ParameterValue, 'Create a skill that passes validation')
            [CompletionResult]::new('explain', 'explain', [CompletionResultType]::ParameterValue, 'Explain what a rule checks, why, and how to satisfy it')
            [CompletionResult]::new('rules', 'rules', [CompletionResultType]::ParameterValue, 'List all rules')
            [CompletionResult]::new('schema', 'schema', [CompletionResultType]::ParameterValue, 'Print the JSON Schema of skills.yaml')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a shell completion script')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print the manual page, or write one page per command')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'skills;help;validate' {
            break
        }
        'skills;help;list' {
            break
        }
        'skills;help;render' {
            break
        }
        'skills;help;read' {
            break
        }
        'skills;help;install' {
            break
        }
        'skills;help;remove' {
            break
        }
        'skills;help;verify' {
            break
        }
        'skills;help;mount' {
            break
        }
        'skills;help;unmount' {
            break
        }
        'skills;help;pack' {
            break
        }
        'skills;help;lock' {
            break
        }
        'skills;help;outdated' {
            break
        }
        'skills;help;init' {
            break
        }
        'skills;help;explain' {
            break
        }
        'skills;help;rules' {
            break
        }
        'skills;help;schema' {
            break
        }
        'skills;help;completions' {
            break
        }
        'skills;help;man' {
            break
        }
        'skills;help;help' {
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}

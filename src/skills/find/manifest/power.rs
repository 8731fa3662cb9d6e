//! Recognises environment variables that control programs, by their names.

use crate::skills::agents::AGENTS;

/// What a variable can do to programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Power {
    Programs,
    Code,
    Shells,
    Consent,
    Certificates,
    Endpoints,
    Files,
}

/// Names of variables, separated by blanks: whole names, prefixes, suffixes, and words between
/// underscores.
struct VariableNames {
    whole: &'static str,
    beginnings: &'static str,
    ends: &'static str,
    words: &'static str,
}

/// The names of powerful variables, in upper case; the first matching row counts. Most are
/// patterns, because no list of names is complete. A false match costs the user one flag.
const POWERS: [(Power, VariableNames); 7] = [
    (
        Power::Shells,
        VariableNames {
            whole: "IFS PS0 PS1 PS2 PS4 GLOBIGNORE FIGNORE POSIXLY_CORRECT",
            beginnings: "",
            ends: "SHELLOPTS BASHOPTS",
            words: "",
        },
    ),
    (
        Power::Programs,
        VariableNames {
            whole: "PATH PATHEXT COMSPEC VISUAL CC CXX CPP LD AR AS FC MAKE RUSTC RUSTDOC \
                LESSOPEN LESSCLOSE PREFIX VIMINIT EXINIT",
            beginnings: "PROMPT_ SUDO_",
            ends: "SHELL EDITOR PAGER BROWSER WRAPPER ASKPASS",
            words: "COMMAND COMMANDS CMD LAUNCHER HELPER EXEC EXECUTABLE PROGRAM BINARY BIN \
                INTERPRETER HOOK HOOKS RUNNER LINKER COMPILER SHELL EDITOR PAGER BROWSER \
                WRAPPER",
        },
    ),
    (
        Power::Code,
        VariableNames {
            whole: "ENV CLASSPATH",
            beginnings: "LD_ DYLD_ _RLD LIBPATH SHLIB_ GCONV_ GLIBC_ MALLOC_ BASH_ ZDOTDIR \
                PYTHON PIP_ UV_ POETRY_ CONDA_ VIRTUAL_ENV PERL RUBY GEM_ BUNDLE_ NODE_ NPM_ \
                YARN_ PNPM_ COREPACK_ BUN_ DENO_ TS_NODE_ TSX_ JAVA_ _JAVA_ JDK_ JVM_ MAVEN_ \
                GRADLE_ KOTLIN_ SBT_ GOFLAGS GOENV CARGO_ RUST DOTNET_ COMPLUS_ CORECLR_ COR_ \
                PHP LUA GUILE_ ERL_ ELIXIR_ JULIA_ R_ OCAML GHC GIT_ HG SVN_ SSH_ GPG OPENSSL_ \
                GTK_ QT_ GIO_ GST_ VIM EMACS ELECTRON_ MAKE CMAKE_",
            ends: "FLAGS OPT OPTS OPTIONS PRELOAD",
            words: "LOADER ARGS PLUGIN PLUGINS EXTENSION EXTENSIONS MODULE MODULES REQUIRE \
                IMPORT INIT STARTUP MCP SKILL SKILLS OPTIONS FLAGS",
        },
    ),
    (
        Power::Consent,
        VariableNames {
            whole: "",
            beginnings: "",
            ends: "",
            words: "PERMISSION PERMISSIONS TRUST TRUSTED APPROVAL APPROVALS SANDBOX ALLOW \
                ALLOWED DANGEROUSLY UNSAFE YOLO",
        },
    ),
    (
        Power::Certificates,
        VariableNames {
            whole: "",
            beginnings: "SSL_ CURL_",
            ends: "",
            words: "CERT CERTS CERTIFICATE CERTIFICATES CA CAFILE CAPATH CAINFO BUNDLE TLS SSL \
                INSECURE VERIFY",
        },
    ),
    (
        Power::Endpoints,
        VariableNames {
            whole: "",
            beginnings: "OTEL_ KUBE DOCKER_ HTTP_ HTTPS_",
            ends: "PROXY URL URI",
            words: "URL URLS URI ENDPOINT ENDPOINTS HOST HOSTS HOSTNAME PROXY GATEWAY SERVER \
                SERVERS REGISTRY INDEX ADDR ADDRESS PORT SOCK SOCKET DOMAIN ISSUER RELAY TUNNEL \
                MIRROR HEADERS RESOURCE BASE NAMESERVER RESOLV HOSTALIASES",
        },
    ),
    (
        Power::Files,
        VariableNames {
            whole: "TMP TEMP TERMINFO TERMCAP USERPROFILE HOMEDRIVE APPDATA",
            beginnings: "XDG_ NIX_",
            ends: "HOME DIR DIRS DIRECTORY DIRECTORIES PATH PATHS ROOT ROOTS CONFIG CONF FILE \
                FILES RC SETTINGS",
            words: "HOME DIR PATH ROOT CONFIG CONFIGURATION CONF CREDENTIALS FILE MD \
                SETTINGS CACHE",
        },
    ),
];

impl Power {
    /// What a variable of this name can do, in any letter case: proxies use both, and some systems
    /// ignore case.
    pub fn of(name: &str) -> Option<Self> {
        let name = name.to_ascii_uppercase();
        // `HOME` has an error of its own.
        if name == "HOME" {
            return None;
        }
        let any = |list: &'static str, holds: &dyn Fn(&str) -> bool| {
            list.split_ascii_whitespace().any(holds)
        };
        let fits = |names: &VariableNames| {
            any(names.whole, &|whole| name == whole)
                || any(names.beginnings, &|beginning| name.starts_with(beginning))
                || any(names.ends, &|end| name.ends_with(end))
                || any(names.words, &|word| name.split('_').any(|part| part == word))
        };
        let moves = AGENTS.iter().any(|agent| agent.mounting.concerns(&name));
        let row = POWERS.iter().find(|(_, names)| fits(names)).map(|(power, _)| *power);
        row.or(moves.then_some(Self::Files))
    }

    /// What it does.
    pub const fn deed(self) -> &'static str {
        match self {
            Self::Programs => "chooses the programs that run",
            Self::Code => "loads code into programs, or changes what they do",
            Self::Shells => "changes what commands mean to a shell",
            Self::Consent => "decides what the agent may do without asking",
            Self::Certificates => "chooses which servers programs trust",
            Self::Endpoints => "chooses which servers programs contact",
            Self::Files => "chooses where programs look for files",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_choose_code_programs_homes_or_endpoints_have_power() {
        for (power, names) in [
            (
                Power::Programs,
                "PATH Path SHELL EDITOR VISUAL GIT_EDITOR PAGER BROWSER PROMPT_COMMAND \
                 CLAUDE_CODE_SHELL_PREFIX CLAUDE_CODE_PROCESS_WRAPPER COPILOT_PROVIDER_API_KEY_COMMAND \
                 RUSTC_WRAPPER SSH_ASKPASS LESSOPEN CC",
            ),
            (
                Power::Code,
                "LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES BASH_ENV ENV NODE_OPTIONS \
                 NODE_PATH NODE_EXTRA_CA_CERTS PYTHONPATH PYTHONSTARTUP PYTHONHOME PERL5OPT \
                 PERL5LIB RUBYOPT RUBYLIB JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS \
                 CLASSPATH npm_config_prefix NPM_CONFIG_REGISTRY GIT_SSH GIT_CONFIG_COUNT \
                 SSH_AUTH_SOCK CARGO_HOME BUN_OPTIONS ZDOTDIR MAKEFLAGS GOFLAGS OPENSSL_CONF \
                 ELECTRON_RUN_AS_NODE GCONV_PATH CLAUDE_CODE_PLUGIN_DIRS COPILOT_SKILLS_DIRS",
            ),
            (Power::Shells, "IFS PS4 SHELLOPTS BASHOPTS"),
            (Power::Consent, "COPILOT_ALLOW_ALL OPENCODE_PERMISSION GEMINI_CLI_TRUST_WORKSPACE"),
            (Power::Certificates, "SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_HOME"),
            (
                Power::Endpoints,
                "ANTHROPIC_BASE_URL OPENAI_BASE_URL HTTP_PROXY https_proxy all_proxy NO_PROXY \
                 GOPROXY AWS_ENDPOINT_URL_S3 OTEL_EXPORTER_OTLP_ENDPOINT OLLAMA_HOST GH_HOST \
                 DOCKER_HOST ANTHROPIC_CUSTOM_HEADERS AZURE_OPENAI_RESOURCE_NAME ANTHROPIC_UNIX_SOCKET",
            ),
            (
                Power::Files,
                "XDG_CONFIG_HOME CODEX_HOME CLAUDE_CONFIG_DIR OPENCODE_CONFIG \
                 OPENCODE_CONFIG_CONTENT GEMINI_CLI_HOME PI_CODING_AGENT_DIR AWS_CONFIG_FILE \
                 TMPDIR INPUTRC WGETRC GNUPGHOME GOOGLE_APPLICATION_CREDENTIALS GEMINI_SYSTEM_MD OPENCODE_DB OPENCODE_DISABLE_CLAUDE_CODE",
            ),
        ] {
            for name in names.split_whitespace() {
                // The first match is reported.
                let found = Power::of(name);
                assert!(found.is_some(), "{name}");
                let shadowed = [Power::Programs, Power::Code];
                assert!(
                    found == Some(power) || found.is_some_and(|one| shadowed.contains(&one)),
                    "{name}: {found:?}"
                );
            }
        }
        let harmless = "EXTRA LANG LC_ALL TERM TZ CI DEBUG NO_COLOR ANTHROPIC_MODEL AWS_REGION \
             ANTHROPIC_API_KEY GITHUB_TOKEN CLAUDE_CODE_USE_BEDROCK CLAUDE_CODE_MAX_OUTPUT_TOKENS \
             MY_KEY HOME";
        for name in harmless.split_whitespace() {
            assert_eq!(Power::of(name), None, "{name}");
        }
    }
}

/** share-release completion: prints a completion script for a shell. */

import { Argument, type Command } from "commander";
import { SOURCES } from "../../pipeline/sources/index.ts";
import { CSV_SOURCES } from "../../releases/export-csv.ts";
import { command } from "../options/shared.ts";
import { printLines } from "../terminal/text.ts";

const SHELLS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const satisfies Record<
  string,
  (all: readonly CompletedCommand[]) => string
>;

export function completionCommand(): Command {
  return command("completion", "Print a script that completes commands, options and values in a shell", [
    "completion bash > /etc/bash_completion.d/share-release",
  ])
    .addArgument(new Argument("<shell>", "Your shell").choices(Object.keys(SHELLS)))
    .action((shell: keyof typeof SHELLS, _options: object, self: Command) => {
      printLines(SHELLS[shell](listCompletedCommands(self.parent ?? self)).trimEnd());
    });
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Quotes a text so that the shell fish reads it as one word. A backslash escapes a quote there. */
export function fishQuoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

export function branch(patterns: readonly string[], body: string): string {
  return `        ${patterns.map(quoted).join(" | ")}) ${body} ;;`;
}

/**
 * Returns a branch of a shell script for each option that takes a value. `body` returns the code of a branch, given the
 * values to suggest.
 */
export function cases(all: readonly CompletedCommand[], body: (values: readonly string[]) => string): string {
  return all
    .flatMap(({ path, options }) =>
      options.flatMap(({ word, values }) => (values === null ? [] : [branch([`${path} ${word}`], body(values))])),
    )
    .join("\n");
}

export interface CompletedWord {
  readonly word: string;
  readonly says: string;
}

export interface CompletedOption extends CompletedWord {
  /** Values to suggest. Empty for an option that takes a file or any text; null for an option without a value. */
  readonly values: readonly string[] | null;
}

export interface CompletedCommand {
  /** The words of the command with slashes, such as `/key/new`; empty for the program itself. */
  readonly path: string;
  readonly says: string;
  readonly commands: readonly CompletedWord[];
  readonly options: readonly CompletedOption[];
  /** Values to suggest for arguments. Empty for files or any text. */
  readonly values: readonly string[];
}

const HELP = { word: "--help", says: "Show the help of the command", values: null } as const;

/**
 * Values to suggest for the arguments of three commands. Their parsers accept any text, because the commands themselves
 * report an unknown name and suggest the right ones.
 */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  "/harvest": SOURCES.map(({ name }) => name),
  "/source/check": SOURCES.map(({ name }) => name),
  "/release/export": [...CSV_SOURCES.keys()],
};

/** Returns the program and all its commands. A command follows the group that it belongs to. */
export function listCompletedCommands(command: Command, path = ""): CompletedCommand[] {
  const commands = command.commands.map((each) => ({ word: each.name(), says: each.description() }));
  const own: CompletedCommand = {
    path,
    says: command.description(),
    commands,
    options: [...listOptions(command), HELP],
    values: VALUES[path] ?? command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
  };
  return [own, ...command.commands.flatMap((each) => listCompletedCommands(each, `${path}/${each.name()}`))];
}

export function listPaths(all: readonly CompletedCommand[]): string[] {
  return all.map(({ path }) => path).filter((path) => path !== "");
}

function listOptions(command: Command): CompletedOption[] {
  return command.options.flatMap(({ long, description, hidden, required, optional, argChoices }) =>
    hidden || !long
      ? []
      : [{ word: long, says: description, values: required || optional ? (argChoices ?? []) : null }],
  );
}

/** Returns the completion script for bash. If the script suggests nothing, bash completes file names. */
export function bashScript(all: readonly CompletedCommand[]): string {
  const words = all.map(({ path, commands, options, values }) =>
    branch(
      [path],
      `words=${quoted([...commands.map(({ word }) => word), ...values].join(" "))}; options=${quoted(options.map(({ word }) => word).join(" "))}`,
    ),
  );
  return `# Completion of share-release for bash. In ~/.bashrc: source <(share-release completion bash)
_share_release() {
    local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} command= place words= options=
    for ((place = 1; place < COMP_CWORD; place++)); do
        case "$command/\${COMP_WORDS[place]}" in
${branch(listPaths(all), `command+=/\${COMP_WORDS[place]}`)}
        esac
    done
    case "$command $before" in
${cases(all, (values) => `COMPREPLY=($(compgen -W ${quoted(values.join(" "))} -- "$current")); return`)}
    esac
    case "$command" in
${words.join("\n")}
    esac
    if [[ $current == -* ]]; then words=$options; fi
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _share_release share-release
`;
}

/** Returns the completion script for fish. Each line suggests one word, under a condition on what the user has typed. */
export function fishScript(all: readonly CompletedCommand[]): string {
  return `# Completion of share-release for fish. In ~/.config/fish/config.fish: share-release completion fish | source
function __share_release_command
    set -l command ''
    for word in (commandline -opc)[2..]
        if contains -- $command/$word ${listPaths(all).join(" ")}
            set command $command/$word
        end
    end
    test "$command" = "$argv[1]"
end
complete -c share-release -f
${all.map(writeLines).join("\n")}
`;
}

function writeLines({ path, commands, options, values }: CompletedCommand): string {
  const under = `complete -c share-release -n '__share_release_command "${path}"'`;
  const words = commands.map(({ word, says }) => `${under} -a ${word} -d ${fishQuoted(says)}`);
  const suggestions = values.map((value) => `${under} -a ${fishQuoted(value)}`);
  const files = commands.length === 0 && values.length === 0 ? [`${under} -F`] : [];
  const flags = options.map(({ word, says, values: known }) => {
    const valueFlags = known === null ? "" : known.length === 0 ? " -r -F" : ` -x -a ${fishQuoted(known.join(" "))}`;
    return `${under} -l ${word.slice("--".length)}${valueFlags} -d ${fishQuoted(says)}`;
  });
  return [...words, ...suggestions, ...files, ...flags].join("\n");
}

export function zshScript(all: readonly CompletedCommand[]): string {
  const words = all.map(({ path, commands, options, values }) => {
    const known = [...commands, ...values.map((word) => ({ word, says: "" }))];
    return branch([path], `words_=(${described(known)}); options_=(${described(options)})`);
  });
  return `#compdef share-release
# Completion of share-release for zsh. In ~/.zshrc, after compinit: source <(share-release completion zsh)
_share_release() {
    local command= place
    local -a words_ options_
    for ((place = 2; place < CURRENT; place++)); do
        case "$command/\${words[place]}" in
${branch(listPaths(all), `command+=/\${words[place]}`)}
        esac
    done
    case "$command \${words[CURRENT - 1]}" in
${cases(all, (values) => (values.length === 0 ? "_files; return" : `compadd -- ${values.map(quoted).join(" ")}; return`))}
    esac
    case "$command" in
${words.join("\n")}
    esac
    if [[ $PREFIX == -* ]]; then
        _describe option options_
    elif (( \${#words_} > 0 )); then
        _describe word words_
    else
        _files
    fi
}
compdef _share_release share-release
`;
}

/** Returns words for zsh in the form `word:description`. Colons in the words are escaped. */
function described(words: readonly CompletedWord[]): string {
  return words.map(({ word, says }) => quoted(`${word.replaceAll(":", "\\:")}:${says}`)).join(" ");
}

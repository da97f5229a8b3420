/** The script for bash. What it knows no word for is left to bash, which completes names of files. */

import { type Completed, pathsOf } from "./completed.ts";
import { branch, cases, quoted } from "./shell-text.ts";

export function bashScript(all: readonly Completed[]): string {
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
${branch(pathsOf(all), `command+=/\${COMP_WORDS[place]}`)}
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

/** The script for fish: a line for each word, under the condition that what stands before it is typed. */

import { type Completed, pathsOf } from "./completed.ts";
import { fishQuoted } from "./shell-text.ts";

export function fishScript(all: readonly Completed[]): string {
  return `# Completion of share-release for fish. In ~/.config/fish/config.fish: share-release completion fish | source
function __share_release_command
    set -l command ''
    for word in (commandline -opc)[2..]
        if contains -- $command/$word ${pathsOf(all).join(" ")}
            set command $command/$word
        end
    end
    test "$command" = "$argv[1]"
end
complete -c share-release -f
${all.map(linesOf).join("\n")}
`;
}

function linesOf({ path, commands, options, values }: Completed): string {
  const under = `complete -c share-release -n '__share_release_command "${path}"'`;
  const words = commands.map(({ word, says }) => `${under} -a ${word} -d ${fishQuoted(says)}`);
  const given = values.map((value) => `${under} -a ${fishQuoted(value)}`);
  const files = commands.length === 0 && values.length === 0 ? [`${under} -F`] : [];
  const flags = options.map(({ word, says, values: known }) => {
    const taken = known === null ? "" : known.length === 0 ? " -r -F" : ` -x -a ${fishQuoted(known.join(" "))}`;
    return `${under} -l ${word.slice("--".length)}${taken} -d ${fishQuoted(says)}`;
  });
  return [...words, ...given, ...files, ...flags].join("\n");
}

/** share-release completion: a script by which a shell completes what is typed after `share-release`. */

import { Argument, type Command } from "commander";
import { command } from "../options/shared.ts";
import { printLines } from "../text/terminal-text.ts";
import { bashScript } from "./bash.ts";
import { type Completed, completedOf } from "./completed.ts";
import { fishScript } from "./fish.ts";
import { zshScript } from "./zsh.ts";

const SHELLS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const satisfies Record<
  string,
  (all: readonly Completed[]) => string
>;

export function completionCommand(): Command {
  return command("completion", "print a script that completes commands, options and values in a shell", [
    "completion bash > /etc/bash_completion.d/share-release",
  ])
    .addArgument(new Argument("<shell>", "the shell it is for").choices(Object.keys(SHELLS)))
    .action((shell: keyof typeof SHELLS, _options: object, self: Command) => {
      printLines(SHELLS[shell](completedOf(self.parent ?? self)).trimEnd());
    });
}

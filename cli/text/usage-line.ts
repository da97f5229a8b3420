/** The parser's words on wrong usage, in one line that says where to look. */

import type { OutputConfiguration } from "commander";

/** Output of the program or of a command, by the name one calls it: `share-release build`. */
export function usageInOneLine(name: string): OutputConfiguration {
  return {
    outputError: (text, write) => {
      // The parser puts its suggestion on a line of its own and ends some messages with a full stop.
      const problem = text
        .replace(/^error: /, "")
        .trim()
        .replace(/\.$/, "")
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line !== "")
        .join(" ");
      write(`share-release: ${problem}; see \`${name} --help\`\n`);
    },
  };
}

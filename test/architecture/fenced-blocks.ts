/** Reads the fenced code blocks of a Markdown text, in order. */

export interface FencedBlock {
  /** The word after the fence: `sh`, `json`… */
  readonly language: string;
  readonly text: string;
  /** Line number of the opening fence, from 1. */
  readonly line: number;
  /**
   * The reason why no suite runs the block, from a comment `<!-- not run: … -->` right before it; null without such a comment.
   */
  readonly notRun: string | null;
  /**
   * The suite that runs the block, from a comment `<!-- run by: test/….test.ts -->` right before it; null without such a
   * comment.
   */
  readonly runBy: string | null;
}

export function fencedBlocks(markdown: string): FencedBlock[] {
  const blocks: FencedBlock[] = [];
  let open: Omit<FencedBlock, "text"> | null = null;
  let indentation = 0;
  let lines: string[] = [];
  let before = "";
  for (const [i, line] of markdown.split("\n").entries()) {
    const fence = /^( *)```(\w*)\s*$/.exec(line);
    if (fence !== null && open === null) {
      indentation = fence[1]?.length ?? 0;
      open = { language: fence[2] ?? "", line: i + 1, notRun: told(before, "not run"), runBy: told(before, "run by") };
      lines = [];
    } else if (fence !== null && open !== null) {
      blocks.push({ ...open, text: lines.join("\n") });
      open = null;
      before = "";
    } else if (open !== null) lines.push(line.slice(Math.min(indentation, line.length - line.trimStart().length)));
    else if (line.trim() !== "") before = line;
  }
  if (open !== null)
    throw new Error(`the code block that opens in line ${open.line} is never closed; end it with three backticks`);
  return blocks;
}

function told(line: string, what: string): string | null {
  const [, said = null, words = ""] = /^\s*<!-- (not run|run by): (.+) -->\s*$/.exec(line) ?? [];
  return said === what ? words : null;
}

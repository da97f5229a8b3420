/** The fenced blocks of a Markdown text, in order. */

export interface FencedBlock {
  /** The word after the fence: `sh`, `json`… */
  readonly language: string;
  readonly text: string;
  /** 1-based line of the fence. */
  readonly line: number;
}

export function fencedBlocks(markdown: string): FencedBlock[] {
  const blocks: FencedBlock[] = [];
  let open: { language: string; line: number; lines: string[] } | null = null;
  for (const [i, line] of markdown.split("\n").entries()) {
    const fence = /^```(\w*)\s*$/.exec(line);
    if (fence === null) open?.lines.push(line);
    else if (open === null) open = { language: fence[1] ?? "", line: i + 1, lines: [] };
    else {
      blocks.push({ language: open.language, line: open.line, text: open.lines.join("\n") });
      open = null;
    }
  }
  if (open !== null) throw new Error(`the block that opens in line ${open.line} is never closed`);
  return blocks;
}

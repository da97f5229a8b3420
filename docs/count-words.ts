/**
 * Counts the hand-written words of all documents. Words in generated regions, comments and fenced blocks of the
 * Markdown do not count. `npm run words` prints the number for each document, and the sum.
 */

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/**
 * True if a document is a translation, such as `understanding-scores.de.md`. Translations say the same as the English
 * document, so they are not counted.
 */
export function isTranslation(path: string): boolean {
  return /\.[a-z]{2}\.md$/.test(path);
}

/** Returns the paths of all Markdown files of the repository, relative to its root and sorted. */
export async function markdownFiles(root: string): Promise<string[]> {
  const entries = await readdir(root, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory() && !/^\.|^node_modules$|^coverage$/.test(entry.name));
  const below = await Promise.all(
    folders.map(async ({ name }) => (await markdownFiles(join(root, name))).map((path) => `${name}/${path}`)),
  );
  return [...entries.filter((entry) => entry.isFile()).map(({ name }) => name), ...below.flat()]
    .filter((path) => path.endsWith(".md"))
    .sort();
}

/** Returns the number of hand-written words. A word has at least one letter or digit. */
export function handWrittenWords(markdown: string): number {
  return markdown
    .replace(/<!-- generated: [\s\S]*?<!-- end -->/g, "")
    .replace(/^ *```[\s\S]*?^ *```/gm, "")
    .replace(/<!--[\s\S]*?-->/g, "")
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  let sum = 0;
  for (const path of (await markdownFiles(ROOT)).filter((each) => !isTranslation(each))) {
    const words = handWrittenWords(await readFile(join(ROOT, path), "utf8"));
    sum += words;
    process.stdout.write(`${String(words).padStart(6)}  ${path}\n`);
  }
  process.stdout.write(`${String(sum).padStart(6)}  all\n`);
}

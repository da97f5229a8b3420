/**
 * Computes digests of parts of the program, which show whether code, SQL or word lists changed since a file was
 * computed.
 */

import { hash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Returns the sha256, in hex, of files of the program: their paths and bytes. `folders` can also name single files;
 * `isWanted` selects from all of them.
 */
export async function filesDigest(folders: readonly string[], isWanted: (path: string) => boolean): Promise<string> {
  const lines = (await listCodeFiles(folders, isWanted)).map(
    async (path) => `${path} ${hash("sha256", await readFile(join(ROOT, path)))}`,
  );
  return hash("sha256", (await Promise.all(lines)).join("\n"));
}

/**
 * Returns the sha256, in hex, of the declarations in selected files. Moving a file, moving a declaration to another
 * file and changing a comment do not change it. Files that are not TypeScript are digested by name and bytes.
 */
export async function declarationsDigest(
  folders: readonly string[],
  isWanted: (path: string) => boolean,
): Promise<string> {
  const declarations = (await listCodeFiles(folders, isWanted)).map(async (path) => {
    const text = await readFile(join(ROOT, path), "utf8");
    return path.endsWith(".ts") ? splitDeclarations(text) : [`${basename(path)} ${text}`];
  });
  const digests = (await Promise.all(declarations)).flat().map((text) => hash("sha256", text));
  return hash("sha256", [...new Set(digests)].sort().join("\n"));
}

/** Returns the top-level declarations of a formatted module, without imports, comments and the word `export`. */
function splitDeclarations(text: string): string[] {
  return text
    .split("\n")
    .filter((line) => !/^(?:\/\/|\/\*\*|\* |\*\/|\*$)/.test(line.trimStart()))
    .join("\n")
    .split(/\n(?=[a-z])/)
    .map((part) => part.replace(/^export (?:default )?/, "").trim())
    .filter((part) => part !== "" && !/^(?:import\b|(?:type )?\{[^}]*\} from )/.test(part));
}

async function listCodeFiles(folders: readonly string[], isWanted: (path: string) => boolean): Promise<string[]> {
  const paths = await Promise.all(
    folders.map(async (folder) => {
      if (/\.(?:json|ts)$/.test(folder)) return [folder];
      return (await readdir(join(ROOT, folder), { recursive: true })).map((name) => `${folder}/${name}`);
    }),
  );
  return [...new Set(paths.flat())].filter((path) => /\.(?:ts|sql|json|csv|py)$/.test(path) && isWanted(path)).sort();
}

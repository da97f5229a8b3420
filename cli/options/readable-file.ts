/** A file an option names, looked at before any work starts. */

import { open } from "node:fs/promises";
import { CommandFailed } from "./exit-codes.ts";

/**
 * The path, which is that of a file we may read.
 * @throws CommandFailed naming the option
 */
export async function readableFile(option: string, path: string): Promise<string> {
  try {
    await using file = await open(path);
    if ((await file.stat()).isDirectory()) throw new CommandFailed(`${option} ${path} is a folder; give a file`);
    return path;
  } catch (cause) {
    if (cause instanceof CommandFailed) throw cause;
    const reason = cause instanceof Error && "code" in cause ? cause.code : cause;
    throw new CommandFailed(`${option} ${path} cannot be read (${reason}); give a file that can`, { cause });
  }
}

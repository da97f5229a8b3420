/**
 * Kills the process that loads it (`node --import`) with SIGKILL, before its n-th change of files below a folder or half-way
 * through that write. A test can so try every moment of a command in turn, however busy the machine is.
 */

import fs, { type FileHandle } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

const below = process.env.SHARE_TEST_KILL_BELOW ?? "/";
let left = Number(process.env.SHARE_TEST_KILL_AT);

function moment(path: unknown): boolean {
  if (!String(path).startsWith(below)) return false;
  left -= 1;
  return left < 0;
}

function dieAt(path: unknown): void {
  if (moment(path)) process.kill(process.pid, "SIGKILL");
}

const { open, mkdir, symlink, rename, rm, link } = fs;

Object.assign(fs, {
  mkdir: dyingAt(mkdir, ([path]) => path),
  rename: dyingAt(rename, ([path]) => path),
  rm: dyingAt(rm, ([path]) => path),
  symlink: dyingAt(symlink, ([, path]) => path),
  link: dyingAt(link, ([, path]) => path),
  async open(...parameters: Parameters<typeof open>) {
    const [path, flags] = parameters;
    if (flags !== "r" && flags !== undefined) dieAt(path);
    return watched(await open(...parameters), path);
  },
});
syncBuiltinESMExports();

function dyingAt<Parameters extends readonly unknown[], Result>(
  change: (...parameters: Parameters) => Result,
  getPath: (parameters: Parameters) => unknown,
): (...parameters: Parameters) => Result {
  return (...parameters) => {
    dieAt(getPath(parameters));
    return change(...parameters);
  };
}

function watched(file: FileHandle, path: unknown): FileHandle {
  const halfway =
    (write: FileHandle["writeFile"]): FileHandle["writeFile"] =>
    async (data, ...rest) => {
      dieAt(path);
      const text = String(data);
      if (moment(path)) {
        await write(text.slice(0, text.length / 2), ...rest);
        process.kill(process.pid, "SIGKILL");
      }
      await write(data, ...rest);
    };
  return Object.assign(file, {
    writeFile: halfway(file.writeFile.bind(file)),
    appendFile: halfway(file.appendFile.bind(file)),
    truncate: dyingAt(file.truncate.bind(file), () => path),
    sync: dyingAt(file.sync.bind(file), () => path),
  });
}

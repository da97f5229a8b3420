/** Room on the disk that a path is on, or will be on once it is there. */

import { statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";

export async function freeBytes(path: string): Promise<number> {
  const whole = resolve(path);
  try {
    const disk = await statfs(whole);
    return disk.bavail * disk.bsize;
  } catch (error) {
    if (dirname(whole) === whole) throw error;
    return freeBytes(dirname(whole));
  }
}

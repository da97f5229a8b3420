/** Memory of this process and of the processes it has started, sampled: Linux only. */

import { readdirSync, readFileSync } from "node:fs";

const EVERY_MILLISECONDS = 50;
const PAGE = 4096;

/** Resident bytes at the peak, of all together; pages they share are counted once for each. Call the result to end. */
export function watchMemory(): () => number {
  let most = 0;
  const look = () => {
    most = Math.max(most, residentOf(process.pid));
  };
  const timer = setInterval(look, EVERY_MILLISECONDS);
  return () => {
    clearInterval(timer);
    look();
    return most;
  };
}

function residentOf(pid: number): number {
  try {
    const own = Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * PAGE;
    return childrenOf(pid).reduce((sum, child) => sum + residentOf(child), own);
  } catch {
    // It ended between the two looks.
    return 0;
  }
}

/** Any thread may have started a process. */
function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
}

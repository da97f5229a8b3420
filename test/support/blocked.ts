/** For how long at a time this thread works without looking up: what everybody who asks a server waits for. */

/**
 * The most milliseconds of processor that this thread used between two turns of its event loop while `work` ran. Time of
 * the processor, not of the clock: a machine with other things to do blocks nobody.
 */
export async function mostBlocked<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly blocked: number }> {
  let most = 0;
  let last = spent();
  const look = () => {
    const now = spent();
    most = Math.max(most, now - last);
    last = now;
  };
  const timer = setInterval(look, 5);
  try {
    const result = await work();
    look();
    return { result, blocked: most };
  } finally {
    clearInterval(timer);
  }
}

function spent(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

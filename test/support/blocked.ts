/** Measures how long this thread blocks its event loop, and with it every client of a server. */

/**
 * Returns the result of `work`, and the longest CPU time in milliseconds that this thread used between two turns of its event
 * loop meanwhile. CPU time is measured, and not elapsed time, because a busy machine does not mean that the thread blocks.
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

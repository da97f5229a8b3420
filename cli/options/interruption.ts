/** Ctrl-C, a service manager's SIGTERM, a closed terminal: one line on what was kept and how to go on, then the end by that signal. */

/** The signals that a person or a service manager ends a command with. */
export const INTERRUPTIONS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export type Interruption = (typeof INTERRUPTIONS)[number];

/** What has to be put right before anything is said, such as a bar that is being drawn. */
const tidying = new Set<() => void>();

/** Has `tidy` called before an interrupted command speaks; answers the function that ends that. */
export function beforeInterruption(tidy: () => void): () => void {
  tidying.add(tidy);
  return () => void tidying.delete(tidy);
}

/**
 * Ends this process by the signal that comes, after the line `told` makes; answers the function that ends the watch.
 * What is under way is not waited for: every command writes so that a kill at any moment loses nothing that counts.
 */
export function watchInterruptions(told: () => string): () => void {
  const end = (signal: Interruption) => {
    for (const tidy of tidying) tidy();
    process.stderr.write(`share-release: stopped by ${signal}; ${told()}\n`);
    // Not before it is said: through an older Node the same signal comes twice, and the second would end it unheard.
    stop();
    process.kill(process.pid, signal);
  };
  const stop = () => {
    for (const signal of INTERRUPTIONS) process.off(signal, end);
  };
  for (const signal of INTERRUPTIONS) process.on(signal, end);
  return stop;
}

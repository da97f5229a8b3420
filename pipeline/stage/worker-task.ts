/** Defines the messages between a process and its workers: a task, and the result of the task. */

/** The function that a worker module exports as `work`. Tasks and results are copied between processes. */
export type WorkFunction<Task, Result> = (task: Task) => Promise<Result>;

/** A task for a worker. `module` is the URL of a file that exports `work`. */
export interface WorkerOrder {
  readonly module: string;
  readonly task: unknown;
}

/**
 * The result of a task. The code of an error is stored separately, because only the message and the stack of an error
 * are copied to another process.
 */
export type TaskResult = { readonly done: unknown } | { readonly failed: unknown; readonly code: unknown };

/** Runs a task in this process, which is a worker. */
export async function carryOut({ module, task }: WorkerOrder): Promise<TaskResult> {
  try {
    const { work }: { work: WorkFunction<unknown, unknown> } = await import(module);
    return { done: await work(task) };
  } catch (failed) {
    return { failed, code: failed instanceof Error && "code" in failed ? failed.code : undefined };
  }
}

/** Returns the result of a task, or throws its error with its code. */
export function unpackResult(result: TaskResult): unknown {
  if ("done" in result) return result.done;
  const { failed, code } = result;
  throw failed instanceof Error && code !== undefined ? Object.assign(failed, { code }) : failed;
}

/** Bounds on the evaluating that a server does at a time, and on its patience: defaults of what configuration may set. */

export interface EvaluationSettings {
  /** Jobs that a server works on at a time. */
  readonly jobsAtOnce: number;
  /** Jobs of all servers that have not ended; a further one is refused. */
  readonly unfinishedJobs: number;
  /** Of these, of one caller. */
  readonly unfinishedJobsOfCaller: number;
  /** Of these, of one source. */
  readonly unfinishedJobsOfSource: number;
  /** How often a server looks for jobs that it does not know of: those of other servers, and those it may try again. */
  readonly pollMilliseconds: number;
  /** How long a job stays with a server that has fallen silent. It is renewed at every third of this. */
  readonly leaseMilliseconds: number;
}

export const DEFAULT_EVALUATION_SETTINGS: EvaluationSettings = {
  jobsAtOnce: 4,
  unfinishedJobs: 1000,
  unfinishedJobsOfCaller: 100,
  unfinishedJobsOfSource: 300,
  pollMilliseconds: 1000,
  leaseMilliseconds: 30_000,
};

/** One figure of a benchmark: a ratio, its goal, and what was measured. */

export interface Figure {
  readonly name: string;
  readonly ratio: number;
  readonly goal: string;
  readonly met: boolean;
  readonly detail: string;
}

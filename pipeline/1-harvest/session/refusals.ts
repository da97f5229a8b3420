/** Refusals on their way to the disk: the first thousand of an input one by one, the others as a number for each reason. */

import type { Refusal, RefusalReason } from "../../../schemas/public/refusal.ts";
import { lineText } from "../../reading/line-text.ts";
import { LISTED_REFUSALS } from "../documents/limits.ts";

/** As much of a name as is kept: beyond what file systems have, and no more than a line should. */
const NAME = 5000;
const DETAIL = 300;

export class Refusals {
  private lines: Refusal[] = [];
  /** The input that is read now, and how many of its refusals have a line. */
  private input = "";
  private listed = 0;
  private readonly others = new Map<RefusalReason, Refusal & { count: number }>();

  /** How many lines wait. */
  get waiting(): number {
    return this.lines.length;
  }

  add(refusal: Refusal, input: string): void {
    if (input !== this.input) {
      this.count();
      this.input = input;
      this.listed = 0;
    }
    const { reason } = refusal;
    if (this.listed < LISTED_REFUSALS) {
      this.listed += 1;
      this.lines.push({ ...refusal, file: lineText(refusal.file, NAME), detail: lineText(refusal.detail, DETAIL) });
      return;
    }
    const known = this.others.get(reason);
    if (known !== undefined) known.count += 1;
    else {
      const { source } = refusal;
      this.others.set(reason, { source, file: lineText(input, NAME), line: null, reason, detail: "", count: 1 });
    }
  }

  /** All that is to be written by now. What follows of the same input is counted on. */
  take(): Refusal[] {
    this.count();
    const lines = this.lines;
    this.lines = [];
    return lines;
  }

  private count(): void {
    for (const line of this.others.values()) {
      this.lines.push({ ...line, detail: `${line.count} more, told as a number` });
    }
    this.others.clear();
  }
}

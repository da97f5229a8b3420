/** Cuts chunks into lines without ever holding more than one line, and no line above the limit. */

import { isBlank, skipBlank } from "../documents/json-measure.ts";
import type { Position, Unit } from "./units.ts";

const NEWLINE = 0x0a;

/** Stops at the line's end, which is white space as well. */
function isBlankLine(bytes: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i += 1) if (!isBlank(bytes[i])) return false;
  return true;
}

export class LineCutter {
  /** Lines begun and ended so far, and the byte behind the last of them. */
  private line: number;
  private offset: number;
  private readonly limit: number;
  private carried: Buffer[] = [];
  private carriedSize = 0;
  private tooLong = false;

  constructor(start: Position, limit: number) {
    this.line = start.line;
    this.offset = start.offset;
    this.limit = limit;
  }

  /** How many lines ended so far. */
  get lines(): number {
    return this.line;
  }

  /** The lines that end within `chunk`. Their bytes are valid as long as the chunk is. */
  cut(chunk: Buffer): Unit[] {
    const units: Unit[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      // Blank lines may come by the hundred million.
      if (this.carriedSize === 0 && isBlankLine(chunk, start, end)) this.skipLine(end - start + 1);
      else this.endLine(chunk.subarray(start, end), 1, units);
      start = end + 1;
    }
    this.carry(chunk.subarray(start));
    return units;
  }

  /** The last line, where no newline ends it. */
  end(): Unit[] {
    const units: Unit[] = [];
    if (this.carriedSize > 0) this.endLine(Buffer.alloc(0), 0, units);
    return units;
  }

  private skipLine(bytes: number): void {
    this.line += 1;
    this.offset += bytes;
  }

  private endLine(tail: Buffer, newline: number, units: Unit[]): void {
    const length = this.carriedSize + tail.length;
    const start = this.offset;
    this.line += 1;
    this.offset += length + newline;
    const after = { line: this.line, offset: this.offset };
    if (this.tooLong || length > this.limit) {
      const detail = `a line of ${length} bytes; the limit is ${this.limit}`;
      units.push({ line: this.line, start, after, objection: { reason: "too-large", detail } });
    } else {
      const bytes = this.carriedSize === 0 ? tail : Buffer.concat([...this.carried, tail]);
      // A blank line is a separator, no record and no fault.
      if (skipBlank(bytes, 0) < bytes.length) units.push({ line: this.line, start, after, bytes });
    }
    this.carried = [];
    this.carriedSize = 0;
    this.tooLong = false;
  }

  private carry(rest: Buffer): void {
    if (rest.length === 0) return;
    this.carriedSize += rest.length;
    if (this.carriedSize > this.limit) {
      // Only counted from here on, up to the next newline.
      this.tooLong = true;
      this.carried = [];
    } else {
      // Copied: the chunk is overwritten by the next one.
      this.carried.push(Buffer.from(rest));
    }
  }
}

/** Members of a list's rows by their paths: `score.bucketScores.S` is a member of a member of a member. */

import { z } from "zod";
import { SCORE_RANGES } from "./common.ts";

interface Member {
  readonly path: string;
  /** False for what has members of its own. */
  readonly leaf: boolean;
}

/** All members of the rows of a list's answer, each before its own members, in the order of its rows. */
export function rowMembers(answer: z.ZodType | null): readonly Member[] {
  const data = answer instanceof z.ZodObject ? answer.shape.data : null;
  if (!(data instanceof z.ZodArray)) throw new Error("the answer of a list has no array of rows");
  return membersIn(data.element, []);
}

function membersIn(schema: unknown, path: readonly string[]): Member[] {
  if (schema instanceof z.ZodNullable) return membersIn(schema.unwrap(), path);
  const own = path.length === 0 ? [] : [{ path: path.join("."), leaf: !(schema instanceof z.ZodObject) }];
  if (!(schema instanceof z.ZodObject)) return own;
  return [...own, ...namesIn(schema.shape).flatMap((name) => membersIn(schema.shape[name], [...path, name]))];
}

/** An object has a member named like a whole number (the range `100`) before all others, wherever it was written. */
function namesIn(shape: object): string[] {
  const names = Object.keys(shape);
  return SCORE_RANGES.every((range) => range in shape) ? [...SCORE_RANGES] : names;
}

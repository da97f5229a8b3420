/** Describes the path parameter of an endpoint. */

import type { z } from "zod";
import type { ProblemType } from "./problem.ts";

export interface PathKey {
  readonly name: string;
  readonly schema: z.ZodType<string>;
  readonly description: string;
  readonly example: string;
  /** The problem that the API returns for a malformed or unknown value. */
  readonly unknown: { readonly problem: ProblemType; readonly detail: string };
}

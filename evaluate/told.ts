/**
 * An evaluation as a series of steps, each of which can be taken by any worker process: it is given all that was told
 * so far, goes over it from the beginning, and says what it needs next or how it ends. Nothing of an evaluation lives in
 * a worker between two steps, so that one can be killed at any time and another goes on.
 */

import { z } from "zod";
import type { Identifier } from "../pipeline/identifiers/parse.ts";

/** The outcome of one request or one wait: `at` is when. Bodies are as they came; nobody has looked into them. */
export type Told = { readonly at: string } & (
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly headers: readonly (readonly [string, string])[];
      readonly body: Uint8Array;
    }
  | { readonly kind: "too-large"; readonly message: string }
  | { readonly kind: "failed"; readonly name: string; readonly code: string | null; readonly message: string }
  | { readonly kind: "waited" }
);

/** Where to ask and as whom: the same for every step. */
export interface StepOptions {
  readonly contact: string | null;
  readonly upstreams: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

export type StepTask =
  /** Loads all there is to load. */
  | { readonly kind: "open" }
  | {
      readonly kind: "evaluate";
      readonly identifier: Identifier;
      readonly asOf: string;
      /** When the evaluation began. */
      readonly at: string;
      /** Uniform in [0, 1): spreads the waits of those that failed together. */
      readonly share: number;
      readonly options: StepOptions;
      readonly told: readonly Told[];
    }
  | { readonly kind: "draft"; readonly source: string; readonly file: Uint8Array; readonly asOf: string };

/** The longest evaluation, as JSON: beyond any record of a person's making, and read in a moment. */
export const LONGEST_EVALUATION = 2 * 1024 * 1024;

const word = z.string().max(4096);

const logged = z.object({
  level: z.enum(["info", "warn", "error"]),
  event: z.string().max(100),
  source: z.string().max(100).optional(),
  reason: word.optional(),
  attempt: z.int().optional(),
  wait: z.int().optional(),
});

/** The answers that a worker may give to a step, and no more. */
export const stepAnswer = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("ready") }),
  z.object({
    kind: z.literal("ask"),
    /** A source, or `doi.org`. */
    service: z.string().max(100),
    url: z.url().max(16_384),
    headers: z.array(z.tuple([z.string().max(100), word])).max(20),
    body: z.string().max(65_536).nullable(),
    logged: z.array(logged).max(20),
  }),
  z.object({
    kind: z.literal("wait"),
    milliseconds: z.number().min(0),
    logged: z.array(logged).max(20),
  }),
  z.object({
    kind: z.literal("scored"),
    /** Evaluations as JSON, by contract. */
    evaluations: z.record(z.string().max(20), z.string().max(LONGEST_EVALUATION)),
    /** The researcher that each author would be in a release; null for what is no person. */
    researcherIds: z.array(z.string().max(40).nullable()),
  }),
  z.object({ kind: z.literal("no-draft"), message: word }),
  z.object({
    kind: z.literal("fault"),
    code: z.enum([
      "malformed-identifier",
      "unsupported-source",
      "not-in-source",
      "source-unreachable",
      "source-too-slow",
    ]),
    message: word,
    retryAfter: z.number().nullable(),
  }),
]);
export type StepAnswer = z.infer<typeof stepAnswer>;

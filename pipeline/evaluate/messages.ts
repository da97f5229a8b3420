/** Defines the messages between an evaluator and its worker processes. */

import { z } from "zod";
import type { Identifier } from "../parse-identifier.ts";

/** The outcome of a request or a wait, and the time at which it ended. The body of a response is bytes. */
export type Reply = { readonly at: string } & (
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

export interface RequestOptions {
  readonly contact: string | null;
  readonly upstreams: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

export type EvaluationTask =
  /** Loads the code and rules for scoring. */
  | { readonly kind: "open" }
  | {
      readonly kind: "evaluate";
      readonly identifier: Identifier;
      readonly asOf: string;
      readonly at: string;
      /** A random number in [0, 1). It spreads the retries of evaluations that failed at the same time. */
      readonly share: number;
      readonly options: RequestOptions;
    }
  /** Scores a file. If `source` is null, the format of the file decides. */
  | { readonly kind: "draft"; readonly source: string | null; readonly file: Uint8Array; readonly asOf: string };

/** Limit of an evaluation as JSON, in characters. Records that people write are far shorter. */
export const MAX_EVALUATION_BYTES = 2 * 1024 * 1024;

const word = z.string().max(4096);

const logged = z.object({
  level: z.enum(["info", "warn", "error"]),
  event: z.string().max(100),
  source: z.string().max(100).optional(),
  reason: word.optional(),
  attempt: z.int().optional(),
  wait: z.int().optional(),
});

const common = {
  /** The name of a source, or `doi.org`. */
  service: z.string().max(100),
  url: z.url().max(16_384),
  /** Log entries since the previous request of this evaluation. */
  logged: z.array(logged).max(20),
};

/** Messages of a worker to its parent. They ask the parent to send a request, or to wait as long as a service requires. */
export const workerRequest = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("request"),
    ...common,
    headers: z.array(z.tuple([z.string().max(100), word])).max(20),
    body: z.string().max(65_536).nullable(),
  }),
  z.object({ kind: z.literal("wait"), ...common, milliseconds: z.number().min(0) }),
]);
export type WorkerRequest = z.infer<typeof workerRequest>;

export const result = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("ready") }),
  z.object({
    kind: z.literal("scored"),
    /** The evaluation under each contract, as JSON. */
    evaluations: z.record(z.string().max(20), z.string().max(MAX_EVALUATION_BYTES)),
    /** Researcher ids in the order of the authors; null for an organisation. */
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
      "draft-too-large",
    ]),
    message: word,
    retryAfter: z.number().nullable(),
  }),
]);
export type Result = z.infer<typeof result>;

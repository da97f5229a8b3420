/** The answers of the service about itself: the index, health, status, releases, and the pages behind problem types. */

import { z } from "zod";
import { named } from "../named.ts";
import { PROBLEMS } from "../problem.ts";
import { coverage, digest, receipt, rubricReceipt, scoreRelease, sourceReceipt } from "../release.ts";
import { retraction } from "../retraction.ts";
import { publicVersion } from "../rubric.ts";
import { instant, isoDate } from "../scalars.ts";
import { count } from "./common.ts";

export const serviceIndex = named(
  "ServiceIndex",
  z
    .object({
      name: z.string(),
      apiVersion: z.string().describe("Version of this API."),
      shareVersion: publicVersion.describe("The SHARE version that answers where none is asked for."),
      links: z.record(z.string(), z.string()).describe("Addresses by name; those in braces are templates."),
    })
    .describe("The service and its addresses."),
);
export type ServiceIndex = z.infer<typeof serviceIndex>;

export const health = named(
  "Health",
  z
    .object({
      status: z.literal("ok"),
      release: digest.nullable().describe("The release that is served; null where none is yet."),
      hiddenResearchers: z
        .enum(["current", "stale"])
        .describe("Stale while it cannot be read who asked to be hidden; who was known to have asked stays hidden."),
    })
    .describe("A sign that the server answers."),
);

const sourceStatus = z
  .object({
    source: z.string(),
    expected: count.nullable().describe("Records the source says it holds, at the last finished harvest."),
    got: count.nullable().describe("Records that harvest got."),
    complete: z.boolean().nullable().describe("Null where no harvest has been finished."),
    oldestRetrieval: z.string().nullable(),
    newestRetrieval: z.string().nullable(),
    carriedFrom: digest
      .nullable()
      .describe("The release whose harvest of it was taken again, where a newer one was left out; null mostly."),
    ageSeconds: count.nullable().describe("Seconds since the newest retrieval."),
    coverage,
    refused: sourceReceipt.shape.refused,
  })
  .describe("The age and the completeness of what we have of a source.");

export const serviceStatus = named(
  "ServiceStatus",
  z
    .object({
      release: scoreRelease.extend({ publishedAt: instant, asOf: isoDate, coverage, refused: receipt.shape.refused }),
      sources: z.array(sourceStatus),
    })
    .describe("The age and the completeness of the active release, source by source."),
);

export const releaseSummary = named(
  "ReleaseSummary",
  scoreRelease
    .extend({
      publishedAt: instant,
      asOf: isoDate,
      previousReleaseDigest: digest.nullable(),
      rubrics: z.array(rubricReceipt),
      coverage,
      active: z.boolean().describe("True of the one that answers now."),
      receipt: z.string().describe("Address of its receipt."),
      retraction: retraction.nullable().default(null).describe("The statement that it was withdrawn; null mostly."),
      keyRevoked: z
        .object({
          kid: z.string().describe("The key that it is signed by."),
          since: instant,
        })
        .nullable()
        .default(null)
        .describe(
          "The revocation of its key, if the publisher's journal did not record the release before; null mostly.",
        ),
    })
    .describe("One release, in short."),
);

export const releaseList = named(
  "ReleaseList",
  z.array(releaseSummary).describe("All finished releases, newest first."),
);

export const problemPage = named(
  "ProblemPage",
  z
    .object({
      type: z.string(),
      status: z.int().min(400).max(599),
      title: z.string(),
      advice: z.string().describe("A sentence on what a client can do."),
    })
    .describe("The meaning of a problem."),
);
export type ProblemPage = z.infer<typeof problemPage>;

/** Last segments of the problem types there are. */
export const problemName = z.enum(Object.keys(PROBLEMS));

/** OpenAPI 3.1: only what identifies it; the rest has a specification of its own. */
export const apiDescription = named(
  "ApiDescription",
  z
    .looseObject({
      openapi: z.string().regex(/^3\.1\.\d+$/),
      info: z.looseObject({ title: z.string(), version: z.string() }),
      "x-share-version": publicVersion.describe("The SHARE version that answers where none is asked for."),
      paths: z.record(z.string(), z.looseObject({})),
    })
    .describe("This API as an OpenAPI 3.1 document."),
);

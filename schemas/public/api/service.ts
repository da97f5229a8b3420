/** Responses about the service: index, health, status, releases and problem types. */

import { z } from "zod";
import { harvestScope } from "../harvest-scope.ts";
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
      shareVersion: publicVersion.describe("The default SHARE version."),
      links: z.record(z.string(), z.string()).describe("URLs by name. URLs with braces are templates."),
    })
    .describe("The service and its URLs."),
);
export type ServiceIndex = z.infer<typeof serviceIndex>;

export const health = named(
  "Health",
  z
    .object({
      status: z.literal("ok"),
      release: digest.nullable().describe("The active release; null if there is none."),
      hiddenResearchers: z
        .enum(["current", "stale"])
        .describe(
          "`stale` while the server cannot read the list of hidden researchers. Researchers that it knows stay hidden.",
        ),
    })
    .describe("The health of the server."),
);

const sourceStatus = z
  .object({
    source: z.string(),
    expected: count.nullable().describe("Records that the source reported at the last complete harvest."),
    got: count.nullable().describe("Records of that harvest."),
    complete: z.boolean().nullable().describe("Null without a complete harvest."),
    oldestRetrieval: z.string().nullable(),
    newestRetrieval: z.string().nullable(),
    scopes: z.array(harvestScope).describe("The harvested parts of the source; empty if it was harvested as a whole."),
    carriedFrom: digest
      .nullable()
      .describe("The release whose data of this source were carried forward; usually null."),
    ageSeconds: count.nullable().describe("Seconds since the newest retrieval."),
    coverage,
    rejected: sourceReceipt.shape.rejected,
  })
  .describe("The age and completeness of one source.");

export const serviceStatus = named(
  "ServiceStatus",
  z
    .object({
      release: scoreRelease.extend({ publishedAt: instant, asOf: isoDate, coverage, rejected: receipt.shape.rejected }),
      sources: z.array(sourceStatus),
    })
    .describe("The age and completeness of the active release by source."),
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
      active: z.boolean().describe("True for the active release."),
      receipt: z.string().describe("URL of its receipt."),
      retraction: retraction.nullable().default(null).describe("The retraction of the release; usually null."),
      keyRevoked: z
        .object({
          kid: z.string().describe("The key that signed it."),
          since: instant,
        })
        .nullable()
        .default(null)
        .describe(
          "The revocation of its key, if the publisher's journal did not record the release before that; usually null.",
        ),
    })
    .describe("Summary of one release."),
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
      advice: z.string().describe("Advice for the client."),
    })
    .describe("The meaning of a problem."),
);
export type ProblemPage = z.infer<typeof problemPage>;

/** Names of all problem types, which are the last segments of their URLs. */
export const problemName = z.enum(Object.keys(PROBLEMS));

/** The OpenAPI 3.1 document of the API. Its format is not described here, because it has its own specification. */
export const apiDescription = named(
  "ApiDescription",
  z
    .looseObject({
      openapi: z.string().regex(/^3\.1\.\d+$/),
      info: z.looseObject({ title: z.string(), version: z.string() }),
      "x-share-version": publicVersion.describe("The default SHARE version."),
      "x-additions": z
        .object({
          operations: z.array(z.string()),
          parameters: z.record(z.string(), z.array(z.string())),
          fields: z.record(z.string(), z.array(z.string())),
        })
        .describe("The operations, and the query parameters and body fields of others, that API 1.6 does not have."),
      paths: z.record(z.string(), z.looseObject({})),
    })
    .describe("This API as an OpenAPI 3.1 document."),
);

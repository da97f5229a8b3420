/** The path parameters of the API: what each may be, and an example: one of the bundled corpus, but for digests and jobs. */

import { z } from "zod";
import { jobId } from "../../schemas/public/api/evaluation.ts";
import { LONGEST_LABEL } from "../../schemas/public/api/queries.ts";
import { problemName } from "../../schemas/public/api/service.ts";
import { CONTRACTS, PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import type { PathKey } from "./route.ts";

export const recordKey: PathKey = {
  name: "id",
  schema: z.string().max(160),
  description: "Id of a record: the letter r and 24 hexadecimal digits. Never a DOI.",
  example: "r1a613b3271281b736c4d1106",
  unknown: { problem: "dataset-not-found", detail: "A dataset's id is the letter r and 24 hexadecimal digits." },
};

export const slugKey: PathKey = {
  name: "slug",
  schema: z.string().max(160),
  description: "Slug of a researcher, as `/authors` shows it.",
  example: "mirela-vance-0000-0005-1200-0216",
  unknown: { problem: "researcher-not-found", detail: "No researcher is known under this name." },
};

export const digestKey: PathKey = {
  name: "digest",
  schema: z.string().regex(/^(?:sha256[-:][0-9a-f]{64}|latest)$/),
  description:
    "Digest of a release, written `sha256-<hex>`; the form with a colon is redirected, and `latest` to the active release.",
  example: `sha256-${"0".repeat(64)}`,
  unknown: {
    problem: "release-not-found",
    detail: "There is no release of this digest; /releases lists those there are.",
  },
};

export const versionKey: PathKey = {
  name: "version",
  schema: z.string().max(40),
  description: "A public version, or the exact identifier of a contract.",
  example: "2.0",
  unknown: {
    problem: "unsupported-rubric",
    detail: `The public SHARE versions are ${PUBLIC_VERSIONS.join(" and ")}; the exact contracts are ${CONTRACTS.join(", ")}.`,
  },
};

export const repositoryKey: PathKey = {
  name: "repository",
  schema: z.string().max(LONGEST_LABEL),
  description: "Exact label of a repository, percent-encoded once.",
  example: "Zenodo",
  unknown: { problem: "repository-not-found", detail: "No repository has exactly this label." },
};

export const jobKey: PathKey = {
  name: "id",
  schema: jobId,
  description: "Id of a job, as `POST /evaluation-jobs` gave it.",
  example: "j3f9d1c07a52e4b68901c7de2485ab630",
  unknown: { problem: "job-not-found", detail: "There is no such job; a job that has ended is kept for 30 days." },
};

export const problemKey: PathKey = {
  name: "type",
  schema: problemName,
  description: "Last segment of the member `type` of a problem document.",
  example: "dataset-not-found",
  unknown: { problem: "not-found", detail: "There is no problem of this type." },
};

/** Health and status: whether the server answers, from which release, and how old and whole its sources are. */

import type { Receipt, SourceReceipt } from "../../../schemas/public/release.ts";
import type { Answer } from "../../frame/answering/answer.ts";
import { jsonAnswer } from "../../frame/answering/json-answer.ts";
import type { ServiceContext } from "./handlers.ts";

/** Liveness: 200 as long as requests are answered; `release` is null where none is served yet. */
export async function answerHealth({
  active,
  standings,
}: Pick<ServiceContext, "active" | "standings">): Promise<Answer> {
  const hiddenResearchers = standings.stale ? "stale" : "current";
  return jsonAnswer({ status: "ok", release: active.digest, hiddenResearchers }, "no-store");
}

/** Per source: what it says it holds, what was got, age of the newest retrieval, refusals by reason. */
export async function answerStatus({ active, now }: Pick<ServiceContext, "active" | "now">): Promise<Answer> {
  return active.use(async ({ receipt }) => jsonAnswer(statusOf(receipt, now()), "no-store"));
}

function statusOf(receipt: Receipt, at: Date) {
  const { scoreReleaseVersion, releaseDigest, publishedAt, asOf, coverage, refused } = receipt;
  return {
    release: { scoreReleaseVersion, releaseDigest, publishedAt, asOf, coverage, refused },
    sources: receipt.sources.map((source) => sourceStatus(source, at)),
  };
}

/** `expected`, `got` and `complete` are of the last finished harvest; null where the source or the harvest does not say. */
function sourceStatus(source: SourceReceipt, at: Date) {
  return {
    source: source.source,
    expected: source.completeness?.expected ?? null,
    got: source.completeness?.got ?? null,
    complete: source.completeness?.complete ?? null,
    oldestRetrieval: source.oldestRetrieval,
    newestRetrieval: source.newestRetrieval,
    carriedFrom: source.carriedFrom ?? null,
    ageSeconds: source.newestRetrieval === null ? null : ageSeconds(source.newestRetrieval, at),
    coverage: source.coverage,
    refused: source.refused,
  };
}

function ageSeconds(instant: string, at: Date): number {
  return Math.max(0, Math.floor((at.getTime() - Date.parse(instant)) / 1000));
}

/** Pages and badges, rendered again from the tables and compared with those the manifest lists. */

import { hash } from "node:crypto";
import { appendFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { repositoryBadge } from "../../api-static/pages/badge.ts";
import { meanOf } from "../../api-static/pages/numbers.ts";
import { rubricExcerpts } from "../../api-static/pages/rubric-excerpts.ts";
import { samplingOf } from "../../api-static/pages/sampling.ts";
import { routeNamed } from "../../api-static/routes/index.ts";
import { hasPage, pageOf, pagePath } from "../../api-static/routes/route.ts";
import { type Database, quote } from "../../pipeline/engine/open.ts";
import { explanationsOf } from "../../pipeline/pages/explanations.ts";
import type { PageSink } from "../../pipeline/pages/page-sink.ts";
import { writeRecordPages } from "../../pipeline/pages/record-pages.ts";
import { writeReleasePages } from "../../pipeline/pages/release-pages.ts";
import { writeResearcherPages } from "../../pipeline/pages/researcher-pages.ts";
import { earlierHistory } from "../../pipeline/previous/earlier-history.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { type MetricsSnapshot, metricsHistory } from "../../schemas/public/api/metrics.ts";
import type { ManifestLine, Receipt } from "../../schemas/public/release.ts";
import { type Found, MOST_LISTED, report, type Unproven } from "./finding.ts";
import { HISTORY_FILE } from "./release-files.ts";

const HISTORY = routeNamed("history");

/** `db` holds the tables as they follow from the evidence, under their names. */
export async function verifyPages(
  db: Database,
  folder: string,
  receipt: Receipt,
  scratch: string,
  predecessors: Store | null,
  found: Found,
  unproven: Unproven,
): Promise<void> {
  const lines = join(scratch, "pages.ndjson");
  const sink = digestingSink(lines);
  const versions = receipt.rubrics.map(({ version }) => version);
  await writeRecordPages(db, sink, { from: "r", to: "s" }, await explanationsOf(versions));
  for (const version of versions) await writeResearcherPages(db, sink, { from: "a", to: "b" }, version);
  if (versions.includes("2.0")) await writeRepositoryBadges(db, sink);
  const earlier = await historyBefore(folder, receipt, predecessors, found, unproven);
  const history = await writeReleasePages(db, sink, {
    excerpts: rubricExcerpts(receipt),
    sampling: samplingOf(receipt.sources),
    attribution: receipt.attribution !== null,
    history: earlier,
  });
  if (receipt.history) sink.write(HISTORY_FILE, `${JSON.stringify(history, null, 1)}\n`);
  sink.flush();
  report(found, "page", await differences(db, join(folder, "manifest.ndjson"), lines));
}

/** That of its predecessor where it is at hand; else what the release carries, which then nothing proves. */
async function historyBefore(
  folder: string,
  receipt: Receipt,
  predecessors: Store | null,
  found: Found,
  unproven: Unproven,
): Promise<MetricsSnapshot[] | null> {
  const { history, previousReleaseDigest: previous, rubrics } = receipt;
  if (!history) return null;
  if (previous === null) return [];
  const known = predecessors === null ? null : await earlierHistory(predecessors, previous);
  if (known !== null) return known;
  unproven(HISTORY_FILE);
  for (const { version } of rubrics) unproven(pagePath(HISTORY, pageOf(HISTORY, version)));
  const text = await readFile(join(folder, HISTORY_FILE), "utf8").catch(() => "");
  try {
    return metricsHistory.parse(JSON.parse(text)).slice(0, -rubrics.length);
  } catch {
    found("page", `${HISTORY_FILE} cannot be read`);
    return [];
  }
}

async function writeRepositoryBadges(db: Database, sink: PageSink): Promise<void> {
  const route = routeNamed("repository-badge");
  const rows = await db.rows(
    "select repository, cast(mean_score as varchar) as mean, cast(mean_cap as varchar) as cap from repository where rubric = '2.0' order by repository",
  );
  for (const { repository, mean, cap } of rows) {
    if (typeof repository !== "string" || !hasPage(repository)) continue;
    const [value, most] = [mean, cap].map((cell) => meanOf(typeof cell === "string" ? cell : null));
    sink.write(pagePath(route, pageOf(route, "2.0"), repository), repositoryBadge(value ?? null, most ?? null));
  }
}

/** Pages that are not what they should be, that are missing, and that nothing gives. */
async function differences(db: Database, manifest: string, rendered: string): Promise<string[]> {
  const read = (path: string) =>
    `(select path, sha256 from read_json(${quote(path)}, format = 'newline_delimited', ignore_errors = true,
      columns = {path: 'varchar', bytes: 'bigint', sha256: 'varchar'})
     where path like 'api/%' or path like 'widgets/%' or path = '${HISTORY_FILE}')`;
  const rows = await db.rows(
    `select coalesce(listed.path, own.path) as path, listed.path is null as missing, own.path is null as extra
     from ${read(manifest)} as listed
     full join ${read(rendered)} as own on own.path = listed.path
     where listed.sha256 is distinct from own.sha256 order by 1 limit ${MOST_LISTED + 1}`,
  );
  return rows.map(({ path, missing, extra }) => {
    if (missing) return `${path} should be there`;
    return extra ? `${path} is a page of nothing in the tables` : `${path} is not what the tables give`;
  });
}

const HELD_LINES = 4096;

/** Keeps what pages would be by their digests; they are never written. */
function digestingSink(path: string): PageSink {
  let lines: string[] = [];
  const sink = {
    pages: 0,
    bytes: 0,
    write(page: string, text: string) {
      const bytes = Buffer.byteLength(text);
      lines.push(`${JSON.stringify({ path: page, bytes, sha256: hash("sha256", text) } satisfies ManifestLine)}\n`);
      sink.pages += 1;
      sink.bytes += bytes;
      if (lines.length >= HELD_LINES) sink.flush();
    },
    flush() {
      appendFileSync(path, lines.join(""));
      lines = [];
    },
  };
  return sink;
}

/** Builds the record, authors and facets of a single payload, as a release would contain them. */

import { hash } from "#hash";
import type { RecordBundle, RecordData } from "../../api-static/pages/rows.ts";
import { type CaptureRow, CaptureRows, captureLists } from "../2-normalise/rows.ts";
import { idOfOrcid } from "../parse-identifier.ts";
import type { ReadPayload } from "../reading/read-payload.ts";
import type { NormaliseOptions, Source } from "../sources/adapter/source.ts";
import type { ObtainedPayload } from "./obtain.ts";

export interface OneRecord {
  readonly bundle: RecordBundle;
  /** The researcher id of each author, as far as a single record shows it. Null for an organisation. */
  readonly researcherIds: readonly (string | null)[];
  /** A bit mask with one bit for each evidence column that could not be read. */
  readonly evidenceErrors: bigint;
}

const KEY = { part: 0, row: 0 };

/**
 * Returns the record that stages 2 and 4 would make of a payload. Here nothing can replace the record or merge with it,
 * because there is only one. In a release, a creator without an ORCID iD may belong to a researcher who has one.
 */
export function oneRecord(
  source: Source,
  payload: ObtainedPayload,
  { normalised, values }: Pick<ReadPayload, "normalised" | "values">,
  { asOf, vocabularies }: NormaliseOptions,
): OneRecord {
  const lists = captureLists();
  new CaptureRows(lists, source, KEY.part, { asOf, vocabularies }).put(
    KEY,
    { ...payload, piece: null },
    { normalised, values },
  );
  const [capture] = lists.capture.rows;
  if (capture === undefined) throw new Error(`${source.name}/${payload.sourceId} has no row`);
  const creators = lists.capture_creator.rows;
  const firstAffiliations = lists.capture_affiliation.rows.filter(({ place }) => place === 0);
  const folded = new Map(firstAffiliations.map((each) => [each.position, each.folded]));
  const family = capture.version_family ?? "";
  return {
    bundle: {
      record: buildRecord(capture, asOf),
      evidence: normalised.outcome === "record" ? normalised.evidence : null,
      // Without a link to a researcher, because an evaluation is not part of a release.
      authors: creators.map(({ name, affiliation, orcid }) => ({
        ...{ name, affiliation, orcid },
        ...{ researcher_id: null, slug: null },
      })),
      facets: lists.capture_facet.rows.map(({ kind, value }) => ({ kind, value })),
      aliases: [],
      values: lists.capture_value.rows,
    },
    researcherIds: creators.map((creator) =>
      isResearcher(creator) ? researcherId(creator, folded.get(creator.position) ?? "", family) : null,
    ),
    evidenceErrors: capture.evidence_errors ?? 0n,
  };
}

function buildRecord(capture: CaptureRow<"capture">, asOf: string): RecordData {
  return {
    ...capture,
    pub_date: publicationDate(capture.pub_date, asOf),
    version_family: capture.version_family ?? "",
    status: capture.outcome === "failed" ? "failed" : "ok",
    views: capture.view_count,
    downloads: capture.download_count,
    citations: capture.citation_count,
    derivatives: capture.derivative_count,
    mentions: capture.mention_count,
  };
}

// The functions below equal those of the same names in pipeline/engine/duckdb-macros.sql (test/identifiers/macros.test.ts).

/** Returns the publication date. Returns null for a date after the end of the year that follows the as-of date. */
export function publicationDate(date: string | null, asOf: string): string | null {
  const [year] = /^\d{4}/.exec(date ?? "") ?? [];
  return year !== undefined && Number(year) <= Number(asOf.slice(0, 4)) + 1 ? date : null;
}

type Person = Pick<CaptureRow<"capture_creator">, "person" | "full_name" | "folded_name" | "orcid">;

export function isResearcher({ person, folded_name, orcid }: Omit<Person, "full_name">): boolean {
  return person && (folded_name !== "" || orcid !== null);
}

export function researcherId(
  { orcid, full_name, folded_name }: Omit<Person, "person">,
  foldedAffiliation: string,
  versionFamily: string,
): string {
  if (orcid !== null) return idOfOrcid(orcid);
  const identity =
    full_name && foldedAffiliation !== ""
      ? `name_affiliation:${folded_name}|${foldedAffiliation}`
      : `name:${folded_name}|${versionFamily}`;
  return `a${hash("sha256", identity).slice(0, 24)}`;
}

/** Content for two releases of the same datasets. In the second release, the keywords of five datasets have changed. */

import { generatePayloads } from "../../fixtures/generate/index.ts";
import { RETRIEVED_AT } from "./bundled-corpus.ts";
import type { StoreContent } from "./temporary-store.ts";

const parsed = (source: "zenodo" | "datacite", records: number) =>
  [...generatePayloads({ source, records, seed: 11 })].map(({ payload }) => JSON.parse(payload));

const zenodo = parsed("zenodo", 40);
const ownDois = new Set(zenodo.map(({ doi }) => doi));
const datacite = parsed("datacite", 60).filter(({ id }) => !ownDois.has(id));

/** Copies of ten Zenodo datasets at DataCite, which have neither subjects nor a licence. */
const copies = datacite.slice(0, 10).map((like, i) => ({
  ...like,
  id: zenodo[i].doi,
  attributes: { ...like.attributes, doi: zenodo[i].doi, subjects: [], rightsList: [] },
}));

/** Changes of the second release: three datasets without keywords get some, and one with keywords loses them. */
const withKeywords = zenodo.filter(({ metadata }) => (metadata.keywords ?? []).length > 0);
const later = [
  ...zenodo
    .filter(({ metadata }) => (metadata.keywords ?? []).length === 0 && metadata.resource_type?.type === "dataset")
    .slice(0, 3)
    .map((record) => ({ ...record, metadata: { ...record.metadata, keywords: ["market", "footfall", "counts"] } })),
  ...withKeywords.slice(-1).map((record) => ({ ...record, metadata: { ...record.metadata, keywords: [] } })),
].map((record) => ({ ...record, modified: "2026-10-30T00:00:00+00:00", updated: "2026-10-30T00:00:00+00:00" }));

/** The ROR id of an organisation, and a dataset of it that loses its subjects in the second release. */
export const CHANGED_ROR = "05gq02987";
const [affiliated] = datacite.slice(10).filter((each) => each.attributes.subjects?.length > 0);
const creator = {
  name: "Vance, Mirela",
  affiliation: [
    {
      name: "University of Alby",
      affiliationIdentifier: `https://ror.org/${CHANGED_ROR}`,
      affiliationIdentifierScheme: "ROR",
    },
  ],
};
const creators = { ...affiliated, attributes: { ...affiliated.attributes, creators: [creator] } };
const withoutSubjects = {
  ...creators,
  attributes: { ...creators.attributes, subjects: [], updated: "2026-10-30T00:00:00.000Z" },
};
/** The labels of two repositories that differ only in case. The first has several datasets, and the second has one. */
export const LABELS_BY_CASE = ["Delfeld Data Repository", "delfeld data repository"] as const;
const lowerCased = datacite.slice(-1).map((each) => ({
  ...each,
  attributes: { ...each.attributes, publisher: LABELS_BY_CASE[1] },
}));
const unchanged = datacite.slice(0, -1).filter((each) => each !== affiliated);
const registry = [...unchanged, creators, ...copies, ...lowerCased];

export const TWO_RELEASES: StoreContent = {
  captures: Object.entries({ zenodo, datacite: registry }).flatMap(([source, payloads]) =>
    payloads.map((payload) => ({
      source,
      sourceId: String(payload.id),
      payload: JSON.stringify(payload),
      retrievedAt: RETRIEVED_AT,
    })),
  ),
  builds: [{}, { records: { zenodo: later, datacite: [withoutSubjects] } }],
};

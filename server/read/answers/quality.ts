/**
 * A record's score as linked data (W3C Data Quality Vocabulary): the dataset, and a measurement for the total and for each of
 * the 25 signals. What is not known has no value: its state says why, and only a value speaks of the dataset.
 */

import type { RecordDetail } from "../../../schemas/public/api/record.ts";
import { doiAddress } from "../../../schemas/public/doi-address.ts";
import type { Rubric } from "../../../schemas/public/rubric.ts";

/** Terms that the vocabularies of others have no word for; docs/linked-data.md says what each means. */
export const TERMS = "urn:share:terms:";

/** Whole, so that no reader asks another host for it. */
const CONTEXT = {
  dcat: "http://www.w3.org/ns/dcat#",
  dct: "http://purl.org/dc/terms/",
  dqv: "http://www.w3.org/ns/dqv#",
  prov: "http://www.w3.org/ns/prov#",
  skos: "http://www.w3.org/2004/02/skos/core#",
  xsd: "http://www.w3.org/2001/XMLSchema#",
  share: TERMS,
  id: "@id",
  type: "@type",
  title: "dct:title",
  identifier: "dct:identifier",
  source: { "@id": "dct:source", "@type": "@id" },
  measurements: { "@id": "dqv:hasQualityMeasurement", "@container": "@set" },
  computedOn: { "@id": "dqv:computedOn", "@type": "@id" },
  metric: { "@id": "dqv:isMeasurementOf" },
  value: "dqv:value",
  state: { "@id": "share:state", "@type": "@vocab" },
  cap: "share:cap",
  dimension: { "@id": "dqv:inDimension" },
  expects: { "@id": "dqv:expectedDataType", "@type": "@id" },
  name: "skos:prefLabel",
  question: "skos:definition",
  "@vocab": TERMS,
} as const;

/** Addresses are relative to the document's own, as the answer is the same wherever it is served. */
export function qualityOf(record: RecordDetail, contract: Rubric): object {
  const { id, doi, url, title, identifier, signals, source } = record;
  const dataset = doi === null ? (url ?? `/datasets/${id}`) : doiAddress(doi);
  const rubric = `/rubrics/${contract.contract}`;
  const about = { type: "dqv:QualityMeasurement", computedOn: dataset } as const;
  const names = new Map(contract.buckets.map((bucket) => [bucket.id, bucket.name]));
  const questions = new Map(contract.signals.map((signal) => [signal.id, signal.question]));
  return {
    "@context": CONTEXT,
    id: dataset,
    type: "dcat:Dataset",
    ...(title === null ? {} : { title }),
    identifier: doi ?? identifier,
    source: `urn:${source.payloadDigest}`,
    measurements: [
      {
        ...about,
        id: `/records/${id}#${contract.contract}-total`,
        metric: { id: `${rubric}#total`, type: "dqv:Metric", name: "SHARE score", expects: "xsd:integer" },
        ...totalOf(record),
      },
      ...signals.map((signal) => ({
        ...about,
        id: `/records/${id}#${contract.contract}-${signal.id}`,
        metric: {
          id: `${rubric}#${signal.id}`,
          type: "dqv:Metric",
          name: signal.name,
          question: questions.get(signal.id) ?? "",
          expects: "xsd:boolean",
          dimension: {
            id: `${rubric}#${signal.bucket}`,
            type: "dqv:Dimension",
            name: names.get(signal.bucket) ?? signal.bucket,
          },
        },
        ...worthOf(signal),
      })),
    ],
  };
}

/** The highest total that the source allows stands beside each. */
function totalOf({ score, scoreStatus, cap }: RecordDetail): object {
  return score === null ? { state: scoreStatus, cap } : { state: scoreStatus, value: score.total, cap };
}

/** `absent` is the only state that speaks against a dataset, `passed` the only one for it: all others have no value. */
function worthOf({ state }: RecordDetail["signals"][number]): object {
  return state === "passed" || state === "absent" ? { state, value: state === "passed" } : { state };
}

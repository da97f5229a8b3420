/**
 * Scores as FAIR Test Results (FTR 1.3 of OSTrails): the results of one record, and the metrics and tests of a contract.
 * Vocabulary: https://w3id.org/ftr/1.3.0. URLs are relative, because the same document is served under several hosts.
 */

import type { RecordDetail } from "../../schemas/public/api/record.ts";
import type { RubricDescriptor } from "../../schemas/public/api/rubric.ts";
import { doiAddress } from "../../schemas/public/doi-address.ts";
import type { Rubric, Signal } from "../../schemas/public/rubric.ts";
import { STATE_MEANINGS } from "./rubric.ts";

/** Facts about a run of the tests that the page of a record does not contain. */
export interface TestRun {
  /** IRI of the result set. The IRIs of the parts of the set begin with this IRI. */
  readonly set: string;
  /** The time at which all tests had been run, in ISO 8601. */
  readonly endedAt: string;
  /** SPDX id of the licence of the results. */
  readonly licence: string;
}

/** Terms of the published JSON-LD context, repeated here so that readers of a document do not have to fetch the context. */
const CONTEXT = {
  dcat: "http://www.w3.org/ns/dcat#",
  dcterms: "http://purl.org/dc/terms/",
  dqv: "http://www.w3.org/ns/dqv#",
  ftr: "https://w3id.org/ftr#",
  prov: "http://www.w3.org/ns/prov#",
  // The published shapes and SIO itself use http; the published context has https.
  sio: "http://semanticscience.org/resource/",
  vcard: "http://www.w3.org/2006/vcard/ns#",
  xsd: "http://www.w3.org/2001/XMLSchema#",
  Benchmark: "ftr:Benchmark",
  BenchmarkScore: "ftr:BenchmarkScore",
  DataService: "dcat:DataService",
  Dimension: "dqv:Dimension",
  Entity: "prov:Entity",
  GuidanceContext: "ftr:GuidanceContext",
  Metric: "ftr:Metric",
  Organization: "vcard:Organization",
  ScoringAlgorithm: "ftr:ScoringAlgorithm",
  Test: "ftr:Test",
  TestExecutionActivity: "ftr:TestExecutionActivity",
  TestResult: "ftr:TestResult",
  TestResultSet: "ftr:TestResultSet",
  assessmentTarget: "ftr:assessmentTarget",
  contactPoint: "dcat:contactPoint",
  description: "dcterms:description",
  endedAtTime: { "@id": "prov:endedAtTime", "@type": "xsd:dateTime" },
  endpointDescription: { "@id": "dcat:endpointDescription", "@type": "@id" },
  endpointURL: { "@id": "dcat:endpointURL", "@type": "@id" },
  hadMember: "prov:hadMember",
  hasAssociatedMetric: "ftr:hasAssociatedMetric",
  hasBenchmark: { "@id": "ftr:hasBenchmark", "@type": "@id" },
  hasImplementation: "sio:SIO_000234",
  identifier: "dcterms:identifier",
  inDimension: "dqv:inDimension",
  invokesTest: { "@id": "ftr:invokesTest", "@type": "@id" },
  isImplementationOf: { "@id": "sio:SIO_000233", "@type": "@id" },
  isScoredBy: { "@reverse": "ftr:scoredTestResults" },
  license: { "@id": "dcterms:license", "@type": "@id" },
  log: "ftr:log",
  organizationName: "vcard:organization-name",
  outputFromAlgorithm: "ftr:outputFromAlgorithm",
  outputFromTest: "ftr:outputFromTest",
  status: "ftr:status",
  suggestion: "ftr:suggestion",
  title: "dcterms:title",
  used: { "@id": "prov:used", "@type": "@id" },
  value: "prov:value",
  version: "dcat:version",
  wasGeneratedBy: "prov:wasGeneratedBy",
} as const;

const TEST = ["Test", "DataService"] as const;
const ALGORITHM = ["ScoringAlgorithm", "DataService"] as const;

/** Licence of the contracts, which are part of the program. */
const CONTRACT_LICENCE = "Apache-2.0";

function buildBenchmarkUrl({ contract }: Pick<Rubric, "contract">): string {
  return `/rubrics/${contract}`;
}

function buildAlgorithmUrl(contract: Pick<Rubric, "contract">): string {
  return `${buildBenchmarkUrl(contract)}#scoring`;
}

function buildMetricUrl(contract: Pick<Rubric, "contract">, { id }: Pick<Signal, "id">): string {
  return `${buildBenchmarkUrl(contract)}#${id}`;
}

function buildTestUrl(contract: Pick<Rubric, "contract">, signal: Pick<Signal, "id">): string {
  return `${buildMetricUrl(contract, signal)}-test`;
}

function licenceUrl(spdx: string): string {
  return `https://spdx.org/licenses/${spdx}`;
}

/** Returns the IRI of the dataset that a record describes. */
export function datasetIri({ id, doi, url }: Pick<RecordDetail, "id" | "doi" | "url">): string {
  return doi === null ? (url ?? `/datasets/${id}`) : doiAddress(doi);
}

/**
 * Returns the IRI of the result set of a published record. The parts of the set have the same IRIs as the measurements of
 * the record in DQV (Data Quality Vocabulary).
 */
export function publishedSet({ id }: Pick<RecordDetail, "id">, { contract }: Pick<Rubric, "contract">): string {
  return `/records/${id}#${contract}`;
}

/** Returns the results of a record. They have no score if the record has no total. */
export function testResultSet(
  record: RecordDetail,
  contract: Pick<Rubric, "contract" | "title" | "signals">,
  { set, endedAt, licence }: TestRun,
): Readonly<Record<string, unknown>> & { readonly hadMember: readonly object[] } {
  const { doi, identifier, title, score, signals } = record;
  const license = licenceUrl(licence);
  const target = datasetIri(record);
  const assessmentTarget = { "@id": target };
  const questions = new Map(contract.signals.map(({ id, question }) => [id, question]));
  const summary = writeSummary(record);
  return {
    "@context": CONTEXT,
    "@id": set,
    "@type": "TestResultSet",
    identifier: set,
    title: `${contract.title} of ${title ?? identifier}`,
    description: summary,
    license,
    assessmentTarget: { ...assessmentTarget, "@type": "Entity", identifier: doi ?? identifier },
    wasGeneratedBy: {
      "@id": `${set}-run`,
      "@type": "TestExecutionActivity",
      used: target,
      endedAtTime: endedAt,
    },
    hadMember: signals.map((signal) => {
      const id = `${set}-${signal.id}`;
      return {
        "@id": id,
        "@type": "TestResult",
        identifier: id,
        title: signal.name,
        description: questions.get(signal.id) ?? signal.name,
        license,
        value: getVerdict(signal),
        log: formatLog(signal),
        assessmentTarget,
        outputFromTest: { "@id": buildTestUrl(contract, signal), "@type": TEST },
        suggestion: {
          "@id": `${id}-advice`,
          "@type": "GuidanceContext",
          title: signal.name,
          description: signal.advice ?? NO_ADVICE[signal.state === "passed" ? "passed" : "unsupported"],
        },
      };
    }),
    ...(score === null
      ? {}
      : {
          isScoredBy: {
            "@id": `${set}-total`,
            "@type": "BenchmarkScore",
            value: score.total,
            log: summary,
            outputFromAlgorithm: { "@id": buildAlgorithmUrl(contract), "@type": ALGORITHM },
          },
        }),
  };
}

type SignalResult = RecordDetail["signals"][number];

const NO_ADVICE = {
  passed: "Nothing to do: the dataset passes.",
  unsupported: "The depositor cannot change this: the source does not carry the evidence.",
} as const;

/** Returns the verdict on a signal. Only an absent signal fails, because an unknown signal says nothing about the dataset. */
function getVerdict({ state }: SignalResult): "pass" | "fail" | "indeterminate" {
  if (state === "passed") return "pass";
  return state === "absent" ? "fail" : "indeterminate";
}

function formatLog({ state, evidence, field }: SignalResult): string {
  const seen = Object.entries(evidence).map(([name, value]) => `${name} = ${value}`);
  return [
    `${state}: ${STATE_MEANINGS[state]}.`,
    ...(seen.length === 0 ? [] : [`Evidence: ${seen.join(", ")}.`]),
    ...(field === null ? [] : [`Field: ${field}.`]),
  ].join(" ");
}

function writeSummary({ score, scoreStatus, cap, signals }: RecordDetail): string {
  const passed = signals.filter(({ state }) => state === "passed").length;
  if (score !== null) {
    return `${passed} of ${signals.length} signals passed: ${score.total} points. The source allows ${cap}.`;
  }
  return scoreStatus === "failed"
    ? "No total, because the record could not be read or scored."
    : "No total, because too few signals are evaluable.";
}

/** Returns a contract as a benchmark with its metrics, tests and algorithm. `contact` is a URL. */
export function benchmark(
  contract: RubricDescriptor,
  contact: string,
): Readonly<Record<string, unknown>> & { readonly hasAssociatedMetric: readonly object[] } {
  const version = contract.contract;
  const contactPoint = { "@id": contact };
  const service = {
    version,
    contactPoint,
    license: licenceUrl(CONTRACT_LICENCE),
    endpointURL: "/evaluations",
    endpointDescription: "/openapi.json",
  };
  const id = buildBenchmarkUrl(contract);
  const scoring = buildAlgorithmUrl(contract);
  const buckets = new Map(contract.buckets.map((bucket) => [bucket.id, bucket.name]));
  return {
    "@context": CONTEXT,
    "@id": id,
    "@type": "Benchmark",
    identifier: id,
    title: contract.title,
    description: contract.summary,
    version,
    status: contract.status,
    contactPoint: {
      ...contactPoint,
      "@type": "Organization",
      organizationName: "The operator of this SHARE scoring service",
    },
    hasAssociatedMetric: contract.signals.map((signal) => {
      const metric = buildMetricUrl(contract, signal);
      const test = buildTestUrl(contract, signal);
      return {
        "@id": metric,
        "@type": "Metric",
        identifier: metric,
        title: signal.name,
        description: `${signal.question} ${signal.rationale}`,
        version,
        contactPoint,
        hasBenchmark: id,
        inDimension: [
          { "@id": `${id}#${signal.bucket}`, "@type": "Dimension", title: buckets.get(signal.bucket) ?? signal.bucket },
          { "@id": `https://w3id.org/fair/principles/terms/${signal.fair}`, "@type": "Dimension" },
        ],
        hasImplementation: {
          ...service,
          "@id": test,
          "@type": TEST,
          identifier: test,
          title: signal.name,
          description: descriptionOfTest(signal),
          isImplementationOf: metric,
        },
      };
    }),
    hasImplementation: {
      ...service,
      "@id": scoring,
      "@type": ALGORITHM,
      identifier: scoring,
      title: `Total of ${contract.title}`,
      description: "Four points for each passed signal. Other signals have none.",
      isImplementationOf: id,
      invokesTest: contract.signals.map((signal) => buildTestUrl(contract, signal)),
    },
  };
}

function descriptionOfTest({ rule, notEvaluableWhen }: Signal): string {
  const indeterminate = notEvaluableWhen === null ? "" : ` Indeterminate if ${notEvaluableWhen}.`;
  return `Passes if ${rule}.${indeterminate}`;
}

/**
 * OpenNeuro: GraphQL (sources.md, 4). Stored payload: the dataset object of the query below, verbatim and bare: `{id,
 * name, created, public, metadata{…}, analytics{views downloads}, latestSnapshot{tag, created, readme, description{…},
 * summary{…}, files[{filename size directory}]}}`.
 */

import { asObject, asText, at, firstText } from "../../reading/reader.ts";
import { matchFirst, onlyPart, readNumber } from "../adapter/requests.ts";
import { type ResponseShape, type Source, type SourceRequest, type Walk, WalkFault } from "../adapter/source.ts";
import { normaliseOpenneuro } from "./normalise.ts";
import pledge from "./pledge.json" with { type: "json" };

const DATASET = `
  id name created public publishDate
  metadata {
    datasetName datasetUrl firstSnapshotCreatedAt latestSnapshotCreatedAt dxStatus tasksCompleted trialCount studyDesign
    studyDomain studyLongitudinal dataProcessed species associatedPaperDOI openneuroPaperDOI seniorAuthor ages modalities
    grantFunderName grantIdentifier affirmedConsent
  }
  analytics { views downloads }
  latestSnapshot {
    id tag created readme
    deprecated { cause timestamp }
    description {
      Name BIDSVersion License Authors SeniorAuthor Acknowledgements HowToAcknowledge Funding ReferencesAndLinks DatasetDOI
      EthicsApprovals
    }
    summary {
      modalities secondaryModalities sessions subjects tasks size totalFiles dataProcessed
      subjectMetadata { participantId age sex group }
    }
    files { id filename size directory annexed }
  }`;

/** GraphQL query for the list of public datasets. The oldest come first, so that datasets added during a walk come last. */
const LIST = `query ($first: Int, $after: String) {
  datasets(first: $first, after: $after, orderBy: { created: ascending }, filterBy: { public: true }) {
    edges { node { ${DATASET} } }
    pageInfo { endCursor hasNextPage count }
  }
}`;

const ONE = `query ($id: ID!) { dataset(id: $id) { ${DATASET} } }`;

function listBody(first: number, after: string | null): string {
  return JSON.stringify({ query: LIST, variables: { first, after } });
}

function datasetBody(id: string): string {
  return JSON.stringify({ query: ONE, variables: { id } });
}

/** Number of datasets on a page. It is small, because a page contains the files of each dataset. */
const PAGE_SIZE = 25;

const walk: Walk = {
  base: "https://openneuro.org",
  // Datasets can be sorted but not filtered by their last change.
  since: false,
  start: () => ({ after: null }),

  request: ({ after }, { base }) => post(base, listBody(PAGE_SIZE, after === null ? null : String(after))),

  read({ after }, { document }) {
    const info = at(document, "data", "datasets", "pageInfo");
    const total = readNumber(at(info, "count"));
    if (at(info, "hasNextPage") !== true) return { next: null, total };
    const cursor = asText(at(info, "endCursor"));
    if (cursor === null || cursor === after) {
      throw new WalkFault(`OpenNeuro reports more results after the cursor ${cursor}, but gives no next cursor`);
    }
    return { next: { after: cursor }, total };
  },
};

function post(base: string, body: string): SourceRequest {
  return { url: new URL("/crn/graphql", base).href, headers: { accept: "application/json" }, body };
}

function readShape(document: unknown): ResponseShape {
  const object = asObject(document);
  if (object === null) return { kind: "rejected", reason: "unknown-shape", detail: "JSON that is not an object" };
  if (Array.isArray(at(object, "data", "datasets", "edges"))) {
    return { kind: "list", path: ["data", "datasets", "edges"], item: ["node"] };
  }
  if (asObject(at(object, "data", "dataset")) !== null) return { kind: "record", path: ["data", "dataset"] };
  if (ACCESSION.test(asText(object.id) ?? "")) return { kind: "record", path: [] };
  const message = readMessage(object);
  if (message !== null) return { kind: "rejected", reason: "error-answer", detail: message };
  if (at(object, "data", "dataset") === null) {
    return { kind: "rejected", reason: "error-answer", detail: "OpenNeuro has no dataset with this id; check the id" };
  }
  const detail = Object.hasOwn(object, "BIDSVersion")
    ? "a dataset_description.json, which does not identify the dataset; request the dataset from OpenNeuro"
    : at(object, "data", "snapshot") === undefined
      ? "neither a dataset of OpenNeuro nor a page of them"
      : "a snapshot of OpenNeuro without the dataset; request the dataset";
  return { kind: "rejected", reason: "unknown-shape", detail };
}

function readDraft(document: unknown): unknown {
  const object = asObject(document);
  return object !== null && Object.hasOwn(object, "BIDSVersion") ? { latestSnapshot: { description: object } } : null;
}

const ACCESSION = /^ds\d{6,}$/i;

/**
 * Returns the error message in a GraphQL response; null if there is none. Such a response has status 200 and may also
 * contain data.
 */
function readMessage(document: unknown): string | null {
  const errors = at(document, "errors");
  const first = Array.isArray(errors) ? errors[0] : undefined;
  const message = firstText(first, ...["message", "detail", "title"].map((key) => at(first, key)));
  return first === undefined ? null : (message ?? "an error without a message");
}

/** Returns the message of a server error without data; null if there is none. Such an error is temporary. */
function findFault(document: unknown): string | null {
  const errors = at(document, "errors");
  const code = Array.isArray(errors) ? asText(at(errors[0], "extensions", "code")) : null;
  const empty = at(document, "data") === null || at(document, "data") === undefined;
  return code === "INTERNAL_SERVER_ERROR" && empty ? (readMessage(document) ?? code) : null;
}

export const openneuro: Source = {
  name: "openneuro",
  pledge,
  reader: 4,
  example: "ds000001",
  hosts: ["openneuro.org", "www.openneuro.org"],
  // OpenNeuro publishes no rate.
  rate: { requests: 60, seconds: 60 },
  walk,
  planFetch: (id) => onlyPart(({ base }) => post(base, datasetBody(id))),
  buildUrl: (id) => `https://openneuro.org/datasets/${id}`,
  readSourceId: (text) =>
    matchFirst(
      text,
      /^(ds\d{6,})$/i,
      /^https?:\/\/(?:www\.)?openneuro\.org\/(?:crn\/)?datasets\/(ds\d{6,})(?:[/?#].*)?$/i,
      /^(?:https?:\/\/(?:dx\.)?doi\.org\/|doi:)?10\.18112\/openneuro\.(ds\d{6,})(?:\.v[\d.]+)?$/i,
    )?.toLowerCase() ?? null,
  readDraft,
  findFault,
  readShape,
  identify: (payload) => {
    const id = asText(at(payload, "id"))?.toLowerCase() ?? null;
    return id !== null && ACCESSION.test(id) ? id : null;
  },
  normalise: normaliseOpenneuro,
};

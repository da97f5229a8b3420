/** Statements about evaluations on demand and their jobs: results from the release, fetched results, and their errors. */

import {
  CROSSREF_DOI,
  HIDDEN_DOI,
  MISSING,
  REGISTERED,
  REJECTED_DOI,
  SILENT_DOI,
  SOFTWARE,
  UNKNOWN_DOI,
  WITHDRAWN,
} from "../../evaluations/upstream.ts";
import { IDENTIFIERS, makeRecordId, RECORD } from "./addresses.ts";
import { field, header, json, members, problemFault, rejected, sameAs, status } from "./expectations.ts";
import { RECORD_MEMBERS } from "./record-rows.ts";
import { asked, clause, type Expectation, type Row, row, type Statement } from "./statement.ts";
import {
  at,
  exactly,
  INSTANT,
  INTEGER,
  isText,
  kind,
  like,
  listAt,
  NULL,
  numberAt,
  OBJECT,
  orNull,
  parseJson,
  shown,
  TEXT,
  textAt,
} from "./values.ts";

const NOW = "/evaluations";
const JOBS = "/evaluation-jobs";
const JSON_TYPE = { "content-type": "application/json" };
const JOB_ID = /^j[0-9a-f]{32}$/;
const NO_JOB = `${JOBS}/j${"0".repeat(32)}`;

/** Counts callers. Each caller may request ten evaluations a minute, so every statement has its own address. */
let callers = 0;
function caller(): string {
  callers += 1;
  return `127.210.${callers >> 8}.${callers & 255}`;
}

/** Returns a request with this body. Adds version 2.0, unless the body states a version. */
function question(body: unknown, from = caller()) {
  const plain = typeof body === "object" && body !== null && "identifier" in body;
  const whole = plain ? { rubricVersion: "2.0", ...body } : body;
  return { method: "POST", headers: JSON_TYPE, body: isText(whole) ? whole : JSON.stringify(whole), from };
}

const evaluating = (says: string, body: unknown, ...expects: readonly Expectation[]): Row =>
  asked(says, NOW, question(body), ...expects);
const enqueuing = (says: string, body: unknown, ...expects: readonly Expectation[]): Row =>
  asked(says, JOBS, question(body), ...expects);

const invalid = (...paths: readonly string[]) => rejected(400, "invalid-body", ...paths);
const FRESH = status(201);
const ACCEPTED = status(202);
const NEVER_CACHED = header("cache-control", "no-store");
const WAITS = header("retry-after", /^[1-9]\d*$/);

/** Counts DOIs that no release has. A statement uses a new DOI if the service must fetch the dataset for it. */
let fetched = 0;
function unpublished(): string {
  fetched += 1;
  const doi = REGISTERED[fetched];
  if (doi === undefined) throw new Error("the upstream has too few DOIs");
  return doi;
}

const VERSIONS = [
  { version: "2.0", contract: "2.0.0-beta.2", published: "2.0" },
  { version: "2.0.0-beta.2", contract: "2.0.0-beta.2", published: "2.0" },
  { version: "1.0", contract: "1.0.0", published: "1.0" },
  { version: "1.0.0", contract: "1.0.0", published: "1.0" },
  { version: "2.0.0-beta.1", contract: "2.0.0-beta.1", published: null },
] as const;
const PUBLISHED = VERSIONS.filter(({ published }) => published !== null);

const DOI = IDENTIFIERS.loser.replace("datacite/", "");
const NUMBER = IDENTIFIERS.winner.replace("zenodo/", "");
const TRIAL_NUMBER = IDENTIFIERS.trial.replace("clinicaltrials/", "");

/** Identifiers of records in the release, in the forms that decisions.md accepts. */
const FORMS: readonly (readonly [form: string, identifier: string, record: string])[] = [
  ["a bare DOI", DOI, IDENTIFIERS.winner],
  ["a DOI with doi:", `doi:${DOI}`, IDENTIFIERS.winner],
  ["a DOI with DOI: and a space", `DOI: ${DOI}`, IDENTIFIERS.winner],
  ["a DOI as a URL", `https://doi.org/${DOI}`, IDENTIFIERS.winner],
  ["a DOI as a dx.doi.org URL", `http://dx.doi.org/${DOI}`, IDENTIFIERS.winner],
  ["a DOI percent-encoded", `https://doi.org/${encodeURIComponent(DOI)}`, IDENTIFIERS.winner],
  ["a DOI in capitals", DOI.toUpperCase(), IDENTIFIERS.winner],
  ["a DOI in white space", ` \t${DOI}\n`, IDENTIFIERS.winner],
  ["a registry DOI in capitals", "10.5072/COMPLETE-MODERN", IDENTIFIERS.complete],
  ["<source>/<source-id>", IDENTIFIERS.winner, IDENTIFIERS.winner],
  ["<source>/<source-id> of a DOI", IDENTIFIERS.complete, IDENTIFIERS.complete],
  ["<source>/<source-id> of a merged record", IDENTIFIERS.loser, IDENTIFIERS.winner],
  ["an accession", TRIAL_NUMBER, IDENTIFIERS.trial],
  ["an accession in small letters", TRIAL_NUMBER.toLowerCase(), IDENTIFIERS.trial],
  ["a landing page", `https://zenodo.org/records/${NUMBER}`, IDENTIFIERS.winner],
  ["an older landing page", `https://zenodo.org/record/${NUMBER}`, IDENTIFIERS.winner],
  ["a landing page of a trial", `https://clinicaltrials.gov/study/${TRIAL_NUMBER}`, IDENTIFIERS.trial],
];

const MALFORMED: readonly (readonly [says: string, body: unknown, ...paths: readonly string[]])[] = [
  ["identifier is required", { rubricVersion: "2.0" }, "identifier"],
  ["identifier is not empty", { identifier: "", rubricVersion: "2.0" }, "identifier"],
  ["identifier is not only white space", { identifier: " \n", rubricVersion: "2.0" }, "identifier"],
  ["identifier is a string", { identifier: 7, rubricVersion: "2.0" }, "identifier"],
  ["identifier of 2,049 characters", { identifier: `10.5072/${"x".repeat(2041)}` }, "identifier"],
  ["identifier is not any text", { identifier: "soil moisture of the Aldersyke slope" }, "identifier"],
  ["identifier is not any URL", { identifier: "https://example.org/data/1" }, "identifier"],
  ["identifier is not an address of this network", { identifier: "http://169.254.169.254/latest" }, "identifier"],
  ["identifier is not half a DOI", { identifier: "10.5072/" }, "identifier"],
  ["identifier is not what its source cannot have", { identifier: "zenodo/abc" }, "identifier"],
  ...["3.0", "2", "2.0.0", "2.0.0-beta.3", "", "v2.0", 2, null].map(
    (rubricVersion) =>
      [`rubricVersion is not ${shown(rubricVersion)}`, { identifier: DOI, rubricVersion }, "rubricVersion"] as const,
  ),
  ["rubricVersion is required", { identifier: DOI, rubricVersion: undefined }, "rubricVersion"],
  ["every field at fault is named", { identifier: "", rubricVersion: "3.0" }, "identifier", "rubricVersion"],
];

/** Identifiers from services and agencies that are not sources of this project. */
const UNSUPPORTED = [
  "PXD012345",
  "PMC1234567",
  "E-MTAB-1234",
  "arXiv:2101.00001",
  "pdb/1ABC",
  "pangaea/12345",
  "pmid/123",
  "nowhere/1",
  "https://www.gbif.org/dataset/50c9509d-22c7-4a22-a47d-8c48425ef4a7",
  "https://doi.pangaea.de/10.1594/PANGAEA.12345",
];

const EVALUATION = ["id", "identifier", "rubric", "contract", "record", "basis", "evaluatedAt", "release"];
const JOB = [
  "id",
  "status",
  "identifier",
  "fresh",
  "rubricVersion",
  "createdAt",
  "startedAt",
  "finishedAt",
  "attempts",
  "failures",
  "retryAt",
  "result",
  "error",
];

/** Expects the total to be four points for each passed signal, in the masks and in the list of signals. */
const SCORED = json("the total is four points a passed signal", (body) => {
  const signals = listAt(body, "evaluation.record.signals");
  const points = signals.reduce<number>((sum, signal) => sum + numberAt(signal, "points"), 0);
  const total = numberAt(body, "evaluation.record.score.total");
  const passed = numberAt(body, "evaluation.record.score.passedMask").toString(2).replaceAll("0", "").length;
  return signals.length === 25 && points === total && total === 4 * passed ? null : `${total}, ${points}, ${passed}`;
});

/** Expects a job to end within ten seconds. Requests its URL until then, and checks the ended job. */
function onceEnded(text: string, fault: (job: unknown, body: string) => string | null): Expectation {
  return {
    text: `at its Location, once it has ended, ${text}`,
    async fault({ headers }, ask) {
      for (let i = 0; i < 100; i += 1) {
        const { status: seen, text: body } = await ask(headers.location ?? "", { from: caller() });
        if (seen !== 200) return `${seen} ${body.slice(0, 200)}`;
        if (["succeeded", "failed"].includes(textAt(parseJson(body), "status"))) return fault(parseJson(body), body);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      return "it does not end";
    },
  };
}

const wanted = (job: unknown, values: Readonly<Record<string, unknown>>) => {
  const wrong = Object.entries(values).find(([path, value]) => !exactly(value).is(at(job, path)));
  return wrong === undefined ? null : `${wrong[0]} is ${shown(at(job, wrong[0]))}`;
};

function sameJob(body: unknown, same: boolean): Expectation {
  return {
    text: `${shown(body)} gets ${same ? "the same job" : "another job"}`,
    async fault({ text }, ask) {
      const again = await ask(JOBS, question(body));
      const found = textAt(parseJson(again.text), "id") === textAt(parseJson(text), "id");
      return again.status === 202 && found === same ? null : `${again.status} ${again.text.slice(0, 200)}`;
    },
  };
}

/**
 * Expects that ten evaluations or jobs of one caller succeed in a minute, that the next one is rejected, and that another
 * caller is not affected.
 */
function tenAMinute(body: unknown, from: string): Expectation {
  return {
    text: "nine more pass, evaluations and jobs together; the eleventh is 429 with Retry-After; another caller may, and the first may still read",
    async fault(_reply, ask) {
      for (let i = 0; i < 9; i += 1) {
        // An invalid request counts like the others.
        const { status: seen } = await ask(i % 2 === 0 ? JOBS : NOW, question(i === 8 ? {} : body, from));
        if (!(i === 8 ? [400] : [200, 202]).includes(seen)) return `number ${i + 2} is ${seen}`;
      }
      const rejections = [await ask(NOW, question(body, from)), await ask(JOBS, question(body, from))];
      const others = [await ask(NOW, question(body)), await ask(RECORD, { from })];
      const seen = [...rejections, ...others].map((reply) => reply.status);
      if (seen.join() !== "429,429,200,200") return shown(seen);
      const [first] = rejections;
      if (first === undefined || !/^[1-9]\d*$/.test(first.headers["retry-after"] ?? "")) return "no Retry-After";
      return textAt(parseJson(first.text), "type") === "/problems/rate-limited" ? problemFault(first) : first.text;
    },
  };
}

const TEN = caller();
const SAME = unpublished();

/** Expects the field `detail` of a problem to consist of whole sentences. */
const SENTENCE = field("detail", like(/^["A-Z0-9z].*\.$/s));

/** Identifiers without a dataset that can be scored, and the reasons. */
const ABSENT = [
  ["a DOI that nobody registered", UNKNOWN_DOI, /does not exist/],
  ["a DOI that is not public", HIDDEN_DOI, /not public/],
  ["a record that is not there", `zenodo/${MISSING}`, /no public record 88000003/],
  ["a record that was withdrawn", `zenodo/${WITHDRAWN}`, /withdrawn/],
  ["a record that is not a dataset", `zenodo/${SOFTWARE}`, /not a dataset/],
] as const;

/** Makes the statements about errors that POST /evaluations and POST /evaluation-jobs have in common. */
const rejections = (path: string, post: typeof evaluating): Row[] => [
  ...MALFORMED.map(([says, body, ...paths]) => post(says, body, invalid(...paths), NEVER_CACHED, SENTENCE)),
  ...["[]", "null", '"a"'].map((body) => post(`no object: ${body}`, body, invalid(""))),
  post("no JSON", "{", invalid()),
  post("an empty body", "", invalid()),
  ...UNSUPPORTED.map((identifier) =>
    post(
      `an accession of no source here: ${identifier}`,
      { identifier },
      rejected(422, "unsupported-source"),
      SENTENCE,
    ),
  ),
  post("a body over 64 KiB", JSON.stringify({ identifier: "x".repeat(65 * 1024) }), rejected(413, "body-too-large")),
  asked(
    "another media type",
    path,
    { method: "POST", headers: { "content-type": "text/plain" }, body: DOI, from: caller() },
    rejected(415, "unsupported-media-type"),
  ),
  asked("GET", path, { from: caller() }, rejected(405, "method-not-allowed"), header("allow", /POST/)),
];

/** Creators of a draft: so many that its evaluation would be longer than the API allows. */
const MANY_CREATORS = Array.from({ length: 4000 }, (_, i) => ({ name: `N${i}, B`, affiliation: "x".repeat(990) }));

export const EVALUATIONS: readonly Statement[] = [
  ...clause("interface.md, POST /evaluations", [
    ...PUBLISHED.map(({ version, published }) =>
      evaluating(
        `200, the published record result, under ${version}`,
        { identifier: DOI, rubricVersion: version },
        status(200),
        sameAs(`${RECORD}?rubric=${published}`),
        header("content-location", `${RECORD}?rubric=${published}`),
        NEVER_CACHED,
        header("etag", null),
      ),
    ),
    evaluating("the record result has every member", { identifier: DOI }, status(200), hasMembers("", RECORD_MEMBERS)),
    ...VERSIONS.map(({ version, contract }) =>
      evaluating(
        `201, a JSON object, under ${version}`,
        { identifier: unpublished(), rubricVersion: version },
        FRESH,
        members("", "evaluation"),
        members("evaluation", EVALUATION),
        field("evaluation.rubric", exactly(version)),
        field("evaluation.contract", exactly(contract)),
        hasMembers("evaluation.record", RECORD_MEMBERS),
        SCORED,
        NEVER_CACHED,
      ),
    ),
    evaluating(
      "unknown fields are ignored",
      { identifier: DOI, rubricVersion: "2.0", release: "x", id: 1 },
      status(200),
    ),
    evaluating(
      "an identifier of 2,048 characters",
      { identifier: `https://doi.org/${DOI}?`.padEnd(2048, "x") },
      status(200),
    ),
    evaluating(
      "a release of one version: the other is not published, so it is fetched",
      { identifier: IDENTIFIERS.complete, rubricVersion: "2.0.0-beta.1" },
      rejected(404, "not-in-source"),
    ),
    ...rejections(NOW, evaluating),
    evaluating(
      "valid identifier from an unsupported source: a DOI of another agency",
      { identifier: CROSSREF_DOI },
      rejected(422, "unsupported-source"),
      field("detail", like(/Crossref/)),
    ),
  ]),
  ...clause("decisions.md, Evaluation", [
    ...FORMS.map(([form, identifier, record]) =>
      evaluating(`${form} is accepted`, { identifier }, status(200), field("id", exactly(makeRecordId(record)))),
    ),
    evaluating("what the release has is its page", { identifier: DOI }, status(200), sameAs(RECORD)),
    ...evaluationMembers(unpublished()),
    {
      ...evaluating("before the first release, everything is fetched", { identifier: unpublished() }, FRESH),
      of: "none",
    },
    {
      ...evaluating(
        "a version that the release lacks is fetched",
        { identifier: unpublished(), rubricVersion: "1.0" },
        FRESH,
      ),
      of: "2.0 only",
    },
    {
      ...evaluating("a version that the release has is not", { identifier: DOI, rubricVersion: "2.0" }, status(200)),
      of: "2.0 only",
    },
    ...ABSENT.map(([says, identifier, reason]) =>
      evaluating(
        `${says} is 404 with the reason`,
        { identifier },
        rejected(404, "not-in-source"),
        field("detail", like(reason)),
        SENTENCE,
      ),
    ),
    evaluating(
      "the archive of an accession is named",
      { identifier: "PXD012345" },
      rejected(422, "unsupported-source"),
      field("detail", like(/ProteomeXchange/)),
    ),
    evaluating(
      "a source that fails is 502 with Retry-After, and never 404",
      { identifier: REJECTED_DOI },
      rejected(502, "source-unreachable"),
      WAITS,
    ),
    evaluating(
      "a source that is too slow is 504 with Retry-After, and never 404",
      { identifier: SILENT_DOI },
      rejected(504, "source-too-slow"),
      WAITS,
    ),
  ]),
  ...clause("decisions.md, Evaluation: drafts", [
    asked(
      "metadata of a source is scored as it stands",
      "/evaluations/draft?source=zenodo",
      question({ metadata: { upload_type: "dataset", title: "Invented tides", creators: [] } }),
      status(200),
    ),
    asked(
      "a draft that is too large to score is 413, and no fault of a source",
      "/evaluations/draft?source=zenodo",
      question({ metadata: { upload_type: "dataset", title: "Tides", creators: MANY_CREATORS } }),
      rejected(413, "body-too-large"),
    ),
  ]),
  ...clause("decisions.md, Rates: evaluations", [
    asked(
      "ten a minute for a caller",
      NOW,
      question({ identifier: DOI }, TEN),
      status(200),
      tenAMinute({ identifier: DOI }, TEN),
    ),
    evaluating(
      "a header states the quota",
      { identifier: DOI },
      status(200),
      header("ratelimit-policy", /"evaluation";q=10;w=60/),
    ),
    evaluating(
      "a header states the requests that remain",
      { identifier: DOI },
      status(200),
      header("ratelimit", /"evaluation";r=9;t=\d+/),
    ),
  ]),
  ...clause("interface.md, evaluation jobs", [
    enqueuing(
      "202, Location and the job",
      { identifier: unpublished(), rubricVersion: "2.0" },
      ACCEPTED,
      header("location", /^\/evaluation-jobs\/j[0-9a-f]{32}$/),
      NEVER_CACHED,
      WAITS,
      members("", JOB),
      field("id", like(JOB_ID)),
      field("status", exactly("queued")),
      field("rubricVersion", exactly("2.0")),
      field("createdAt", INSTANT),
      ...["startedAt", "finishedAt", "result", "error"].map((name) => field(name, NULL)),
      field("attempts", exactly(0)),
    ),
    ...VERSIONS.map(({ version, contract }) =>
      enqueuing(
        `a job under ${version} ends with its result`,
        { identifier: unpublished(), rubricVersion: version },
        ACCEPTED,
        onceEnded("succeeded, with the evaluation as its result", (job) =>
          wanted(job, {
            status: "succeeded",
            attempts: 1,
            error: null,
            "result.evaluation.rubric": version,
            "result.evaluation.contract": contract,
            "result.evaluation.release": null,
          }),
        ),
      ),
    ),
    enqueuing(
      "an identifier of 2,048 characters",
      { identifier: `https://doi.org/${DOI}?`.padEnd(2048, "x") },
      ACCEPTED,
    ),
    row("a job that is not there", NO_JOB, rejected(404, "job-not-found")),
    ...["1", "nothing", "j'--", "%00"].map((id) =>
      row(`an invalid id: ${id}`, `${JOBS}/${id}`, rejected(404, "job-not-found")),
    ),
    asked("PUT", NO_JOB, { method: "PUT" }, rejected(405, "method-not-allowed"), header("allow", /^GET/)),
    ...rejections(JOBS, enqueuing),
  ]),
  ...clause("decisions.md, Evaluation: jobs", [
    enqueuing(
      "the shape, once it has ended",
      { identifier: unpublished() },
      ACCEPTED,
      onceEnded("the same members, the instants given", (job) => {
        const kinds = { startedAt: INSTANT, finishedAt: INSTANT, attempts: INTEGER, result: OBJECT, identifier: TEXT };
        const wrong = Object.entries(kinds).find(([path, is]) => !is.is(at(job, path)));
        if (wrong !== undefined) return `${wrong[0]} is ${shown(at(job, wrong[0]))}`;
        const names = Object.keys(Object(job)).sort().join();
        return names === JOB.toSorted().join() ? null : names;
      }),
    ),
    enqueuing(
      "a record of the active release is the result, with the release",
      { identifier: DOI },
      ACCEPTED,
      onceEnded("succeeded, with the record and a release", (job) => {
        const digest = textAt(job, "result.evaluation.release.releaseDigest");
        const fault = wanted(job, {
          status: "succeeded",
          "result.evaluation.record.id": makeRecordId(IDENTIFIERS.winner),
        });
        return fault ?? (/^sha256:[0-9a-f]{64}$/.test(digest) ? null : `the release is ${shown(digest)}`);
      }),
    ),
    enqueuing(
      "what has no score fails, with the problem document",
      { identifier: CROSSREF_DOI },
      ACCEPTED,
      onceEnded("failed, with 422 unsupported-source", (job) =>
        wanted(job, {
          status: "failed",
          result: null,
          attempts: 1,
          "error.type": "/problems/unsupported-source",
          "error.status": 422,
          "error.instance": `${JOBS}/${textAt(job, "id")}`,
        }),
      ),
    ),
    enqueuing(
      "the same identifier and contract within a minute",
      { identifier: SAME, rubricVersion: "2.0" },
      ACCEPTED,
      sameJob({ identifier: SAME, rubricVersion: "2.0" }, true),
    ),
    enqueuing(
      "the same in another spelling",
      { identifier: SAME, rubricVersion: "2.0" },
      ACCEPTED,
      sameJob({ identifier: `https://doi.org/${SAME.toUpperCase()}`, rubricVersion: "2.0.0-beta.2" }, true),
    ),
    enqueuing(
      "the same identifier under another contract",
      { identifier: SAME, rubricVersion: "2.0" },
      ACCEPTED,
      sameJob({ identifier: SAME, rubricVersion: "1.0" }, false),
    ),
    enqueuing(
      "another identifier under the same contract",
      { identifier: SAME, rubricVersion: "2.0" },
      ACCEPTED,
      sameJob({ identifier: unpublished(), rubricVersion: "2.0" }, false),
    ),
  ]),
];

/** Makes the statements about the fields of an evaluation of one DOI. */
function evaluationMembers(doi: string): Row[] {
  const kinds = {
    id: like(/^e[0-9a-f]{24}$/),
    identifier: exactly(`datacite/${doi}`),
    rubric: exactly("2.0"),
    record: OBJECT,
    "record.identifier": exactly(`datacite/${doi}`),
    "record.id": exactly(makeRecordId(`datacite/${doi}`)),
    "record.scoreStatus": exactly("scored"),
    "record.source.retrievedAt": orNull(INSTANT),
    basis: OBJECT,
    "basis.contract.id": exactly("2.0.0-beta.2"),
    evaluatedAt: INSTANT,
    release: NULL,
  };
  return Object.entries(kinds).map(([name, is]) =>
    evaluating(`evaluation.${name}`, { identifier: doi }, FRESH, field(`evaluation.${name}`, is)),
  );
}

/** Expects the object at the path to have at least these fields. */
function hasMembers(path: string, names: readonly string[]): Expectation {
  const known = kind(`an object with ${names.join(", ")}`, (value) =>
    names.every((name) => at(value, name) !== undefined),
  );
  return field(path, known);
}

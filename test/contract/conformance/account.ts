/** What belongs to one person: claims, visibility, saved things, submissions, measurements, and the account itself. */

import { REGISTERED } from "../../evaluations/upstream.ts";
import { IDENTIFIERS, idOf, PROLIFIC_SLUG, SLUG } from "./addresses.ts";
import { field, header, members, refused, status } from "./expectations.ts";
import {
  asked,
  clause,
  type Expectation,
  type Given,
  type Row,
  row,
  type Statement,
  type Visitor,
} from "./statement.ts";
import {
  at,
  exactly,
  INSTANT,
  INTEGER,
  isText,
  jsonOf,
  like,
  NULL,
  OBJECT,
  orNull,
  shown,
  TEXT,
  textAt,
} from "./values.ts";

const ME = "/account/me";
const CLAIMS = "/account/profile-claims";
const VISIBILITY = "/account/visibility-requests";
const RECORDS = "/account/saved-records";
const AUTHORS = "/account/saved-authors";
const SUBMISSIONS = "/account/dataset-submissions";
const MEASUREMENTS = "/account/measurements";

const ORCID = SLUG.slice(-19);
const RECORD_ID = idOf(IDENTIFIERS.winner);
const UNKNOWN_ID = "0".repeat(24);

/** Ten evaluations a minute are answered for each caller: these come from addresses of their own. */
let callers = 0;
function caller(): string {
  callers += 1;
  return `127.230.${callers >> 8}.${callers & 255}`;
}

/** A dataset is submitted once. */
let submitted = 0;
function unsubmitted(): string {
  submitted += 1;
  return `zenodo/${88_100_000 + submitted}`;
}

interface Situation {
  readonly as?: Visitor;
  readonly given?: readonly Given[];
}

const JSON_TYPE = { "content-type": "application/json" };

function reading(says: string, path: string, situation: Situation, ...expects: readonly Expectation[]): Row {
  return { as: "mail", ...row(says, path, ...expects), ...situation };
}

function posting(
  says: string,
  path: string,
  body: unknown,
  situation: Situation,
  ...expects: readonly Expectation[]
): Row {
  const text = isText(body) ? body : JSON.stringify(body);
  const question = { method: "POST", headers: JSON_TYPE, body: text, from: caller() };
  return { as: "mail", ...asked(says, path, question, ...expects), ...situation };
}

function deleting(says: string, path: string, situation: Situation, ...expects: readonly Expectation[]): Row {
  return { as: "mail", ...asked(says, path, { method: "DELETE" }, ...expects), ...situation };
}

const invalid = (...paths: readonly string[]) => refused(400, "invalid-body", ...paths);
const MADE = status(201);
const OK = status(200);
const DELETED = field("", exactly({ deleted: true }));
const NEVER_CACHED = header("cache-control", "no-store");
const idLike = (letter: string) => like(new RegExp(`^${letter}[0-9a-f]{24}$`));

/** What another address says afterwards. */
function then(text: string, path: string, wanted: number, holds: (body: unknown) => boolean): Expectation {
  return {
    text,
    async fault(_reply, ask) {
      const reply = await ask(path);
      return reply.status === wanted && holds(jsonOf(reply.text))
        ? null
        : `${reply.status} ${reply.text.slice(0, 300)}`;
    },
  };
}

const gone = (path: string): Expectation => then("it is gone", path, 200, (body) => at(body, "pagination.total") === 0);

/** The rows that every body has. */
function bodies(path: string, good: () => object, required: readonly string[], situation: Situation = {}): Row[] {
  return [
    posting("the answer is not kept by caches", path, good(), situation, MADE, NEVER_CACHED),
    posting("unknown fields are ignored", path, { ...good(), admin: true, accountId: "u0" }, situation, MADE),
    posting("every field that is required is named", path, {}, situation, invalid(...required)),
    posting("no JSON", path, "{", situation, invalid()),
    posting("an empty body", path, "", situation, invalid()),
    ...["[]", "null", "1", '"a"'].map((body) => posting(`no object: ${body}`, path, body, situation, invalid(""))),
    posting(
      "a body over 64 KiB",
      path,
      { ...good(), more: "x".repeat(65 * 1024) },
      situation,
      refused(413, "body-too-large"),
    ),
    {
      ...asked(
        "another media type",
        path,
        { method: "POST", headers: { "content-type": "text/plain" }, body: JSON.stringify(good()) },
        refused(415, "unsupported-media-type"),
      ),
      as: "mail",
      ...situation,
    },
  ];
}

/** The rows of a slug; what it may be, beside what it must be. */
function slugs(path: string, rest: object): Row[] {
  const refusedSlugs = [
    "",
    "jane doe",
    "jane/doe",
    "jane%20doe",
    "jané-doe",
    "jаne-doe",
    "jane-doe\n",
    "a".repeat(161),
  ];
  return [
    posting("authorSlug is required", path, rest, {}, invalid("authorSlug")),
    ...[7, null, ["a"]].map((authorSlug) =>
      posting(
        `authorSlug is a string: not ${shown(authorSlug)}`,
        path,
        { ...rest, authorSlug },
        {},
        invalid("authorSlug"),
      ),
    ),
    ...refusedSlugs.map((authorSlug) =>
      posting(
        `authorSlug of at most 160 letters, digits and . _ ~ -: not ${shown(authorSlug.slice(0, 20))} (${authorSlug.length})`,
        path,
        { ...rest, authorSlug },
        {},
        invalid("authorSlug"),
      ),
    ),
    ...["a".repeat(160), "Jane.Doe_1~2-3", "nobody-0000000000", "..", "~"].map((authorSlug) =>
      posting(
        `a slug of nobody is 404: ${shown(authorSlug.slice(0, 20))} (${authorSlug.length})`,
        path,
        { ...rest, authorSlug },
        {},
        refused(404, "researcher-not-found"),
      ),
    ),
  ];
}

/** The rows of a text that may be left out. */
function texts(path: string, name: string, good: () => object, situation: Situation = {}): Row[] {
  return [
    posting(`${name} is not required`, path, good(), situation, MADE, field(name, NULL)),
    posting(
      `${name} of 500 characters`,
      path,
      { ...good(), [name]: "n".repeat(500) },
      situation,
      MADE,
      field(name, exactly("n".repeat(500))),
    ),
    posting(`${name} counts characters, not bytes`, path, { ...good(), [name]: "😀".repeat(500) }, situation, MADE),
    posting(`${name} of 501 characters`, path, { ...good(), [name]: "n".repeat(501) }, situation, invalid(name)),
    posting(`${name} is absent if it is null`, path, { ...good(), [name]: null }, situation, MADE, field(name, NULL)),
    ...[7, ["n"]].map((value) =>
      posting(`${name} is a string: not ${shown(value)}`, path, { ...good(), [name]: value }, situation, invalid(name)),
    ),
    posting(`${name} has no control characters`, path, { ...good(), [name]: "a\u0000b" }, situation, invalid(name)),
  ];
}

const VERSIONS = ["2.0", "1.0", "1.0.0", "2.0.0-beta.1", "2.0.0-beta.2"] as const;

/** The rows of an identifier and the version it is for. */
function identifiers(path: string, fresh: () => string): Row[] {
  return [
    ...[
      "",
      " \n",
      "soil moisture of the Aldersyke slope",
      "https://example.org/data/1",
      "10.5072/",
      `10.5072/${"x".repeat(2041)}`,
    ].map((identifier) =>
      posting(
        `identifier is not ${shown(identifier.slice(0, 40))} (${identifier.length})`,
        path,
        { identifier },
        {},
        invalid("identifier"),
      ),
    ),
    ...[7, null].map((identifier) =>
      posting(`identifier is a string: not ${shown(identifier)}`, path, { identifier }, {}, invalid("identifier")),
    ),
    posting(
      "a valid identifier of an unsupported source is 422",
      path,
      { identifier: "PXD012345" },
      {},
      refused(422, "unsupported-source"),
    ),
    posting(
      "rubricVersion is not required, and means 2.0",
      path,
      { identifier: fresh() },
      {},
      MADE,
      field("rubricVersion", exactly("2.0")),
    ),
    ...VERSIONS.map((rubricVersion) =>
      posting(
        `rubricVersion ${rubricVersion}`,
        path,
        { identifier: fresh(), rubricVersion },
        {},
        MADE,
        field("rubricVersion", exactly(rubricVersion)),
      ),
    ),
    posting(
      "a rubricVersion of null is absent",
      path,
      { identifier: fresh(), rubricVersion: null },
      {},
      MADE,
      field("rubricVersion", exactly("2.0")),
    ),
    ...["3.0", "2", "2.0.0", "", 2].map((rubricVersion) =>
      posting(
        `rubricVersion is not ${shown(rubricVersion)}`,
        path,
        { identifier: fresh(), rubricVersion },
        {},
        invalid("rubricVersion"),
      ),
    ),
    posting(
      "every field at fault is named",
      path,
      { identifier: "", rubricVersion: "3.0" },
      {},
      invalid("identifier", "rubricVersion"),
    ),
  ];
}

/** The rows of a list under the account. */
function lists(path: string): Row[] {
  return [
    reading("200, the common envelope", path, {}, OK, members("", ["data", "pagination"]), NEVER_CACHED),
    reading(
      "of somebody new it is empty",
      path,
      {},
      OK,
      field("pagination", exactly({ total: 0, page: 1, limit: 10, totalPages: 0, hasNext: false, hasPrev: false })),
    ),
    ...["limit=1", "limit=100", "page=1", "page=10000"].map((query) =>
      reading(`${query} is taken`, `${path}?${query}`, {}, OK),
    ),
    ...["limit=0", "limit=101", "limit=x", "page=0", "page=10001", "page=1&page=1"].map((query) =>
      reading(
        `${query} is refused`,
        `${path}?${query}`,
        {},
        refused(400, "invalid-parameter", query.slice(0, query.indexOf("="))),
      ),
    ),
  ];
}

const claim = (slug: string): Given => [CLAIMS, { authorSlug: slug }];
/** Somebody who has an approved claim: by a moderator, or on ORCID's word. */
const CLAIMED: Situation = { given: [claim(PROLIFIC_SLUG), "approved"] };
const hiding = { authorSlug: PROLIFIC_SLUG, requestType: "opt_out" };

/** A moderator approves what was asked for; the pages follow within moments, and it is undone. */
const HIDES: Expectation = {
  text: "approved, their page and badge are the 404 of an unknown one and their row is gone; an approved opt_in undoes it",
  async fault(reply, ask, { decide }) {
    const [page, badge, list] = [
      `/authors/${PROLIFIC_SLUG}`,
      `/widgets/researchers/${PROLIFIC_SLUG}/badge.svg`,
      "/authors?limit=100",
    ];
    const until = async (wanted: number) => {
      for (let looks = 0; looks < 200; looks += 1) {
        if ((await ask(page, { from: caller() })).status === wanted) return true;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return false;
    };
    await decide(textAt(jsonOf(reply.text), "id"), "approved");
    const hidden = await until(404);
    const seen = [(await ask(badge)).status, (await ask(list)).text.includes(PROLIFIC_SLUG), (await ask(page)).text];
    const nobody = await ask("/authors/nobody-0000000000");
    const question = { method: "POST", headers: JSON_TYPE, body: JSON.stringify({ ...hiding, requestType: "opt_in" }) };
    await decide(textAt(jsonOf((await ask(VISIBILITY, question)).text), "id"), "approved");
    const back = await until(200);
    const same = String(seen[2]).replaceAll(PROLIFIC_SLUG, "") === nobody.text.replaceAll("nobody-0000000000", "");
    return hidden && back && seen[0] === 404 && seen[1] === false && same ? null : shown([hidden, back, ...seen]);
  },
};

/** Every address of the account in the words of interface.md, and those that decisions.md adds. */
const ADDRESSES: readonly (readonly [method: "GET" | "POST" | "DELETE", path: string])[] = [
  ["GET", ME],
  ["DELETE", ME],
  ["GET", "/account/export"],
  ...[CLAIMS, VISIBILITY, RECORDS, AUTHORS, SUBMISSIONS, MEASUREMENTS].flatMap((path) => [
    ["GET", path] as const,
    ["POST", path] as const,
    ["DELETE", `${path}/x`] as const,
  ]),
  ["GET", `${SUBMISSIONS}/x`],
  ["GET", `${MEASUREMENTS}/x`],
];

function without(method: string, headers: Readonly<Record<string, string>>) {
  return { method, headers, ...(method === "POST" ? { body: "{}" } : {}) };
}

export const ACCOUNT: readonly Statement[] = [
  ...clause("interface.md, /account: who may ask", [
    ...ADDRESSES.filter(([method]) => method === "GET").map(([method, path]) =>
      asked(`${method} ${path} without a session is 401`, path, {}, refused(401, "no-session")),
    ),
    ...ADDRESSES.filter(([method]) => method !== "GET").flatMap(([method, path]): Row[] => [
      asked(
        `${method} ${path} of a program, without Origin`,
        path,
        without(method, JSON_TYPE),
        refused(401, "no-session"),
      ),
      {
        ...asked(
          `${method} ${path} from another origin is 403`,
          path,
          without(method, { ...JSON_TYPE, origin: "https://evil.example" }),
          refused(403, "wrong-origin"),
        ),
        as: "mail",
      },
      {
        ...asked(
          `${method} ${path} without a session is 401`,
          path,
          without(method, { ...JSON_TYPE, cookie: "share_session=x" }),
          refused(401, "no-session"),
        ),
        as: "mail",
      },
    ]),
    {
      ...asked(
        "an API key is no session",
        ME,
        { headers: { "x-api-key": "x" }, from: caller() },
        refused(401, "bad-api-key"),
      ),
    },
  ]),
  ...clause("interface.md, GET /account/me", [
    reading(
      "200, all a person's page needs",
      ME,
      {},
      OK,
      NEVER_CACHED,
      members("", [
        "user",
        "sessions",
        "hidden",
        "profileClaims",
        "visibilityRequests",
        "savedRecords",
        "savedAuthors",
        "datasetSubmissions",
        "measurements",
        "limits",
      ]),
    ),
    reading(
      "user",
      ME,
      {},
      OK,
      members("user", ["id", "name", "email", "orcid", "createdAt"]),
      field("user.id", idLike("u")),
    ),
    reading("who came by mail has an address", ME, {}, OK, field("user.email", TEXT), field("user.orcid", NULL)),
    reading(
      "who came with ORCID has an iD",
      ME,
      { as: { orcid: ORCID } },
      OK,
      field("user.orcid", exactly(ORCID)),
      field("user.email", NULL),
    ),
    reading("sessions are counted", ME, {}, OK, field("sessions", exactly(1))),
    reading(
      "saved things are in it",
      ME,
      { given: [[RECORDS, { recordId: RECORD_ID }]] },
      OK,
      field("savedRecords.data.0.recordId", exactly(RECORD_ID)),
    ),
    reading(
      "claims are in it",
      ME,
      { given: [claim(SLUG)] },
      OK,
      field("profileClaims.data.0.authorSlug", exactly(SLUG)),
    ),
  ]),
  ...clause("interface.md, POST /account/profile-claims; decisions.md, Accounts", [
    ...lists(CLAIMS),
    ...slugs(CLAIMS, {}),
    ...bodies(CLAIMS, () => ({ authorSlug: SLUG }), ["authorSlug"]),
    posting(
      "201, and it is pending",
      CLAIMS,
      { authorSlug: SLUG },
      {},
      MADE,
      field("state", exactly("pending")),
      field("decidedAt", NULL),
    ),
    posting(
      "its members",
      CLAIMS,
      { authorSlug: SLUG },
      {},
      MADE,
      members("", ["id", "authorId", "authorSlug", "state", "decisionReason", "createdAt", "decidedAt", "researcher"]),
    ),
    posting("its id", CLAIMS, { authorSlug: SLUG }, {}, MADE, field("id", idLike("c")), field("createdAt", INSTANT)),
    posting(
      "approved at once where the signed-in ORCID is the researcher's own",
      CLAIMS,
      { authorSlug: SLUG },
      { as: { orcid: ORCID } },
      MADE,
      field("state", exactly("approved")),
      field("decidedAt", INSTANT),
    ),
    posting(
      "another's ORCID approves nothing",
      CLAIMS,
      { authorSlug: PROLIFIC_SLUG },
      { as: { orcid: ORCID } },
      MADE,
      field("state", exactly("pending")),
    ),
    posting(
      "an approved claim shows on the researcher's page",
      CLAIMS,
      { authorSlug: SLUG },
      { as: { orcid: ORCID } },
      MADE,
      {
        text: "verified is true there within moments",
        async fault(_reply, ask) {
          for (let looks = 0; looks < 200; looks += 1) {
            if (at(jsonOf((await ask(`/authors/${SLUG}`, { from: caller() })).text), "verified") === true) return null;
            await new Promise((resolve) => setTimeout(resolve, 10));
          }
          return "verified stays false";
        },
      },
    ),
    posting(
      "the same claim twice is 409",
      CLAIMS,
      { authorSlug: SLUG },
      { given: [claim(SLUG)] },
      refused(409, "duplicate"),
    ),
    posting(
      "after a rejection it can be made again",
      CLAIMS,
      { authorSlug: SLUG },
      { given: [claim(SLUG), "rejected"] },
      MADE,
    ),
    reading(
      "else a moderator approves it",
      CLAIMS,
      CLAIMED,
      OK,
      field("data.0.state", exactly("approved")),
      field("data.0.decidedAt", INSTANT),
    ),
    reading(
      "or rejects it, with a reason",
      CLAIMS,
      { given: [claim(SLUG), "rejected"] },
      OK,
      field("data.0.state", exactly("rejected")),
      field("data.0.decisionReason", exactly("Looked at.")),
    ),
    deleting("taken back", `${CLAIMS}/{id}`, { given: [claim(SLUG)] }, OK, DELETED, gone(CLAIMS)),
    deleting("what is not there is 404", `${CLAIMS}/c${UNKNOWN_ID}`, {}, refused(404, "not-found")),
  ]),
  ...clause("interface.md, POST /account/visibility-requests; decisions.md, Accounts", [
    ...lists(VISIBILITY),
    ...slugs(VISIBILITY, { requestType: "opt_out" }),
    ...bodies(VISIBILITY, () => hiding, ["authorSlug", "requestType"], CLAIMED),
    ...texts(VISIBILITY, "reason", () => hiding, CLAIMED),
    ...["opt_out", "opt_in"].map((requestType) =>
      posting(
        `requestType ${requestType}`,
        VISIBILITY,
        { ...hiding, requestType },
        CLAIMED,
        MADE,
        field("requestType", exactly(requestType)),
        field("state", exactly("pending")),
      ),
    ),
    posting("requestType is required", VISIBILITY, { authorSlug: SLUG }, {}, invalid("requestType")),
    ...["", "opt-out", "OPT_OUT", "hide", 1, null].map((requestType) =>
      posting(
        `requestType is not ${shown(requestType)}`,
        VISIBILITY,
        { authorSlug: SLUG, requestType },
        {},
        invalid("requestType"),
      ),
    ),
    posting(
      "every field at fault is named",
      VISIBILITY,
      { authorSlug: "ä", requestType: "x", reason: 1 },
      {},
      invalid("authorSlug", "requestType", "reason"),
    ),
    posting(
      "its members",
      VISIBILITY,
      hiding,
      CLAIMED,
      MADE,
      members("", [
        "id",
        "authorId",
        "authorSlug",
        "requestType",
        "reason",
        "state",
        "decisionReason",
        "createdAt",
        "decidedAt",
      ]),
    ),
    posting("its id", VISIBILITY, hiding, CLAIMED, MADE, field("id", idLike("v"))),
    posting("without a claim it is 403", VISIBILITY, hiding, {}, refused(403, "claim-needed")),
    posting(
      "with a claim that is pending it is 403",
      VISIBILITY,
      hiding,
      { given: [claim(PROLIFIC_SLUG)] },
      refused(403, "claim-needed"),
    ),
    posting(
      "with a claim that was rejected it is 403",
      VISIBILITY,
      hiding,
      { given: [claim(PROLIFIC_SLUG), "rejected"] },
      refused(403, "claim-needed"),
    ),
    posting(
      "with a claim of somebody else it is 403",
      VISIBILITY,
      { ...hiding, authorSlug: SLUG },
      CLAIMED,
      refused(403, "claim-needed"),
    ),
    posting(
      "with ORCID's word for the claim",
      VISIBILITY,
      { ...hiding, authorSlug: SLUG },
      { as: { orcid: ORCID }, given: [claim(SLUG)] },
      MADE,
    ),
    posting(
      "the same twice is 409",
      VISIBILITY,
      hiding,
      { given: [claim(PROLIFIC_SLUG), "approved", [VISIBILITY, hiding]] },
      refused(409, "duplicate"),
    ),
    posting("an approved opt_out hides the researcher at once", VISIBILITY, hiding, CLAIMED, MADE, HIDES),
    reading(
      "a moderator rejects it, with a reason",
      VISIBILITY,
      { given: [claim(PROLIFIC_SLUG), "approved", [VISIBILITY, hiding], "rejected"] },
      OK,
      field("data.0.state", exactly("rejected")),
      field("data.0.decisionReason", exactly("Looked at.")),
    ),
    deleting(
      "taken back",
      `${VISIBILITY}/{id}`,
      { given: [claim(PROLIFIC_SLUG), "approved", [VISIBILITY, hiding]] },
      OK,
      DELETED,
      gone(VISIBILITY),
    ),
    deleting("what is not there is 404", `${VISIBILITY}/v${UNKNOWN_ID}`, {}, refused(404, "not-found")),
  ]),
  ...clause("interface.md, /account/saved-records", [
    ...lists(RECORDS),
    ...bodies(RECORDS, () => ({ recordId: RECORD_ID }), ["recordId"]),
    ...texts(RECORDS, "note", () => ({ recordId: RECORD_ID })),
    posting(
      "201, and the record",
      RECORDS,
      { recordId: RECORD_ID },
      {},
      MADE,
      members("", ["recordId", "note", "savedAt", "updatedAt", "record"]),
      field("record.id", exactly(RECORD_ID)),
    ),
    posting("recordId is required", RECORDS, { note: "x" }, {}, invalid("recordId")),
    posting("recordId of 1 to 160 characters: not 0", RECORDS, { recordId: "" }, {}, invalid("recordId")),
    posting("recordId of 1 to 160 characters: 1", RECORDS, { recordId: "r" }, {}, refused(404, "dataset-not-found")),
    posting(
      "recordId of 1 to 160 characters: 160",
      RECORDS,
      { recordId: "r".repeat(160) },
      {},
      refused(404, "dataset-not-found"),
    ),
    posting(
      "recordId of 1 to 160 characters: not 161",
      RECORDS,
      { recordId: "r".repeat(161) },
      {},
      invalid("recordId"),
    ),
    ...[7, null].map((recordId) =>
      posting(`recordId is a string: not ${shown(recordId)}`, RECORDS, { recordId }, {}, invalid("recordId")),
    ),
    posting(
      "a record that is unknown is 404",
      RECORDS,
      { recordId: `r${UNKNOWN_ID}` },
      {},
      refused(404, "dataset-not-found"),
    ),
    posting(
      "saving twice updates the note, with 201",
      RECORDS,
      { recordId: RECORD_ID, note: "second" },
      { given: [[RECORDS, { recordId: RECORD_ID, note: "first" }]] },
      MADE,
      field("note", exactly("second")),
      then("there is one", RECORDS, 200, (body) => at(body, "pagination.total") === 1),
    ),
    deleting(
      "DELETE answers 200 {deleted: true}",
      `${RECORDS}/${RECORD_ID}`,
      { given: [[RECORDS, { recordId: RECORD_ID }]] },
      OK,
      DELETED,
      NEVER_CACHED,
      gone(RECORDS),
    ),
    deleting("deleting what is not there is 404", `${RECORDS}/${RECORD_ID}`, {}, refused(404, "not-saved")),
    deleting("deleting what cannot be is 404", `${RECORDS}/a%00b`, {}, refused(404, "not-saved")),
  ]),
  ...clause("interface.md, /account/saved-authors", [
    ...lists(AUTHORS),
    ...slugs(AUTHORS, {}),
    ...bodies(AUTHORS, () => ({ authorSlug: SLUG }), ["authorSlug"]),
    ...texts(AUTHORS, "note", () => ({ authorSlug: SLUG })),
    posting(
      "201, and the researcher",
      AUTHORS,
      { authorSlug: SLUG },
      {},
      MADE,
      members("", ["authorId", "authorSlug", "note", "savedAt", "updatedAt", "researcher"]),
      field("researcher.slug", exactly(SLUG)),
    ),
    posting(
      "saving twice updates the note, with 201",
      AUTHORS,
      { authorSlug: SLUG, note: "second" },
      { given: [[AUTHORS, { authorSlug: SLUG, note: "first" }]] },
      MADE,
      field("note", exactly("second")),
      then("there is one", AUTHORS, 200, (body) => at(body, "pagination.total") === 1),
    ),
    posting("DELETE of its authorId answers 200 {deleted: true}", AUTHORS, { authorSlug: SLUG }, {}, MADE, {
      text: "deleted once, 404 after that",
      async fault({ text }, ask) {
        const path = `${AUTHORS}/${textAt(jsonOf(text), "authorId")}`;
        const [first, second] = [await ask(path, { method: "DELETE" }), await ask(path, { method: "DELETE" })];
        const right = first.status === 200 && at(jsonOf(first.text), "deleted") === true && second.status === 404;
        return right ? null : `${first.text} ${second.text}`;
      },
    }),
    deleting("deleting what is not there is 404", `${AUTHORS}/a${UNKNOWN_ID}`, {}, refused(404, "not-saved")),
    deleting("deleting what cannot be is 404", `${AUTHORS}/a%00b`, {}, refused(404, "not-saved")),
  ]),
  ...clause("interface.md, /account/dataset-submissions; decisions.md, Accounts", [
    ...lists(SUBMISSIONS),
    ...identifiers(SUBMISSIONS, unsubmitted),
    ...bodies(SUBMISSIONS, () => ({ identifier: unsubmitted() }), ["identifier"]),
    posting(
      "identifier of 2,048 characters",
      SUBMISSIONS,
      { identifier: `https://zenodo.org/records/${unsubmitted().slice(7)}?`.padEnd(2048, "x") },
      {},
      MADE,
    ),
    posting(
      "201, and it is queued",
      SUBMISSIONS,
      { identifier: unsubmitted() },
      {},
      MADE,
      field("state", exactly("queued")),
      field("id", idLike("d")),
    ),
    posting(
      "its members",
      SUBMISSIONS,
      { identifier: unsubmitted() },
      {},
      MADE,
      members("", [
        "id",
        "identifier",
        "source",
        "sourceId",
        "rubricVersion",
        "state",
        "decisionReason",
        "createdAt",
        "decidedAt",
        "harvestedAt",
        "harvestOutcome",
      ]),
    ),
    ...["accepted", "rejected"].map((state) =>
      reading(
        `queued → ${state}`,
        `${SUBMISSIONS}/{id}`,
        { given: [[SUBMISSIONS, { identifier: unsubmitted() }], state === "accepted" ? "approved" : "rejected"] },
        OK,
        field("state", exactly(state)),
        field("decidedAt", INSTANT),
      ),
    ),
    reading(
      "one by its id",
      `${SUBMISSIONS}/{id}`,
      { given: [[SUBMISSIONS, { identifier: unsubmitted() }]] },
      OK,
      field("state", exactly("queued")),
    ),
    ...[unsubmitted()].map((identifier) =>
      posting(
        "the same dataset twice is 409",
        SUBMISSIONS,
        { identifier: identifier.replace("zenodo/", "10.5281/zenodo.") },
        { given: [[SUBMISSIONS, { identifier }]] },
        refused(409, "duplicate"),
      ),
    ),
    deleting(
      "taken back",
      `${SUBMISSIONS}/{id}`,
      { given: [[SUBMISSIONS, { identifier: unsubmitted() }]] },
      OK,
      DELETED,
      gone(SUBMISSIONS),
    ),
    reading("what is not there is 404", `${SUBMISSIONS}/d${UNKNOWN_ID}`, {}, refused(404, "not-found")),
    deleting("deleting what is not there is 404", `${SUBMISSIONS}/d${UNKNOWN_ID}`, {}, refused(404, "not-found")),
  ]),
  ...clause("interface.md, POST /account/measurements; decisions.md, Accounts", [
    ...lists(MEASUREMENTS),
    ...identifiers(MEASUREMENTS, () => REGISTERED[100] ?? ""),
    ...bodies(MEASUREMENTS, () => ({ identifier: IDENTIFIERS.winner }), ["identifier"]),
    posting(
      "identifier of 2,048 characters",
      MEASUREMENTS,
      { identifier: `https://zenodo.org/records/${IDENTIFIERS.winner.slice(7)}?`.padEnd(2048, "x") },
      {},
      MADE,
    ),
    posting(
      "201, an evaluation that is kept",
      MEASUREMENTS,
      { identifier: IDENTIFIERS.winner },
      {},
      MADE,
      members("", [
        "id",
        "identifier",
        "rubricVersion",
        "recordId",
        "repository",
        "title",
        "total",
        "createdAt",
        "evaluation",
      ]),
      field("evaluation", OBJECT),
      field("id", idLike("m")),
    ),
    posting(
      "of the release where it has the record",
      MEASUREMENTS,
      { identifier: IDENTIFIERS.winner },
      {},
      MADE,
      field("recordId", exactly(RECORD_ID)),
      field("evaluation.release", OBJECT),
    ),
    posting(
      "of its source where the release has not",
      MEASUREMENTS,
      { identifier: REGISTERED[100] },
      {},
      MADE,
      field("evaluation.release", NULL),
      field("total", orNull(INTEGER)),
    ),
    reading(
      "the list has them in short",
      MEASUREMENTS,
      { given: [[MEASUREMENTS, { identifier: IDENTIFIERS.winner }]] },
      OK,
      members("data", ["id", "identifier", "rubricVersion", "recordId", "repository", "title", "total", "createdAt"]),
    ),
    reading(
      "one by its id, whole",
      `${MEASUREMENTS}/{id}`,
      { given: [[MEASUREMENTS, { identifier: IDENTIFIERS.winner }]] },
      OK,
      field("evaluation.record.id", exactly(RECORD_ID)),
    ),
    deleting(
      "DELETE answers 200 {deleted: true}",
      `${MEASUREMENTS}/{id}`,
      { given: [[MEASUREMENTS, { identifier: IDENTIFIERS.winner }]] },
      OK,
      DELETED,
      gone(MEASUREMENTS),
    ),
    reading("what is not there is 404", `${MEASUREMENTS}/m${UNKNOWN_ID}`, {}, refused(404, "not-found")),
    deleting("deleting what is not there is 404", `${MEASUREMENTS}/m${UNKNOWN_ID}`, {}, refused(404, "not-found")),
  ]),
  ...clause("decisions.md, Accounts: export and the end", [
    reading(
      "everything that is kept, as a file",
      "/account/export",
      {},
      OK,
      header("content-disposition", /^attachment; filename="share-account-u[0-9a-f]{24}\.json"$/),
      NEVER_CACHED,
    ),
    reading(
      "what was saved is in it",
      "/account/export",
      { given: [[RECORDS, { recordId: RECORD_ID, note: "exported" }]] },
      OK,
      field("savedRecords.0.note", exactly("exported")),
    ),
    deleting(
      "deleting an account answers {deleted: true}",
      ME,
      {},
      OK,
      DELETED,
      header("set-cookie", /^share_session=; Max-Age=0/),
    ),
    deleting("deleting an account erases it", ME, { as: { orcid: ORCID }, given: [claim(SLUG)] }, OK, {
      text: "the session is over, and who has the iD starts anew",
      async fault(_reply, ask, { signedIn }) {
        const over = await ask(ME);
        const again = await signedIn({ orcid: ORCID });
        const { text } = await again(ME);
        return over.status === 401 && at(jsonOf(text), "profileClaims.pagination.total") === 0
          ? null
          : `${over.status} ${text.slice(0, 300)}`;
      },
    }),
  ]),
];

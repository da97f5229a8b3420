/**
 * Statements about the data of one user: claims, visibility, saved records, submissions, measurements, and the account itself.
 */

import { ACCOUNT_ROUTES } from "../../../api-static/routes/account-routes.ts";
import { REGISTERED, WITHDRAWN } from "../../evaluations/upstream.ts";
import { IDENTIFIERS, makeRecordId, PROLIFIC_SLUG, SLUG } from "./addresses.ts";
import { field, header, members, rejected, status } from "./expectations.ts";
import { asked, clause, type Expectation, type Given, type Row, type Statement, type Visitor } from "./statement.ts";
import {
  at,
  exactly,
  INSTANT,
  INTEGER,
  isText,
  like,
  NULL,
  OBJECT,
  orNull,
  parseJson,
  shown,
  TEXT,
  textAt,
} from "./values.ts";

const ME = "/account/me";
const EXPORT = "/account/export";
const ORCID = SLUG.slice(-19);
const RECORD_ID = makeRecordId(IDENTIFIERS.winner);
const UNKNOWN_ID = "0".repeat(24);

/** Counts callers. Each caller may request ten evaluations a minute, so every statement has its own address. */
let callers = 0;
function caller(): string {
  callers += 1;
  return `127.230.${callers >> 8}.${callers & 255}`;
}

/** Counts submitted datasets, because a dataset can be submitted only once. */
let submitted = 0;
function unsubmitted(): string {
  submitted += 1;
  return `zenodo/${88_100_000 + submitted}`;
}

const HTML = { accept: "text/html" };
const JSON_TYPE = { "content-type": "application/json" };
const OK = status(200);
const MADE = status(201);
const DELETED = field("", exactly({ deleted: true }));
const NEVER_CACHED = header("cache-control", "no-store");
const idLike = (letter: string) => like(new RegExp(`^${letter}[0-9a-f]{24}$`));

/** Expects that after the request, another path responds with this status and body. */
function then(text: string, path: string, wanted: number, holds: (body: unknown) => boolean): Expectation {
  return {
    text,
    async fault(_reply, ask) {
      const reply = await ask(path);
      return reply.status === wanted && holds(parseJson(reply.text))
        ? null
        : `${reply.status} ${reply.text.slice(0, 300)}`;
    },
  };
}

const LISTS = [
  "profileClaims",
  "visibilityRequests",
  "savedRecords",
  "savedAuthors",
  "savedRepositories",
  "savedSearches",
  "datasetSubmissions",
  "measurements",
] as const;
const NOTHING_SAVED = then("nothing is saved", ME, 200, (body) =>
  LISTS.every((name) => at(body, `${name}.pagination.total`) === 0),
);

/** Adds a situation to statements: the user who sends the request, or objects that are created before the request. */
function when(situation: { readonly as?: Visitor; readonly given?: readonly Given[] }, ...rows: readonly Row[]): Row[] {
  return rows.map((each) => ({ ...each, ...situation }));
}

/** Expects that an API key with the email address of the account is listed and works, until it is revoked. */
const KEY_IS_REVOKED: Expectation = {
  text: "a key is in apiKeys and works; after DELETE /account/api-keys/{id}, it gets 401",
  async fault(reply, ask) {
    const body = JSON.stringify({ name: "Norvale", email: textAt(parseJson(reply.text), "user.email") });
    const made = await ask("/api-keys/register", { method: "POST", headers: JSON_TYPE, body, from: caller() });
    const headers = { "x-api-key": textAt(parseJson(made.text), "key") };
    const id = textAt(parseJson((await ask(ME)).text), "apiKeys.0.id");
    const before = await ask("/status", { headers });
    const revoked = await ask(`/account/api-keys/${id}`, { method: "DELETE" });
    const after = await ask("/status", { headers });
    const seen = [made, before, revoked, after].map(({ status }) => status).join();
    return seen === "201,200,200,401" ? null : seen;
  },
};

/**
 * Makes statements about one collection of an account, each with a new user who signed in by email. `suffix` follows the path
 * of the collection.
 */
class Collection {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  get(says: string, suffix: string, ...expects: readonly Expectation[]): Row {
    return { ...asked(says, `${this.path}${suffix}`, {}, ...expects), as: "mail" };
  }

  delete(says: string, suffix: string, ...expects: readonly Expectation[]): Row {
    return { ...asked(says, `${this.path}${suffix}`, { method: "DELETE" }, ...expects), as: "mail" };
  }

  post(says: string, body: unknown, ...expects: readonly Expectation[]): Row {
    const text = isText(body) ? body : JSON.stringify(body);
    const question = { method: "POST", headers: JSON_TYPE, body: text, from: caller() };
    return { ...asked(says, this.path, question, ...expects), as: "mail" };
  }

  /** Makes a statement about a body that is accepted with 201. */
  made(says: string, body: unknown, ...expects: readonly Expectation[]): Row {
    return this.post(says, body, MADE, ...expects);
  }

  /**
   * Makes a statement about a body that is rejected with 400. `faults` are the fields that the problem names, such as `note`,
   * or fields with their messages, such as `note: must be text`.
   */
  invalid(says: string, body: unknown, ...faults: readonly string[]): Row {
    return this.post(says, body, rejected(400, "invalid-body", ...faults), NOTHING_SAVED);
  }

  /** Makes the statements about the list of the collection. */
  lists(): Row[] {
    const empty = { total: 0, page: 1, limit: 10, totalPages: 0, hasNext: false, hasPrev: false };
    return [
      this.get("200, the common envelope", "", OK, members("", "data pagination"), NEVER_CACHED),
      this.get("of somebody new it is empty", "", OK, field("pagination", exactly(empty))),
      ...["limit=1", "limit=100", "page=1", "page=10000"].map((query) =>
        this.get(`${query} is taken`, `?${query}`, OK),
      ),
      ...["limit=0", "limit=101", "limit=x", "page=0", "page=10001", "page=1&page=1"].map((query) =>
        this.get(`${query} is rejected`, `?${query}`, rejected(400, "invalid-parameter", query.split("=")[0] ?? "")),
      ),
    ];
  }

  /**
   * Makes the statements that all kinds of bodies have in common. `good` returns a body that is accepted after the steps
   * `given`.
   */
  bodies(good: () => object, required: readonly string[], given: readonly Given[] = []): Row[] {
    const large = { ...good(), more: "x".repeat(65 * 1024) };
    const text = { method: "POST", headers: { "content-type": "text/plain" }, body: JSON.stringify(good()) };
    return [
      ...when(
        { given },
        this.made("the answer is not kept by caches", good(), NEVER_CACHED),
        this.made("unknown fields are ignored", { ...good(), admin: true, accountId: "u0", role: "admin" }),
      ),
      this.invalid("every field that is required is named", {}, ...required),
      this.invalid("no JSON", "{"),
      this.invalid("an empty body", ""),
      ...["[]", "null", "1", '"a"'].map((body) => this.invalid(`no object: ${body}`, body, ": must be a JSON object")),
      this.post("a body over 64 KiB", large, rejected(413, "body-too-large")),
      { ...asked("another media type", this.path, text, rejected(415, "unsupported-media-type")), as: "mail" },
    ];
  }

  /** Makes the statements about a slug in a body. `rest` has the other fields of the body. */
  slugs(rest: object): Row[] {
    const words = ["jane doe", "jane/doe", "jane%20doe", "jane%2ddoe", "jané-doe", "jаne-doe", "jane\u0000doe"];
    const faults: readonly (readonly [value: unknown, message: string])[] = [
      ...[7, null, ["a"]].map((value) => [value, "must be text"] as const),
      ["", "must not be empty"],
      ["a".repeat(161), "must have at most 160 characters"],
      ...[...words, "jane'doe", "jane-doe\n"].map(
        (value) => [value, "must have letters, digits and the characters . _ ~ - only"] as const,
      ),
    ];
    return [
      this.invalid("authorSlug is required", rest, "authorSlug: must be text"),
      ...faults.map(([authorSlug, message]) =>
        this.invalid(
          `authorSlug ${message}: not ${shown(authorSlug).slice(0, 20)}`,
          { ...rest, authorSlug },
          `authorSlug: ${message}`,
        ),
      ),
      ...["a".repeat(160), "Jane.Doe_1~2-3", "nobody", "nobody-0000000000", "..", "~"].map((authorSlug) =>
        this.post(
          `a slug of nobody is 404: ${authorSlug.slice(0, 20)} (${authorSlug.length})`,
          { ...rest, authorSlug },
          rejected(404, "researcher-not-found"),
        ),
      ),
    ];
  }

  /** Makes the statements about an optional text field. */
  texts(name: string, good: () => object, given: readonly Given[] = []): Row[] {
    const of = (value: unknown) => ({ ...good(), [name]: value });
    const faults: readonly (readonly [value: unknown, message: string])[] = [
      ["n".repeat(501), "must have at most 500 characters"],
      ...[7, ["n"]].map((value) => [value, "must be text"] as const),
      ...["a\u0000b", "a\u001b[2Jb", "a\u202eb", "a\ud800b"].map(
        (value) => [value, "must not contain control characters"] as const,
      ),
    ];
    const long = "n".repeat(500);
    return [
      ...when(
        { given },
        this.made(`${name} is not required`, good(), field(name, NULL)),
        this.made(`${name} of 500 characters`, of(long), field(name, exactly(long))),
        this.made(`${name} counts characters, not bytes`, of("😀".repeat(500))),
        this.made(`${name} keeps its lines`, of("Line one.\nLine two."), field(name, exactly("Line one.\nLine two."))),
        this.made(`${name} is absent if it is null`, of(null), field(name, NULL)),
        this.made(`${name} is absent if it is empty`, of(""), field(name, NULL)),
      ),
      ...faults.map(([value, message]) =>
        this.invalid(`${name} ${message}: not ${shown(value).slice(0, 20)}`, of(value), `${name}: ${message}`),
      ),
    ];
  }

  /** Makes the statements about an identifier and the version of the evaluation. */
  identifiers(fresh: () => string): Row[] {
    const unread = ["soil moisture of the Aldersyke slope", "https://example.org/data/1", "10.5072/"];
    const faults: readonly (readonly [value: unknown, message: string])[] = [
      ...[7, null].map((value) => [value, ": must be text"] as const),
      ...["", " \n"].map((value) => [value, ": must not be empty"] as const),
      [`10.5072/${"x".repeat(2041)}`, ": must have at most 2048 characters"],
      ...unread.map((value) => [value, ""] as const),
    ];
    const versioned = (version: unknown) => ({ identifier: fresh(), rubricVersion: version });
    const means = (version: string) => field("rubricVersion", exactly(version));
    const versions = ["2.0", "1.0", "1.0.0", "2.0.0-beta.1", "2.0.0-beta.2"];
    return [
      ...faults.map(([identifier, message]) =>
        this.invalid(
          `identifier${message}: not ${shown(identifier).slice(0, 40)}`,
          { identifier },
          `identifier${message}`,
        ),
      ),
      this.post(
        "a valid identifier of an unsupported source is 422",
        { identifier: "PXD012345" },
        rejected(422, "unsupported-source"),
      ),
      this.made("rubricVersion is not required, and means 2.0", { identifier: fresh() }, means("2.0")),
      ...versions.map((version) => this.made(`rubricVersion ${version}`, versioned(version), means(version))),
      this.made("a rubricVersion of null is absent", versioned(null), means("2.0")),
      ...["3.0", "2", "2.0.0", "", 2].map((version) =>
        this.invalid(
          `rubricVersion is not ${shown(version)}`,
          versioned(version),
          `rubricVersion: must be one of ${versions.join(", ")}`,
        ),
      ),
      this.invalid(
        "every field at fault is named",
        { identifier: 7, rubricVersion: "3.0" },
        "identifier: must be text",
        `rubricVersion: must be one of ${versions.join(", ")}`,
      ),
    ];
  }

  /** Expects the list to be empty after the request, and a second DELETE to be 404. */
  gone(suffix = "/{id}"): Expectation {
    return {
      text: "it is gone",
      fault: async (_reply, ask) => {
        const list = await ask(this.path);
        const again = await ask(`${this.path}${suffix}`, { method: "DELETE" });
        const right = list.status === 200 && at(parseJson(list.text), "pagination.total") === 0 && again.status === 404;
        return right ? null : `${again.status} ${list.text.slice(0, 300)}`;
      },
    };
  }

  /** Makes the statements about unknown ids. `letter` is the first letter of the collection's ids. */
  unknown(letter: string, type: string): Row[] {
    return [
      this.delete("deleting what is not there is 404", `/${letter}${UNKNOWN_ID}`, rejected(404, type)),
      this.delete("deleting what cannot be is 404", "/a%00b", rejected(404, type)),
    ];
  }
}

const CLAIMS = new Collection("/account/profile-claims");
const VISIBILITY = new Collection("/account/visibility-requests");
const RECORDS = new Collection("/account/saved-records");
const AUTHORS = new Collection("/account/saved-authors");
const REPOSITORIES = new Collection("/account/saved-repositories");
const SEARCHES = new Collection("/account/saved-searches");
const CHANGE_MAILS = new Collection("/account/change-mails");
const SUBMISSIONS = new Collection("/account/dataset-submissions");
const MEASUREMENTS = new Collection("/account/measurements");
const ACCOUNT_PAGES = new Collection("/account");

const claim = (slug: string): Given => [CLAIMS.path, { authorSlug: slug }];
/** Steps that give a user a claim that a moderator approved. */
const CLAIMED: readonly Given[] = [claim(PROLIFIC_SLUG), "approved"];
const hiding = { authorSlug: PROLIFIC_SLUG, requestType: "opt_out" };
const requested: Given = [VISIBILITY.path, hiding];
const saved = (recordId: string, note?: string): Given => [RECORDS.path, { recordId, note }];
const submittedAs = (identifier: string): Given => [SUBMISSIONS.path, { identifier }];
const measured: Given = [MEASUREMENTS.path, { identifier: IDENTIFIERS.winner }];
const own = { as: { orcid: ORCID } };

/**
 * Expects that pages change within moments after a moderator has approved a request, and change back after the opposite
 * request.
 */
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
    await decide(textAt(parseJson(reply.text), "id"), "approved");
    const hidden = await until(404);
    const seen = [(await ask(badge)).status, (await ask(list)).text.includes(PROLIFIC_SLUG), (await ask(page)).text];
    const nobody = await ask("/authors/nobody-0000000000");
    const question = { method: "POST", headers: JSON_TYPE, body: JSON.stringify({ ...hiding, requestType: "opt_in" }) };
    await decide(textAt(parseJson((await ask(VISIBILITY.path, question)).text), "id"), "approved");
    const back = await until(200);
    const same = String(seen[2]).replaceAll(PROLIFIC_SLUG, "") === nobody.text.replaceAll("nobody-0000000000", "");
    return hidden && back && seen[0] === 404 && seen[1] === false && same ? null : shown([hidden, back, ...seen]);
  },
};

const VERIFIED: Expectation = {
  text: "verified is true there within moments",
  async fault(_reply, ask) {
    for (let looks = 0; looks < 200; looks += 1) {
      if (at(parseJson((await ask(`/authors/${SLUG}`, { from: caller() })).text), "verified") === true) return null;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return "verified stays false";
  },
};

/** Makes the statements about requests without a session, and about requests from another origin. */
function strangers(method: string, path: string): Row[] {
  if (method === "GET") {
    return [
      asked(`${method} ${path} without a session is 401`, path, {}, rejected(401, "no-session")),
      asked(
        `${method} ${path} redirects a browser without a session`,
        path,
        { headers: HTML },
        status(303),
        header("location", /^\/sign-in\?returnTo=/),
      ),
    ];
  }
  const question = (headers: Readonly<Record<string, string>>) => ({
    method,
    headers: { ...JSON_TYPE, ...headers },
    ...(method === "POST" ? { body: "{}" } : {}),
  });
  return [
    asked(`${method} ${path} of a program, without Origin`, path, question({}), rejected(401, "no-session")),
    ...when(
      { as: "mail" },
      asked(
        `${method} ${path} from another origin is 403`,
        path,
        question({ origin: "https://evil.example" }),
        rejected(403, "wrong-origin"),
      ),
      asked(
        `${method} ${path} without a session is 401`,
        path,
        question({ cookie: "share_session=x" }),
        rejected(401, "no-session"),
      ),
    ),
  ];
}

const decided = (state: string) => field("data.0.state", exactly(state));
const LOOKED_AT = field("data.0.decisionReason", exactly("Looked at."));
const ONE = (path: string) => then("there is one", path, 200, (body) => at(body, "pagination.total") === 1);

export const ACCOUNT: readonly Statement[] = [
  ...clause("interface.md, /account: who may ask", [
    ...Object.values(ACCOUNT_ROUTES).flatMap(({ method, path }) =>
      strangers(method.toUpperCase(), path.replace(/\{\w+\}/, "x")),
    ),
    asked(
      "an API key does not replace a session",
      ME,
      { headers: { "x-api-key": "x" }, from: caller() },
      rejected(401, "bad-api-key"),
    ),
  ]),
  ...clause("interface.md, GET /account/me", [
    ACCOUNT_PAGES.get(
      "200, all a person's page needs",
      "/me",
      OK,
      NEVER_CACHED,
      members("", `user sessions apiKeys hidden ${LISTS.join(" ")} changeMails limits`),
    ),
    ACCOUNT_PAGES.get(
      "user",
      "/me",
      OK,
      members("user", "id name email orcid createdAt"),
      field("user.id", idLike("u")),
    ),
    ACCOUNT_PAGES.get(
      "who came by mail has an address",
      "/me",
      OK,
      field("user.email", TEXT),
      field("user.orcid", NULL),
    ),
    ...when(
      own,
      ACCOUNT_PAGES.get(
        "who came with ORCID has an iD",
        "/me",
        OK,
        field("user.orcid", exactly(ORCID)),
        field("user.email", NULL),
      ),
    ),
    ACCOUNT_PAGES.get("lists API keys with its email address, and revokes them", "/me", OK, KEY_IS_REVOKED),
    ACCOUNT_PAGES.get("sessions are counted", "/me", OK, field("sessions", exactly(1))),
    ...when(
      { given: [saved(RECORD_ID), claim(SLUG)] },
      ACCOUNT_PAGES.get("saved things are in it", "/me", OK, field("savedRecords.data.0.recordId", exactly(RECORD_ID))),
      ACCOUNT_PAGES.get("claims are in it", "/me", OK, field("profileClaims.data.0.authorSlug", exactly(SLUG))),
    ),
  ]),
  ...clause("interface.md, POST /account/profile-claims; decisions.md, Accounts", [
    ...CLAIMS.lists(),
    ...CLAIMS.slugs({}),
    ...CLAIMS.bodies(() => ({ authorSlug: SLUG }), ["authorSlug"]),
    CLAIMS.made(
      "201, and it is pending",
      { authorSlug: SLUG },
      field("state", exactly("pending")),
      field("decidedAt", NULL),
    ),
    CLAIMS.made(
      "its members",
      { authorSlug: SLUG },
      members("", "id authorId authorSlug evidence state decisionReason createdAt decidedAt researcher"),
    ),
    CLAIMS.made("its id", { authorSlug: SLUG }, field("id", idLike("c")), field("createdAt", INSTANT)),
    ...when(
      own,
      CLAIMS.made(
        "approved at once where the signed-in ORCID is the researcher's own",
        { authorSlug: SLUG },
        field("state", exactly("approved")),
        field("decidedAt", INSTANT),
      ),
      CLAIMS.made(
        "another's ORCID approves nothing",
        { authorSlug: PROLIFIC_SLUG },
        field("state", exactly("pending")),
      ),
      CLAIMS.made("an approved claim shows on the researcher's page", { authorSlug: SLUG }, VERIFIED),
    ),
    ...when(
      { given: [claim(SLUG)] },
      CLAIMS.post("the same claim twice is 409", { authorSlug: SLUG }, rejected(409, "duplicate")),
      CLAIMS.delete("taken back", "/{id}", OK, DELETED, CLAIMS.gone()),
    ),
    ...when(
      { given: [claim(SLUG), "rejected"] },
      CLAIMS.made("after a rejection it can be made again", { authorSlug: SLUG }),
      CLAIMS.get("or rejects it, with a reason", "", OK, decided("rejected"), LOOKED_AT),
    ),
    ...when(
      { given: CLAIMED },
      CLAIMS.get("else a moderator approves it", "", OK, decided("approved"), field("data.0.decidedAt", INSTANT)),
    ),
    ...CLAIMS.unknown("c", "not-found"),
  ]),
  ...clause("interface.md, POST /account/visibility-requests; decisions.md, Accounts", [
    ...VISIBILITY.lists(),
    ...VISIBILITY.slugs({ requestType: "opt_out" }),
    ...VISIBILITY.bodies(() => hiding, ["authorSlug", "requestType"], CLAIMED),
    ...VISIBILITY.texts("reason", () => hiding, CLAIMED),
    VISIBILITY.invalid("requestType is required", { authorSlug: SLUG }, "requestType: must be one of opt_out, opt_in"),
    ...["", "opt-out", "OPT_OUT", "hide", 1, null].map((requestType) =>
      VISIBILITY.invalid(
        `requestType is not ${shown(requestType)}`,
        { authorSlug: SLUG, requestType },
        "requestType: must be one of opt_out, opt_in",
      ),
    ),
    VISIBILITY.invalid(
      "every field at fault is named",
      { authorSlug: "ä", requestType: "x", reason: "r".repeat(501) },
      "authorSlug: must have letters, digits and the characters . _ ~ - only",
      "requestType: must be one of opt_out, opt_in",
      "reason: must have at most 500 characters",
    ),
    ...when(
      { given: CLAIMED },
      ...["opt_out", "opt_in"].map((requestType) =>
        VISIBILITY.made(
          `requestType ${requestType}`,
          { ...hiding, requestType },
          field("requestType", exactly(requestType)),
          field("state", exactly("pending")),
        ),
      ),
      VISIBILITY.made(
        "its members",
        hiding,
        members("", "id authorId authorSlug requestType reason state decisionReason createdAt decidedAt"),
      ),
      VISIBILITY.made("its id", hiding, field("id", idLike("v"))),
      VISIBILITY.post(
        "with a claim of somebody else it is 403",
        { ...hiding, authorSlug: SLUG },
        rejected(403, "claim-needed"),
      ),
      VISIBILITY.made("an approved opt_out hides the researcher at once", hiding, HIDES),
    ),
    VISIBILITY.post("without a claim it is 403", hiding, rejected(403, "claim-needed")),
    ...when(
      { given: [claim(PROLIFIC_SLUG)] },
      VISIBILITY.post("with a claim that is pending it is 403", hiding, rejected(403, "claim-needed")),
    ),
    ...when(
      { given: [claim(PROLIFIC_SLUG), "rejected"] },
      VISIBILITY.post("with a claim that was rejected it is 403", hiding, rejected(403, "claim-needed")),
    ),
    ...when(
      { ...own, given: [claim(SLUG)] },
      VISIBILITY.made("with ORCID's word for the claim", { ...hiding, authorSlug: SLUG }),
    ),
    ...when(
      { given: [...CLAIMED, requested] },
      VISIBILITY.post("the same twice is 409", hiding, rejected(409, "duplicate")),
      VISIBILITY.made("the opposite request may wait beside it", { ...hiding, requestType: "opt_in" }),
      VISIBILITY.delete("taken back", "/{id}", OK, DELETED, VISIBILITY.gone()),
    ),
    ...when(
      { given: [...CLAIMED, requested, "rejected"] },
      VISIBILITY.get("a moderator rejects it, with a reason", "", OK, decided("rejected"), LOOKED_AT),
    ),
    ...VISIBILITY.unknown("v", "not-found"),
  ]),
  ...clause("interface.md, /account/saved-records", [
    ...RECORDS.lists(),
    ...RECORDS.bodies(() => ({ recordId: RECORD_ID }), ["recordId"]),
    ...RECORDS.texts("note", () => ({ recordId: RECORD_ID })),
    RECORDS.made(
      "201, and the record",
      { recordId: RECORD_ID },
      members("", "recordId note savedAt updatedAt record"),
      field("record.id", exactly(RECORD_ID)),
    ),
    RECORDS.invalid("recordId is required", { note: "x" }, "recordId: must be text"),
    RECORDS.invalid("recordId of 1 to 160 characters: not 0", { recordId: "" }, "recordId: must not be empty"),
    ...[1, 160].map((length) =>
      RECORDS.post(
        `recordId of 1 to 160 characters: ${length}`,
        { recordId: "r".repeat(length) },
        rejected(404, "dataset-not-found"),
      ),
    ),
    RECORDS.invalid(
      "recordId of 1 to 160 characters: not 161",
      { recordId: "r".repeat(161) },
      "recordId: must have at most 160 characters",
    ),
    ...[7, null].map((recordId) =>
      RECORDS.invalid(`recordId is a string: not ${shown(recordId)}`, { recordId }, "recordId: must be text"),
    ),
    RECORDS.post("a record that is unknown is 404", { recordId: `r${UNKNOWN_ID}` }, rejected(404, "dataset-not-found")),
    RECORDS.get("recordId=x is rejected", "?recordId=x", rejected(400, "invalid-parameter", "recordId")),
    ...when(
      { given: [saved(RECORD_ID, "first")] },
      RECORDS.get(
        "recordId lists only that record",
        `?recordId=${RECORD_ID}`,
        OK,
        field("pagination.total", exactly(1)),
        field("data.0.recordId", exactly(RECORD_ID)),
      ),
      RECORDS.get(
        "recordId of a record that is not saved lists nothing",
        `?recordId=r${UNKNOWN_ID}`,
        OK,
        field("pagination.total", exactly(0)),
        field("data", exactly([])),
      ),
      RECORDS.made(
        "saving twice updates the note, with 201",
        { recordId: RECORD_ID, note: "second" },
        field("note", exactly("second")),
        ONE(RECORDS.path),
      ),
      RECORDS.delete(
        "DELETE answers 200 {deleted: true}",
        `/${RECORD_ID}`,
        OK,
        DELETED,
        NEVER_CACHED,
        RECORDS.gone(`/${RECORD_ID}`),
      ),
    ),
    RECORDS.delete("deleting what is not saved is 404", `/${RECORD_ID}`, rejected(404, "not-saved")),
    ...RECORDS.unknown("r", "not-saved"),
  ]),
  ...clause("interface.md, /account/saved-authors", [
    ...AUTHORS.lists(),
    ...AUTHORS.slugs({}),
    ...AUTHORS.bodies(() => ({ authorSlug: SLUG }), ["authorSlug"]),
    ...AUTHORS.texts("note", () => ({ authorSlug: SLUG })),
    AUTHORS.made(
      "201, and the researcher",
      { authorSlug: SLUG },
      members("", "authorId authorSlug note savedAt updatedAt researcher"),
      field("researcher.slug", exactly(SLUG)),
    ),
    ...when(
      { given: [[AUTHORS.path, { authorSlug: SLUG, note: "first" }]] },
      AUTHORS.made(
        "saving twice updates the note, with 201",
        { authorSlug: SLUG, note: "second" },
        field("note", exactly("second")),
        ONE(AUTHORS.path),
      ),
    ),
    AUTHORS.made(
      "DELETE of its authorId answers 200 {deleted: true}",
      { authorSlug: SLUG },
      {
        text: "deleted once, 404 after that",
        async fault({ text }, ask) {
          const path = `${AUTHORS.path}/${textAt(parseJson(text), "authorId")}`;
          const [first, second] = [await ask(path, { method: "DELETE" }), await ask(path, { method: "DELETE" })];
          const right = first.status === 200 && at(parseJson(first.text), "deleted") === true && second.status === 404;
          return right ? null : `${first.text} ${second.text}`;
        },
      },
    ),
    ...AUTHORS.unknown("a", "not-saved"),
  ]),
  ...clause("decisions.md, Accounts: saved repositories and searches, and emails about changes", [
    ...REPOSITORIES.lists(),
    ...REPOSITORIES.bodies(() => ({ repository: "Zenodo" }), ["repository"]),
    REPOSITORIES.made(
      "201, and the repository",
      { repository: "Zenodo" },
      members("", "repository savedAt"),
      field("repository", exactly("Zenodo")),
    ),
    ...when(
      { given: [[REPOSITORIES.path, { repository: "Zenodo" }]] },
      REPOSITORIES.made("saving twice keeps one, with 201", { repository: "Zenodo" }, ONE(REPOSITORIES.path)),
      REPOSITORIES.delete("DELETE answers 200 {deleted: true}", "/Zenodo", field("deleted", exactly(true))),
    ),
    REPOSITORIES.post("an unknown label is 404", { repository: "Nowhere" }, rejected(404, "repository-not-found")),
    REPOSITORIES.delete("deleting what is not saved is 404", "/Zenodo", rejected(404, "not-saved")),
    ...SEARCHES.lists(),
    ...SEARCHES.bodies(() => ({ query: "funder=Elsewhere+Science+Fund" }), ["query"]),
    SEARCHES.made(
      "201, and the search in the order of the filters of /records",
      { query: "?funder=Elsewhere%20Science%20Fund&search=soil" },
      members("", "query savedAt"),
      field("query", exactly("search=soil&funder=Elsewhere+Science+Fund")),
    ),
    ...when(
      { given: [[SEARCHES.path, { query: "funder=Other" }]] },
      SEARCHES.made("saving twice keeps one, with 201", { query: "funder=Other" }, ONE(SEARCHES.path)),
      SEARCHES.delete("DELETE answers 200 {deleted: true}", "/funder%3DOther", field("deleted", exactly(true))),
    ),
    ...["?", "funder", "unknown=1", "search=a&search=b", `author=a${"0".repeat(24)}`, "minScore=high"].map((query) =>
      SEARCHES.post(`the search ${JSON.stringify(query)} is 400`, { query }, rejected(400, "invalid-body", "query")),
    ),
    SEARCHES.delete("deleting what is not saved is 404", "/funder%3DNobody", rejected(404, "not-saved")),
    CHANGE_MAILS.made("201, and since when", {}, members("", "since")),
    CHANGE_MAILS.delete(
      "DELETE answers 200 {deleted: true}, also if they are off",
      "",
      field("deleted", exactly(true)),
    ),
  ]),
  ...clause("interface.md, /account/dataset-submissions; decisions.md, Accounts", [
    ...SUBMISSIONS.lists(),
    ...SUBMISSIONS.identifiers(unsubmitted),
    ...SUBMISSIONS.bodies(() => ({ identifier: unsubmitted() }), ["identifier: must be text"]),
    SUBMISSIONS.made("identifier of 2,048 characters", {
      identifier: `https://zenodo.org/records/${unsubmitted().slice(7)}?`.padEnd(2048, "x"),
    }),
    SUBMISSIONS.made(
      "201, and it is queued",
      { identifier: unsubmitted() },
      field("state", exactly("queued")),
      field("id", idLike("d")),
    ),
    SUBMISSIONS.made(
      "a DOI that belongs to no source is DataCite's",
      { identifier: "doi:10.5072/SUBMITTED" },
      field("source", exactly("datacite")),
      field("sourceId", exactly("10.5072/submitted")),
    ),
    SUBMISSIONS.made(
      "its members",
      { identifier: unsubmitted() },
      members(
        "",
        "id identifier source sourceId rubricVersion state decisionReason createdAt decidedAt harvestedAt harvestOutcome",
      ),
    ),
    ...["accepted", "rejected"].flatMap((state) =>
      when(
        { given: [submittedAs(unsubmitted()), state === "accepted" ? "approved" : "rejected"] },
        SUBMISSIONS.get(`queued → ${state}`, "/{id}", OK, field("state", exactly(state)), field("decidedAt", INSTANT)),
      ),
    ),
    ...when(
      { given: [submittedAs(unsubmitted())] },
      SUBMISSIONS.get("one by its id", "/{id}", OK, field("state", exactly("queued"))),
    ),
    ...[unsubmitted()].flatMap((identifier) =>
      when(
        { given: [submittedAs(identifier)] },
        SUBMISSIONS.post(
          "the same dataset twice is 409",
          { identifier: identifier.replace("zenodo/", "10.5281/zenodo.") },
          rejected(409, "duplicate"),
        ),
      ),
    ),
    ...when(
      { given: [submittedAs(unsubmitted())] },
      SUBMISSIONS.delete("taken back", "/{id}", OK, DELETED, SUBMISSIONS.gone()),
    ),
    SUBMISSIONS.get("what is not there is 404", `/d${UNKNOWN_ID}`, rejected(404, "not-found")),
    ...SUBMISSIONS.unknown("d", "not-found"),
  ]),
  ...clause("interface.md, POST /account/measurements; decisions.md, Accounts", [
    ...MEASUREMENTS.lists(),
    ...MEASUREMENTS.identifiers(() => REGISTERED[100] ?? ""),
    ...MEASUREMENTS.bodies(() => ({ identifier: IDENTIFIERS.winner }), ["identifier: must be text"]),
    MEASUREMENTS.made("identifier of 2,048 characters", {
      identifier: `https://zenodo.org/records/${IDENTIFIERS.winner.slice(7)}?`.padEnd(2048, "x"),
    }),
    MEASUREMENTS.made(
      "201, an evaluation that is kept",
      { identifier: IDENTIFIERS.winner },
      members("", "id identifier rubricVersion recordId repository title total createdAt evaluation"),
      field("evaluation", OBJECT),
      field("id", idLike("m")),
    ),
    MEASUREMENTS.made(
      "of the release where it has the record",
      { identifier: IDENTIFIERS.winner },
      field("recordId", exactly(RECORD_ID)),
      field("evaluation.release", OBJECT),
    ),
    MEASUREMENTS.made(
      "of its source where the release has not",
      { identifier: REGISTERED[100] },
      field("evaluation.release", NULL),
      field("total", orNull(INTEGER)),
    ),
    MEASUREMENTS.post(
      "of a record that its source has withdrawn is 404",
      { identifier: `zenodo/${WITHDRAWN}` },
      status(404),
      NOTHING_SAVED,
    ),
    ...when(
      { given: [measured] },
      MEASUREMENTS.get(
        "the list has them in short",
        "",
        OK,
        members("data", "id identifier rubricVersion recordId repository title total createdAt"),
      ),
      MEASUREMENTS.get("one by its id, whole", "/{id}", OK, field("evaluation.record.id", exactly(RECORD_ID))),
      MEASUREMENTS.delete("DELETE answers 200 {deleted: true}", "/{id}", OK, DELETED, MEASUREMENTS.gone()),
    ),
    MEASUREMENTS.get("what is not there is 404", `/m${UNKNOWN_ID}`, rejected(404, "not-found")),
    ...MEASUREMENTS.unknown("m", "not-found"),
  ]),
  ...clause("decisions.md, Accounts: export and the end", [
    ACCOUNT_PAGES.get(
      "everything that is kept, as a file",
      "/export",
      OK,
      header("content-disposition", /^attachment; filename="share-account-u[0-9a-f]{24}\.json"$/),
      NEVER_CACHED,
    ),
    ...when(
      { given: [saved(RECORD_ID, "exported")] },
      ACCOUNT_PAGES.get("what was saved is in it", "/export", OK, field("savedRecords.0.note", exactly("exported"))),
    ),
    ACCOUNT_PAGES.delete(
      "deleting an account answers {deleted: true}",
      "/me",
      OK,
      DELETED,
      header("set-cookie", /^share_session=; Max-Age=0/),
    ),
    ...when(
      { ...own, given: [claim(SLUG)] },
      ACCOUNT_PAGES.delete("deleting an account erases it", "/me", OK, {
        text: "the session is over, and the owner of the iD starts with a new account",
        async fault(_reply, ask, { signedIn }) {
          const over = [await ask(ME), await ask(ME, { method: "DELETE" }), await ask(EXPORT)];
          const again = await signedIn({ orcid: ORCID });
          const { text } = await again(ME);
          return over.every((reply) => reply.status === 401) &&
            at(parseJson(text), "profileClaims.pagination.total") === 0
            ? null
            : `${over.map((reply) => reply.status)} ${text.slice(0, 300)}`;
        },
      }),
    ),
  ]),
];

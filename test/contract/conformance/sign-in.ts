/** Statements about signing in and out: with ORCID, by a link in an email, and the session. */

import { field, header, json, members, problemFault, rejected, status } from "./expectations.ts";
import { asked, clause, type Expectation, type Row, row, type Statement, type Visitor } from "./statement.ts";
import { at, exactly, INSTANT, isText, like, listAt, NULL, orNull, parseJson, shown, TEXT, textAt } from "./values.ts";

const START = "/auth/orcid/start";
const CALLBACK = "/auth/orcid/callback";
const REQUEST = "/auth/magic/request";
const CONSUME = "/auth/magic/consume";
const SESSIONS = "/account/sessions";

/** ORCID iDs with valid check digits that no researcher of the corpus has. */
const ORCIDS = ["0000-0002-1694-233X", "0000-0001-5000-0007", "0000-0003-0000-0003", "0000-0003-0000-0011"] as const;

/** Counts callers. The service sends an address at most five links an hour, so every statement has its own address. */
let callers = 0;
function caller(): string {
  callers += 1;
  return `127.220.${callers >> 8}.${callers & 255}`;
}

let people = 0;
function somebody(): string {
  people += 1;
  return `conformance-${people}@example.org`;
}

const HTML = { accept: "text/html" };
const JSON_TYPE = { "content-type": "application/json" };
const program = { method: "POST", headers: JSON_TYPE, from: caller() };
const NEVER_CACHED = header("cache-control", "no-store");
const invalid = (...paths: readonly string[]) => rejected(400, "invalid-body", ...paths);

/**
 * Makes a statement about a POST from a page of the site. The visitor's client adds the origin, because it is known only when the
 * server listens.
 */
function posting(says: string, path: string, body: unknown, ...expects: readonly Expectation[]): Row {
  const text = body === undefined ? {} : { body: isText(body) ? body : JSON.stringify(body) };
  const headers = body === undefined ? {} : JSON_TYPE;
  return { ...asked(says, path, { method: "POST", headers, from: caller(), ...text }, ...expects), as: "mail" };
}

const linking = (says: string, body: unknown, ...expects: readonly Expectation[]): Row =>
  posting(says, REQUEST, body, ...expects);
const consuming = (says: string, body: unknown, ...expects: readonly Expectation[]): Row =>
  posting(says, CONSUME, body, ...expects);
const signed = (says: string, path: string, as: Visitor, ...expects: readonly Expectation[]): Row => ({
  ...row(says, path, ...expects),
  as,
});

/** The fields of a user who is signed in. */
const USER = [
  ["user.id", like(/^u[0-9a-f]{24}$/)],
  ["user.name", orNull(TEXT)],
  ["user.email", orNull(TEXT)],
  ["user.orcid", orNull(like(/^\d{4}-\d{4}-\d{4}-\d{3}[\dX]$/))],
  ["user.createdAt", INSTANT],
] as const;

/** Expects the link of the last email to work, and checks the response to it. */
function link(
  text: string,
  email: string,
  wanted: (statuses: readonly number[], body: unknown) => boolean,
): Expectation {
  return {
    text,
    async fault(_reply, ask, { link: sent }) {
      const token = await sent(email);
      const question = { method: "POST", headers: JSON_TYPE, body: JSON.stringify({ token }), from: caller() };
      const [first, second] = [await ask(CONSUME, question), await ask(CONSUME, question)];
      const statuses = [first.status, second.status];
      const set = first.headers["set-cookie"]?.[0]?.startsWith("share_session=") === true;
      return set && wanted(statuses, parseJson(first.text)) ? null : `${shown(statuses)}: ${first.text}`;
    },
  };
}

const WAITING = [somebody(), somebody(), somebody(), somebody(), somebody()] as const;

/** Expects that a sign-in at the provider leads back to the site, and checks the response to the callback. */
function comingBack(
  text: string,
  orcid: string,
  headers: Readonly<Record<string, string>>,
  fault: (reply: { status: number; text: string; headers: Readonly<Record<string, unknown>> }) => string | null,
): Expectation {
  return {
    text,
    async fault(reply, ask, { provider }) {
      const url = textAt(parseJson(reply.text), "authorizationUrl");
      const { pathname, search } = await provider.signIn(url, { orcid, name: " Somebody " });
      const cookie = String(reply.headers["set-cookie"]).split(";")[0] ?? "";
      return fault(await ask(pathname + search, { headers: { cookie, ...headers } }));
    },
  };
}

const FLOW: readonly (readonly [parameter: string, wanted: RegExp])[] = [
  ["response_type", /^code$/],
  ["scope", /^openid$/],
  ["state", /^[\w-]{43}$/],
  ["nonce", /^[\w-]{43}$/],
  ["code_challenge_method", /^S256$/],
  ["code_challenge", /^[\w-]{43}$/],
  ["redirect_uri", /^http:\/\/localhost:\d+\/auth\/orcid\/callback$/],
];

/** Returns an email address of `length` characters. */
const makeEmail = (length: number) =>
  `${"e".repeat(60)}@${`${"d".repeat(60)}.`.repeat(3)}${"d".repeat(length - 248)}.org`;
const buildPath = (length: number) => `/${"p".repeat(length - 1)}`;
const ELSEWHERE = ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)", "account", ""];

const NO_EMAILS = [
  "nobody",
  "@example.org",
  "a@",
  "a b@example.org",
  "",
  "a@example.org\nBcc: x",
  "A <a@example.org>",
  "a@example.org,b@example.org",
  "a\u037eb@example.org",
  ["a@example.org"],
];

const MORE_LINKS: Expectation = {
  text: "four more succeed, the sixth is 429 with Retry-After",
  async fault(_reply, ask) {
    const from = caller();
    const seen = [];
    for (let i = 0; i < 6; i += 1) {
      const body = JSON.stringify({ email: somebody() });
      const reply = await ask(REQUEST, { method: "POST", headers: JSON_TYPE, body, from });
      seen.push(reply.status);
      if (reply.status === 429)
        return seen.length === 6 && Number(reply.headers["retry-after"]) > 0 ? problemFault(reply) : shown(seen);
    }
    return shown(seen);
  },
};

function sixthFor(email: string): Expectation {
  return {
    text: "so do four more, from anywhere; the sixth is 429 with Retry-After",
    async fault(_reply, ask) {
      const body = JSON.stringify({ email });
      const seen = [];
      let last: Parameters<typeof problemFault>[0] | null = null;
      for (let i = 0; i < 5; i += 1) {
        last = await ask(REQUEST, { method: "POST", headers: JSON_TYPE, body, from: caller() });
        seen.push(last.status);
      }
      if (seen.join() !== "201,201,201,201,429" || last === null) return shown(seen);
      return Number(last.headers["retry-after"]) > 0 ? problemFault(last) : "no Retry-After";
    },
  };
}

const FULL_HOUR = somebody();
const CHANGES = [REQUEST, CONSUME, "/auth/logout"] as const;
const ORIGINS = ["https://evil.example", "null", "http://localhost", ""] as const;

export const SIGN_IN: readonly Statement[] = [
  ...clause("interface.md, /auth/idp/start and /auth/idp/callback; decisions.md, Accounts", [
    row("GET start answers 200 and where to go", START, status(200), field("authorizationUrl", like(/^https?:\/\//))),
    row("start is not kept by caches", START, status(200), NEVER_CACHED),
    row(
      "start remembers the browser for ten minutes",
      START,
      status(200),
      header("set-cookie", /^share_sign_in=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/),
    ),
    ...FLOW.map(([parameter, wanted]) =>
      row(
        `code flow with PKCE, state and nonce: ${parameter}`,
        START,
        status(200),
        json(`${parameter} is like ${wanted.source}`, (body) => {
          const value = new URL(textAt(body, "authorizationUrl")).searchParams.get(parameter) ?? "";
          return wanted.test(value) ? null : shown(value);
        }),
      ),
    ),
    asked(
      "start redirects a browser that asks for HTML",
      START,
      { headers: HTML },
      status(303),
      header("location", /^http:\/\/127\.0\.0\.1:\d+\/auth\?/),
    ),
    row("returnTo of 300 characters", `${START}?returnTo=${buildPath(300)}`, status(200)),
    row(
      "returnTo of 301 characters",
      `${START}?returnTo=${buildPath(301)}`,
      rejected(400, "invalid-parameter", "returnTo"),
    ),
    ...ELSEWHERE.map((path) =>
      row(
        `returnTo must be a path of this site: not ${shown(path)}`,
        `${START}?returnTo=${encodeURIComponent(path)}`,
        rejected(400, "invalid-parameter", "returnTo"),
      ),
    ),
    ...USER.map(([path, wanted]) =>
      row(
        `callback answers 200 {user}: ${path}`,
        `${START}?returnTo=/account`,
        status(200),
        comingBack(`coming back, ${path} is ${wanted.name}`, ORCIDS[0], {}, ({ status: seen, text }) =>
          seen === 200 && wanted.is(at(parseJson(text), path)) ? null : `${seen} ${text}`,
        ),
      ),
    ),
    row(
      "callback sets the cookie of a session",
      START,
      status(200),
      comingBack("coming back, a cookie of 30 days", ORCIDS[1], {}, ({ headers }) =>
        /share_session=[\w-]{43}; Max-Age=2592000/.test(String(headers["set-cookie"]))
          ? null
          : shown(headers["set-cookie"]),
      ),
    ),
    row(
      "callback redirects a browser that asks for HTML to the stored returnTo",
      `${START}?returnTo=/account%3Ftab=saved`,
      status(200),
      comingBack("coming back, 303 to /account?tab=saved", ORCIDS[2], HTML, ({ status: seen, headers }) =>
        seen === 303 && headers.location === "/account?tab=saved" ? null : `${seen} ${shown(headers.location)}`,
      ),
    ),
    row("callback that nobody began", `${CALLBACK}?code=a&state=b`, rejected(400, "sign-in-failed")),
    row("callback without anything", CALLBACK, rejected(400, "sign-in-failed")),
    ...["code", "state", "iss", "error"].map((name) =>
      row(`${name} once`, `${CALLBACK}?${name}=a&${name}=b`, rejected(400, "invalid-parameter", name)),
    ),
    asked(
      "start is not posted to",
      START,
      { method: "POST" },
      rejected(405, "method-not-allowed"),
      header("allow", "GET, HEAD, OPTIONS"),
    ),
  ]),
  ...clause("interface.md, POST /auth/magic/request", [
    linking("201, and that it is on its way", { email: somebody() }, status(201), members("", "requested expiresIn")),
    linking("a link works for fifteen minutes", { email: somebody() }, status(201), field("expiresIn", exactly(900))),
    linking("the answer is not kept by caches", { email: somebody() }, status(201), NEVER_CACHED),
    linking("the answer is the same for an address that is known", { email: WAITING[0] }, status(201), {
      text: "the same once somebody has signed in by it",
      async fault(reply, ask, { link: sent }) {
        const token = await sent(WAITING[0]);
        const post = (path: string, body: object) =>
          ask(path, { method: "POST", headers: JSON_TYPE, body: JSON.stringify(body), from: caller() });
        const { status: seen } = await post(CONSUME, { token });
        const again = await post(REQUEST, { email: WAITING[0] });
        return seen === 201 && again.text === reply.text && again.status === 201 ? null : again.text;
      },
    }),
    linking("returnTo is not required", { email: somebody() }, status(201)),
    linking("returnTo is absent if it is null", { email: somebody(), returnTo: null }, status(201)),
    linking("unknown fields are ignored", { email: somebody(), admin: true, token: "x" }, status(201)),
    linking("email is required", { returnTo: "/" }, invalid("email")),
    linking("email is a string", { email: 7 }, invalid("email")),
    linking("email is not null", { email: null }, invalid("email")),
    linking("email of 254 characters", { email: makeEmail(254) }, status(201)),
    linking("email of 255 characters", { email: makeEmail(255) }, invalid("email")),
    ...NO_EMAILS.map((email) => linking(`email is not ${shown(email)}`, { email }, invalid("email"))),
    linking("returnTo of 300 characters", { email: somebody(), returnTo: buildPath(300) }, status(201)),
    linking("returnTo of 301 characters", { email: somebody(), returnTo: buildPath(301) }, invalid("returnTo")),
    linking("returnTo is a string", { email: somebody(), returnTo: 7 }, invalid("returnTo")),
    ...ELSEWHERE.map((returnTo) =>
      linking(
        `returnTo must be a path of this site: not ${shown(returnTo)}`,
        { email: somebody(), returnTo },
        invalid("returnTo"),
      ),
    ),
    linking("every field at fault is named", { email: "x", returnTo: "x" }, invalid("email", "returnTo")),
    ...["{", ""].map((body) => linking(`no JSON: ${shown(body)}`, body, invalid())),
    ...["[]", "null", "1", '"a"'].map((body) => linking(`no object: ${body}`, body, invalid(""))),
    linking("a body over 64 KiB", { email: "a", more: "x".repeat(65 * 1024) }, rejected(413, "body-too-large")),
    {
      ...asked(
        "another media type",
        REQUEST,
        { method: "POST", headers: { "content-type": "text/plain" }, body: "{}", from: caller() },
        rejected(415, "unsupported-media-type"),
      ),
      as: "mail",
    },
    linking("5 an hour for one caller", { email: somebody() }, status(201), MORE_LINKS),
    linking("5 an hour to one address", { email: FULL_HOUR }, status(201), sixthFor(FULL_HOUR)),
    row("GET asks for no link", REQUEST, rejected(405, "method-not-allowed"), header("allow", "POST, OPTIONS")),
  ]),
  ...clause("interface.md, POST /auth/magic/consume; decisions.md, Accounts", [
    asked(
      "GET /auth/magic is a small page",
      "/auth/magic",
      { headers: HTML },
      status(200),
      header("content-type", /^text\/html/),
    ),
    asked(
      "the page runs its own script alone",
      "/auth/magic",
      { headers: HTML },
      status(200),
      header("content-security-policy", /default-src 'none'.*script-src 'sha256-[\w+/=]+'/),
    ),
    ...USER.map(([path, wanted], i) =>
      linking(
        `201 {user}: ${path}`,
        { email: `user-${i}-${WAITING[1]}` },
        status(201),
        link(
          `with the link, 201 and ${path} is ${wanted.name}`,
          `user-${i}-${WAITING[1]}`,
          ([first], body) => first === 201 && wanted.is(at(body, path)),
        ),
      ),
    ),
    linking(
      "the user has the address that was written to, folded",
      { email: WAITING[2].toUpperCase() },
      status(201),
      link("with the link, the address", WAITING[2], (_statuses, body) => at(body, "user.email") === WAITING[2]),
    ),
    linking(
      "then goes to returnTo",
      { email: WAITING[3], returnTo: "/account?tab=saved" },
      status(201),
      link("with the link, returnTo", WAITING[3], (_statuses, body) => at(body, "returnTo") === "/account?tab=saved"),
    ),
    linking(
      "a used link is 410",
      { email: WAITING[4] },
      status(201),
      link("with the link 201, once more 410", WAITING[4], (statuses) => statuses.join() === "201,410"),
    ),
    consuming("an unknown link is 410", { token: "a".repeat(43) }, rejected(410, "link-used")),
    ...["", "a", "a".repeat(44), "é".repeat(43)].map((token) =>
      consuming(`what can be no token is 410: ${shown(token)}`, { token }, rejected(410, "link-used")),
    ),
    consuming("token is required", {}, invalid("token")),
    consuming("token is a string", { token: 7 }, invalid("token")),
    consuming("no JSON", "{", invalid()),
    consuming("no object", "[]", invalid("")),
    asked(
      "another media type",
      CONSUME,
      { method: "POST", headers: { "content-type": "text/plain" }, body: "{}", from: caller() },
      rejected(415, "unsupported-media-type"),
    ),
    consuming("a body over 64 KiB", { token: "x".repeat(65 * 1024) }, rejected(413, "body-too-large")),
    row("a scanner that asks with GET uses nothing up", CONSUME, rejected(405, "method-not-allowed")),
  ]),
  ...clause("decisions.md, Accounts: sessions", [
    posting(
      "POST /auth/logout answers 201 {loggedOut: true}",
      "/auth/logout",
      undefined,
      status(201),
      field("", exactly({ loggedOut: true })),
    ),
    posting(
      "logout takes the cookie back",
      "/auth/logout",
      undefined,
      header("set-cookie", /^share_session=; Max-Age=0/),
    ),
    posting("logout ends the session", "/auth/logout", undefined, status(201), {
      text: "the next request is 401",
      fault: async (_reply, ask) => {
        const { status: seen } = await ask(SESSIONS);
        return seen === 401 ? null : `${seen}`;
      },
    }),
    posting("logging out twice succeeds", "/auth/logout", undefined, status(201), {
      text: "201 again",
      fault: async (_reply, ask) => {
        const { status: seen } = await ask("/auth/logout", { method: "POST" });
        return seen === 201 ? null : `${seen}`;
      },
    }),
    signed("where one is signed in", SESSIONS, "mail", status(200), field("data.0.current", exactly(true))),
    signed("how it began", SESSIONS, { orcid: ORCIDS[3] }, status(200), field("data.0.method", exactly("orcid"))),
    signed("a session lasts 30 days", SESSIONS, "mail", status(200), {
      text: "expiresAt is 30 days after seenAt",
      fault: ({ text }) => {
        const [first] = listAt(parseJson(text), "data");
        const days = (Date.parse(textAt(first, "expiresAt")) - Date.parse(textAt(first, "seenAt"))) / 86_400_000;
        return days === 30 ? null : `${days} days`;
      },
    }),
    signed(
      "the token is not in it",
      SESSIONS,
      "mail",
      status(200),
      members("data", "id method agent createdAt seenAt expiresAt current"),
    ),
    signed("what the browser did not say is null", SESSIONS, "mail", status(200), field("data.0.agent", NULL)),
    signed("page=0 is rejected", `${SESSIONS}?page=0`, "mail", rejected(400, "invalid-parameter", "page")),
    row("nobody is signed in: 401", SESSIONS, rejected(401, "no-session")),
    ...["x", "a".repeat(43), "' or 1=1", "", "../../etc/passwd", `${"a".repeat(42)}%00`].map((token) =>
      asked(
        `no session: ${shown(token)}`,
        SESSIONS,
        { headers: { cookie: `share_session=${token}` } },
        rejected(401, "no-session"),
      ),
    ),
    {
      ...asked(
        "a session that is unknown is 404",
        `${SESSIONS}/s${"0".repeat(24)}`,
        { method: "DELETE" },
        rejected(404, "session-not-found"),
      ),
      as: "mail",
    },
    signed("a session can be ended", SESSIONS, "mail", status(200), {
      text: "DELETE of its id answers {deleted: true}, and 401 follows",
      fault: async ({ text }, ask) => {
        const id = textAt(listAt(parseJson(text), "data")[0], "id");
        const ended = await ask(`${SESSIONS}/${id}`, { method: "DELETE" });
        const after = await ask(SESSIONS);
        const right = ended.status === 200 && parseJson(ended.text) !== undefined && after.status === 401;
        return right && at(parseJson(ended.text), "deleted") === true ? null : `${ended.text} ${after.status}`;
      },
    }),
    ...CHANGES.flatMap((path) =>
      ORIGINS.map(
        (origin): Row => ({
          ...asked(
            `${path} from ${shown(origin)}`,
            path,
            { method: "POST", headers: { ...JSON_TYPE, origin }, body: "{}", from: caller() },
            rejected(403, "wrong-origin"),
          ),
          as: "mail",
        }),
      ),
    ),
    asked("a program signs out, without Origin", "/auth/logout", { method: "POST", from: caller() }, status(201)),
    asked("a program asks for a link, without Origin", REQUEST, { ...program, body: "{}" }, invalid("email")),
    asked("a program uses a link, without Origin", CONSUME, { ...program, body: "{}" }, invalid("token")),
    asked(
      "a page of another site, by Fetch Metadata",
      REQUEST,
      { ...program, headers: { ...JSON_TYPE, "sec-fetch-site": "cross-site" }, body: "{}" },
      rejected(403, "wrong-origin"),
    ),
  ]),
];

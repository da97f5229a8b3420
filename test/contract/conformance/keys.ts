/** Statements about API keys, their registration, and the rate limits that they raise. */

import { RECORD } from "./addresses.ts";
import { field, header, OK, problemFault, rejected, status } from "./expectations.ts";
import { asked, clause, type Expectation, type Row, row, type Statement } from "./statement.ts";
import { exactly, INSTANT, isText, like, parseJson, shown, TEXT, textAt } from "./values.ts";

const PATH = "/api-keys/register";
const JSON_TYPE = { "content-type": "application/json" };
const KEY = /^share_live_[0-9A-Za-z]{32}$/;

/** Counts callers. Each IP address may register three times an hour, so every statement has its own address. */
let callers = 0;
function caller(): string {
  callers += 1;
  return `127.200.${callers >> 8}.${callers & 255}`;
}

const GOOD = { name: "Josiah Carberry", email: "josiah@example.org", description: "Psychoceramics" };

function registering(says: string, body: unknown, ...expects: readonly Expectation[]): Row {
  return asked(
    says,
    PATH,
    { method: "POST", headers: JSON_TYPE, body: isText(body) ? body : JSON.stringify(body), from: caller() },
    ...expects,
  );
}

const invalid = (...paths: readonly string[]) => rejected(400, "invalid-body", ...paths);

/**
 * Expects that three registrations from one address succeed, that the fourth is rejected, and that another address can
 * register.
 */
function threeAnHour(from: string): Expectation {
  return {
    text: "two more succeed, the fourth is 429 with Retry-After, another address may",
    async fault(_reply, ask) {
      const register = (address: string) =>
        ask(PATH, { method: "POST", headers: JSON_TYPE, body: JSON.stringify(GOOD), from: address });
      const statuses = [await register(from), await register(from)].map((reply) => reply.status);
      const fourth = await register(from);
      const other = await register(caller());
      const seen = [...statuses, fourth.status, other.status];
      if (seen.join() !== "201,201,429,201") return shown(seen);
      if (!/^[1-9]\d*$/.test(fourth.headers["retry-after"] ?? ""))
        return `Retry-After is ${fourth.headers["retry-after"]}`;
      return textAt(parseJson(fourth.text), "type") === "/problems/too-many-registrations"
        ? problemFault(fourth)
        : fourth.text;
    },
  };
}

/** Expects that a new key works at once, and that its rate limit is higher. */
const RAISES: Expectation = {
  text: "its policy is 1,000 a minute, and a header states the requests that remain",
  async fault({ text }, ask) {
    const { headers, status: seen } = await ask(RECORD, { headers: { "x-api-key": textAt(parseJson(text), "key") } });
    const told = [
      headers["ratelimit-policy"],
      headers.ratelimit,
      headers["x-ratelimit-limit"],
      headers["x-ratelimit-remaining"],
    ].map(String);
    const right =
      /q=1000\b/.test(told[0] ?? "") && /r=999\b/.test(told[1] ?? "") && told[2] === "1000" && told[3] === "999";
    return seen === 200 && right ? null : `${seen} ${shown(told)}`;
  },
};

/** Expects that `count` requests succeed, and that the next one is rejected. */
function exactlyThisMany(
  count: number,
  headers: (text: string) => Readonly<Record<string, string>>,
  from: string,
): Expectation {
  return {
    text: `${count} requests pass, the next is 429 rate-limited with Retry-After`,
    async fault({ text }, ask) {
      const question = { headers: headers(text), from };
      const first = await Promise.all(Array.from({ length: count }, () => ask("/rubrics/2.0", question)));
      const rejectedEarly = first.filter((reply) => reply.status !== 200).length;
      const last = await ask("/rubrics/2.0", question);
      if (rejectedEarly > 0 || last.status !== 429)
        return `${rejectedEarly} of ${count} rejected, the next ${last.status}`;
      if (!/^[1-9]\d*$/.test(last.headers["retry-after"] ?? "")) return `Retry-After is ${last.headers["retry-after"]}`;
      return textAt(parseJson(last.text), "type") === "/problems/rate-limited" ? problemFault(last) : last.text;
    },
  };
}

const HEADERS: readonly (readonly [string, RegExp])[] = [
  ["ratelimit-policy", /q=100\b.*w=60\b/],
  ["ratelimit", /r=\d+.*t=\d+/],
  ["x-ratelimit-limit", /^100$/],
  ["x-ratelimit-remaining", /^\d+$/],
  ["x-ratelimit-reset", /^\d+$/],
];

const BAD_KEYS = [
  "x",
  "share_live_",
  `share_live_${"0".repeat(32)}`,
  `share_live_${"0".repeat(31)}`,
  `SHARE_LIVE_${"0".repeat(32)}`,
  "' or 1=1",
  "0".repeat(500),
];
const NO_EMAILS = [
  "nobody",
  "@example.org",
  "a@",
  "a@example",
  "a@@example.org",
  "a b@example.org",
  "a@-x.org",
  "a@x..org",
  "a@example.org>",
  "<a@example.org",
  `${"l".repeat(65)}@example.org`,
];
const [LIMITED, SPOOFING, KEYED, THREE] = [caller(), caller(), caller(), caller()];

export const KEYS: readonly Statement[] = [
  ...clause("interface.md, Registration request and result", [
    registering("201 and the key", GOOD, status(201), field("key", like(KEY))),
    registering("name", GOOD, status(201), field("name", exactly(GOOD.name))),
    registering("email", GOOD, status(201), field("email", exactly(GOOD.email))),
    registering("createdAt", GOOD, status(201), field("createdAt", INSTANT)),
    registering("message", GOOD, status(201), field("message", TEXT)),
    registering("is not kept by caches", GOOD, status(201), header("cache-control", "no-store")),
    registering("description is not required", { name: "A", email: "a@example.org" }, status(201)),
    registering(
      "unknown fields are ignored",
      { ...GOOD, admin: true, key: "mine" },
      status(201),
      field("key", like(KEY)),
    ),
    registering("name is required", { email: "a@example.org" }, invalid("name: must be text")),
    registering("email is required", { name: "A" }, invalid("email")),
    registering("every field at fault is named", {}, invalid("name", "email")),
    registering("name of 200 characters", { ...GOOD, name: "n".repeat(200) }, status(201)),
    registering(
      "name of 201 characters",
      { ...GOOD, name: "n".repeat(201) },
      invalid("name: must have at most 200 characters"),
    ),
    ...["", " \t "].map((name) =>
      registering(`name is not ${shown(name)}`, { ...GOOD, name }, invalid("name: must not be empty")),
    ),
    registering("name is a string", { ...GOOD, name: 7 }, invalid("name")),
    registering(
      "email of 254 characters",
      { ...GOOD, email: `${"e".repeat(60)}@${`${"d".repeat(60)}.`.repeat(3)}${"d".repeat(6)}.org` },
      status(201),
    ),
    registering(
      "email of 255 characters",
      { ...GOOD, email: `${"e".repeat(60)}@${`${"d".repeat(60)}.`.repeat(3)}${"d".repeat(7)}.org` },
      invalid("email: must have at most 254 characters"),
    ),
    registering("email of nothing", { ...GOOD, email: "" }, invalid("email: must not be empty")),
    ...NO_EMAILS.map((email) =>
      registering(
        `email is not ${shown(email)}`,
        { ...GOOD, email },
        invalid("email: must be an email address such as name@example.org"),
      ),
    ),
    registering(
      "email without line ends",
      { ...GOOD, email: "a@example.org\nBcc: x" },
      invalid("email: must not contain control characters"),
    ),
    ...["a\u0000b", "a\u001b[2Jb", "a\nb", "a\u009bb", "a\u202eb", "a\u2066b", "a\ud800b"].map((name) =>
      registering(
        `name is not ${shown(name)}`,
        { ...GOOD, name },
        invalid("name: must not contain control characters"),
      ),
    ),
    registering("description is not a list", { ...GOOD, description: ["x"] }, invalid("description: must be text")),
    registering(
      "description without NUL",
      { ...GOOD, description: "a\u0000b" },
      invalid("description: must not contain control characters"),
    ),
    registering("description of 2,000 characters", { ...GOOD, description: "d".repeat(2000) }, status(201)),
    registering(
      "description of 2,001 characters",
      { ...GOOD, description: "d".repeat(2001) },
      invalid("description: must have at most 2000 characters"),
    ),
    registering("no JSON", "{", invalid()),
    registering("an empty body", "", invalid()),
    ...["[]", "null", "1", '"a"'].map((body) =>
      registering(`no object: ${body}`, body, invalid(": must be a JSON object")),
    ),
    registering(
      "a body over 64 KiB",
      JSON.stringify({ ...GOOD, more: "x".repeat(65 * 1024) }),
      rejected(413, "body-too-large"),
    ),
    asked(
      "another media type",
      PATH,
      { method: "POST", headers: { "content-type": "text/plain" }, body: JSON.stringify(GOOD), from: caller() },
      rejected(415, "unsupported-media-type"),
    ),
    asked(
      "a form",
      PATH,
      {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: "name=a&email=a@b.org",
        from: caller(),
      },
      rejected(415, "unsupported-media-type"),
    ),
    asked("GET does not register", PATH, {}, rejected(405, "method-not-allowed"), header("allow", /POST/)),
    asked(
      "more than 3 an hour from one IP",
      PATH,
      { method: "POST", headers: JSON_TYPE, body: JSON.stringify(GOOD), from: THREE },
      status(201),
      threeAnHour(THREE),
    ),
    registering("two registrations are two keys", GOOD, status(201), {
      text: "another key than before",
      fault: async ({ text }, ask) => {
        const again = await ask(PATH, {
          method: "POST",
          headers: JSON_TYPE,
          body: JSON.stringify(GOOD),
          from: caller(),
        });
        return textAt(parseJson(again.text), "key") !== textAt(parseJson(text), "key") ? null : "the same key twice";
      },
    }),
  ]),
  ...clause("interface.md, Authentication", [
    row("anonymous access is supported", "/records", OK),
    ...BAD_KEYS.map((key) =>
      asked(
        `a key that is unknown is 401: ${key.slice(0, 50)}`,
        "/records",
        { headers: { "x-api-key": key }, from: caller() },
        rejected(401, "bad-api-key"),
      ),
    ),
    asked(
      "an unknown key is 401 on a badge",
      "/widgets/repositories/Zenodo/badge.svg",
      { headers: { "x-api-key": "x" }, from: caller() },
      status(401),
    ),
    registering("a key raises the rate limit", GOOD, status(201), RAISES),
    asked(
      "a key in the query does not count",
      "/records?X-API-Key=x&api_key=x",
      {},
      rejected(400, "invalid-parameter", "X-API-Key", "api_key"),
    ),
  ]),
  ...clause("interface.md, Limits: request rate", [
    ...HEADERS.map(([name, pattern]) =>
      asked(`${name} on an answer`, "/records", { from: caller() }, OK, header(name, pattern)),
    ),
    ...HEADERS.map(([name, pattern]) =>
      asked(`${name} on a rejection`, "/records?page=0", { from: caller() }, status(400), header(name, pattern)),
    ),
    ...HEADERS.map(([name, pattern]) =>
      asked(`${name} on a 404`, "/nothing", { from: caller() }, status(404), header(name, pattern)),
    ),
    asked(
      "an unknown key counts against the address",
      "/records",
      { headers: { "x-api-key": "x" }, from: caller() },
      status(401),
      header("x-ratelimit-limit", "100"),
    ),
    asked(
      "100 a minute for an address",
      "/records",
      { from: LIMITED },
      OK,
      exactlyThisMany(99, () => ({}), LIMITED),
    ),
    asked(
      "the server ignores a forwarded address from an unknown proxy",
      "/records",
      { from: SPOOFING, headers: { "x-forwarded-for": "203.0.113.1" } },
      OK,
      header("x-ratelimit-remaining", "99"),
      {
        text: "the next one counts on, whatever it says",
        fault: async (_reply, ask) => {
          const { headers } = await ask("/records", {
            from: SPOOFING,
            headers: { "x-forwarded-for": "203.0.113.2", "x-real-ip": "203.0.113.3", forwarded: "for=203.0.113.4" },
          });
          return headers["x-ratelimit-remaining"] === "98" ? null : `remaining ${headers["x-ratelimit-remaining"]}`;
        },
      },
    ),
    asked(
      "1,000 a minute for a key",
      PATH,
      { method: "POST", headers: JSON_TYPE, body: JSON.stringify(GOOD), from: KEYED },
      status(201),
      exactlyThisMany(1000, (text) => ({ "x-api-key": textAt(parseJson(text), "key") }), KEYED),
    ),
    row("a policy names its window", "/records", OK, header("ratelimit-policy", /w=60/)),
  ]),
];

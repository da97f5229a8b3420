/** All statements, and the function that checks one. */

import { SIGN_IN_ROUTES } from "../../../api-static/routes/sign-in-routes.ts";
import { describedFaults, findRoute } from "../../openapi/described.ts";
import type { Ask } from "../client.ts";
import type { Served, World } from "../world.ts";
import { ACCOUNT } from "./account.ts";
import { BADGES } from "./badges.ts";
import { CSV_LISTS } from "./csv.ts";
import { ENVELOPE } from "./envelope.ts";
import { ERRORS } from "./errors.ts";
import { EVALUATIONS } from "./evaluations.ts";
import { FIGURES_AND_RUBRICS } from "./figures.ts";
import { FILTERS } from "./filters.ts";
import { IMPACT } from "./impact.ts";
import { KEYS } from "./keys.ts";
import { PARAMETERS } from "./parameters.ts";
import { PLACES } from "./places.ts";
import { RECORD_DETAIL } from "./record-detail.ts";
import { RECORD_ROWS } from "./record-rows.ts";
import { RELEASES } from "./releases.ts";
import { RESEARCHERS } from "./researchers.ts";
import { SEARCH } from "./search.ts";
import { SIGN_IN } from "./sign-in.ts";
import { SORTING } from "./sorting.ts";
import type { Given, Statement } from "./statement.ts";
import { TRANSPORT } from "./transport.ts";
import { parseJson, textAt } from "./values.ts";

/** Statements about public endpoints. */
const READING: readonly Statement[] = [
  ...ENVELOPE,
  ...PARAMETERS,
  ...RECORD_ROWS,
  ...RECORD_DETAIL,
  ...IMPACT,
  ...FILTERS,
  ...SEARCH,
  ...SORTING,
  ...RESEARCHERS,
  ...PLACES,
  ...FIGURES_AND_RUBRICS,
  ...BADGES,
  ...ERRORS,
  ...CSV_LISTS,
  ...TRANSPORT,
  ...RELEASES,
  ...KEYS,
  ...EVALUATIONS,
];

export const STATEMENTS: readonly Statement[] = [...READING, ...SIGN_IN, ...ACCOUNT];

/** Matches errors in the request itself, which occur before any row is read or written. */
const AT_THE_DOOR = /^(?:400 invalid|401 bad-api-key|403 wrong-origin|405|413|415)/;

/** Statements that involve the account store. They are also checked with accounts in PostgreSQL. */
export const STORED_STATEMENTS: readonly Statement[] = [...SIGN_IN, ...ACCOUNT].filter(
  ({ expects }) => !AT_THE_DOOR.test(expects[0]?.text ?? ""),
);

const isSignIn = (name: string) => Object.hasOwn(SIGN_IN_ROUTES, name);

/** The names of the operations that have responded with success. */
export const SUCCEEDED = new Set<string>();

/** Sends the requests of a statement, and returns the faults of the responses. The list is empty if the statement holds. */
export async function findFaults(statement: Statement, world: World): Promise<string[]> {
  const served = world.of(statement.of);
  if (statement.as === undefined) return answerFaults(statement, served, served.ask, null);
  const ask = await served.signedIn(statement.as);
  try {
    const made = await prepared(statement.given ?? [], ask, served);
    return await answerFaults(statement, served, ask, made);
  } finally {
    // Claims of one statement must not affect another.
    await ask("/account/me", { method: "DELETE" });
  }
}

async function answerFaults(statement: Statement, served: Served, ask: Ask, made: string | null): Promise<string[]> {
  const colon = served.receipt?.releaseDigest ?? "";
  const placed = (path: string) =>
    path
      .replace("{digest}", colon.replace(":", "-"))
      .replace("{colon}", colon)
      .replace("{id}", made ?? "{id}");
  const faults: string[] = [];
  /** Sends a request, and compares every reply with the OpenAPI document. */
  const askPlaced: Ask = async (path, question = {}) => {
    const reply = await ask(placed(path), question);
    const route = findRoute(question.method ?? "GET", placed(path));
    if (route === null || question.headers?.["accept-encoding"] !== undefined) return reply;
    if (reply.status < 300) SUCCEEDED.add(route.name);
    faults.push(...describedFaults(route, path, reply));
    const cache = reply.headers["cache-control"];
    if (isSignIn(route.name) && cache !== "no-store") faults.push(`${route.name} says cache-control: ${cache}`);
    return reply;
  };
  const reply = await askPlaced(statement.path, statement.question);
  for (const { text, fault } of statement.expects) {
    const found = await fault(reply, askPlaced, served);
    if (found !== null) faults.push(`expected ${text}: ${found}`);
  }
  return faults;
}

/** Sends the POSTs of `given`, and applies its verdicts. Returns the id of the last created object. */
async function prepared(given: readonly Given[], ask: Ask, served: Served): Promise<string | null> {
  let made: string | null = null;
  for (const step of given) {
    if (typeof step === "string") {
      await served.decide(made ?? "", step);
      continue;
    }
    const [path, body] = step;
    const reply = await ask(path, { method: "POST", headers: JSON_HEADERS, body: JSON.stringify(body) });
    if (reply.status !== 201) throw new Error(`POST ${path} answers ${reply.status}: ${reply.text}`);
    made = textAt(parseJson(reply.text), "id") || null;
  }
  return made;
}

const JSON_HEADERS = { "content-type": "application/json" };

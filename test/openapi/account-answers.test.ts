/** What is answered under /account is what the document says, for every operation. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { ROUTES } from "../../api-static/routes/index.ts";
import { type AccountServer, type Person, serveAccounts } from "../account/world.ts";
import { idOf, type ReleasedStore, releasedStore, SPECIAL } from "../server/test-store.ts";
import { expectDescribed, PROBLEM_CONTENT } from "./described.ts";

const JSON_CONTENT = "application/json";

let raw: ReleasedStore;
let server: AccountServer;
let person: Person;
let slug: string;
let known: { readonly slug: string; readonly id: string };

beforeAll(async () => {
  raw = await releasedStore({ rubrics: ["2.0"], attribution: false, history: false });
  server = await serveAccounts(raw.store, { sqlite: `${raw.store.root}/accounts.sqlite` });
  const researchers = await server.researchers();
  const own = researchers.find(({ orcid }) => orcid !== null);
  slug = own?.slug ?? "";
  known = researchers.find((each) => each.slug !== slug) ?? { slug: "", id: "" };
  person = await server.person(own?.orcid ?? "");
}, 300_000);

afterAll(async () => {
  await server?.close();
  await raw?.remove();
});

interface Row {
  readonly name: string;
  readonly method: string;
  /** `{made}` is the id of what was made last at the address above it. */
  readonly target: string;
  readonly status: number;
  readonly body?: () => object;
}

const post = (name: string, target: string, body: () => object, status = 201): Row => ({
  name,
  method: "POST",
  target,
  status,
  body,
});
const get = (name: string, target: string, status = 200): Row => ({ name, method: "GET", target, status });
const del = (name: string, target: string, status = 200): Row => ({ name, method: "DELETE", target, status });

const RECORD = idOf(SPECIAL.winner);
const identified = () => ({ identifier: SPECIAL.winner });

/** In an order in which a person could do it. */
const ROWS: readonly Row[] = [
  post("new-profile-claim", "/account/profile-claims", () => ({ authorSlug: slug })),
  post("new-profile-claim", "/account/profile-claims", () => ({ authorSlug: slug }), 409),
  post("new-profile-claim", "/account/profile-claims", () => ({ authorSlug: "nobody" }), 404),
  post("new-profile-claim", "/account/profile-claims", () => ({}), 400),
  get("profile-claims", "/account/profile-claims"),
  get("profile-claims", "/account/profile-claims?page=0", 400),
  post("new-visibility-request", "/account/visibility-requests", () => ({ authorSlug: slug, requestType: "opt_out" })),
  post(
    "new-visibility-request",
    "/account/visibility-requests",
    () => ({ authorSlug: known.slug, requestType: "opt_out" }),
    403,
  ),
  get("visibility-requests", "/account/visibility-requests?limit=1"),
  post("save-record", "/account/saved-records", () => ({ recordId: RECORD, note: "x" })),
  post("save-record", "/account/saved-records", () => ({ recordId: "nothing" }), 404),
  get("saved-records", "/account/saved-records"),
  post("save-author", "/account/saved-authors", () => ({ authorSlug: known.slug })),
  get("saved-authors", "/account/saved-authors"),
  post("new-dataset-submission", "/account/dataset-submissions", identified),
  get("dataset-submission", "/account/dataset-submissions/{made}"),
  get("dataset-submission", "/account/dataset-submissions/d0", 404),
  get("dataset-submissions", "/account/dataset-submissions"),
  post("new-dataset-submission", "/account/dataset-submissions", () => ({ identifier: "PXD012345" }), 422),
  post("new-measurement", "/account/measurements", identified),
  get("measurement", "/account/measurements/{made}"),
  get("measurement", "/account/measurements/m0", 404),
  get("measurements", "/account/measurements"),
  get("me", "/account/me"),
  get("export-account", "/account/export"),
  del("delete-measurement", "/account/measurements/{made}"),
  del("withdraw-dataset-submission", "/account/dataset-submissions/{made}"),
  del("unsave-author", "/account/saved-authors/{known}"),
  del("unsave-author", "/account/saved-authors/{known}", 404),
  del("unsave-record", `/account/saved-records/${RECORD}`),
  del("withdraw-visibility-request", "/account/visibility-requests/{made}"),
  del("withdraw-profile-claim", "/account/profile-claims/{made}"),
  del("withdraw-profile-claim", "/account/profile-claims/{made}", 404),
  del("erase-account", "/account/me"),
  get("me", "/account/me", 401),
  del("erase-account", "/account/me", 401),
];

const made = new Map<string, string>();

test.each(ROWS)("$method $target is $status", async ({ name, method, target, status, body }) => {
  const above = target.replace(/\/\{made\}$/, "");
  const path = target.replace("{made}", made.get(above) ?? "").replace("{known}", known.id);
  const reply = await person.ask(method, path, body?.());
  expect([reply.status, reply.text]).toEqual([status, expect.any(String)]);
  expectDescribed(name, reply, status < 300 ? JSON_CONTENT : PROBLEM_CONTENT);
  const { data } = z.looseObject({ id: z.string() }).safeParse(JSON.parse(reply.text));
  if (status === 201 && data !== undefined) made.set(path, data.id);
});

test("every operation is asked, and answers with success", () => {
  const succeeded = new Set(ROWS.filter(({ status }) => status < 300).map(({ name }) => name));
  expect([...succeeded].sort()).toEqual(
    ROUTES.filter(({ tag }) => tag === "Account")
      .map(({ name }) => name)
      .sort(),
  );
});

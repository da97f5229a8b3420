/** Calls every operation of the API once, in an order that is possible for a real client. */

import type { OperationName } from "../../client/operation-types.ts";
import { REGISTERED, startUpstream, type Upstream } from "../evaluations/upstream.ts";
import { makeRecordId, type ReleasedStore, releasedStore, SPECIAL } from "../server/test-store.ts";
import { SignInWorld } from "../sign-in/world.ts";

export interface Given {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
}

/** Calls one operation. Throws if the server rejects it. */
export type Call = (name: OperationName, given: Given) => Promise<unknown>;

export interface Step {
  readonly name: OperationName;
  readonly given: () => Given | Promise<Given>;
  /** Stores the fields of this step's response that later steps need. */
  readonly keep?: (answer: Answer) => void;
}

/** The fields of responses that later steps may need. */
export interface Answer {
  readonly id?: string;
  readonly authorizationUrl?: string;
  readonly releaseDigest?: string;
  readonly data?: readonly Answer[];
  readonly apiKeys?: readonly Answer[];
  readonly orcid?: string | null;
  readonly slug?: string;
}

export class World implements AsyncDisposable {
  readonly #store: ReleasedStore;
  readonly #upstream: Upstream;
  readonly #signIn: SignInWorld;

  private constructor(store: ReleasedStore, upstream: Upstream, signIn: SignInWorld) {
    this.#store = store;
    this.#upstream = upstream;
    this.#signIn = signIn;
  }

  /**
   * Creates a service with two releases, so that one can be compared with the other. Sources, mail and identity provider are on
   * loopback.
   */
  static async make(): Promise<World> {
    const store = await releasedStore({ asOf: "2026-10-31" }, {});
    const upstream = await startUpstream();
    const evaluations = { upstreams: upstream.upstreams, pollMilliseconds: 50, timeoutMs: 20_000 };
    return new World(store, upstream, await SignInWorld.make({ store: store.store, server: { evaluations } }));
  }

  get url(): string {
    return this.#signIn.origin;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#signIn[Symbol.asyncDispose]();
    await this.#upstream.close();
    await this.#store[Symbol.asyncDispose]();
  }

  /** Returns a `fetch` for the program of one visitor. The function sends the cookies of earlier responses, but no `Origin`. */
  visitor(): (request: Request) => Promise<Response> {
    const cookies = new Map<string, string>();
    return async (request) => {
      request.headers.set("cookie", [...cookies].map(([name, value]) => `${name}=${value}`).join("; "));
      const response = await fetch(request);
      for (const line of response.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        cookies.set(name, value);
      }
      return response;
    };
  }

  /** Returns the steps in order. Later steps use objects that earlier steps created. `who` identifies the visitor. */
  steps(who: string): readonly Step[] {
    const record = makeRecordId(SPECIAL.winner);
    const [later, earlier] = [this.#store.receipts[1], this.#store.receipts[0]].map(
      (receipt) => receipt?.releaseDigest.replace(":", "-") ?? "",
    );
    const made: Record<string, string> = {};
    const path = (name: string, key: string) => () => ({ path: { [name]: made[key] ?? "" } });
    const step = (name: OperationName, given: Given | Step["given"] = {}, keep?: Step["keep"]): Step => ({
      name,
      given: typeof given === "function" ? given : () => given,
      ...(keep === undefined ? {} : { keep }),
    });
    const keepId = (key: string) => (answer: Answer) => {
      made[key] = answer.id ?? "";
    };
    const dataset = { identifier: SPECIAL.winner };
    const comeBack = async (): Promise<Given> => {
      const url = await this.#signIn.provider.signIn(made.authorization ?? "", { orcid: made.orcid ?? "" });
      return { query: Object.fromEntries(url.searchParams) };
    };
    const signIn = [
      step("orcidStart", { query: { returnTo: "/account/me" } }, ({ authorizationUrl }) => {
        made.authorization = authorizationUrl ?? "";
      }),
      step("orcidCallback", comeBack),
    ];
    return [
      step("records", { query: { limit: 3, minScore: 1 } }),
      step("record", { path: { id: record } }),
      step("lookup", { body: { identifiers: [SPECIAL.winner, "10.5072/nothing"] } }),
      step("impact", { path: { id: record }, query: { rubric: "1.0" } }),
      step("authors", { query: { limit: 100 } }, ({ data = [] }) => {
        const known = data.find(({ orcid }) => orcid !== null);
        const other = data.find(({ slug }) => slug !== known?.slug);
        Object.assign(made, { orcid: known?.orcid, slug: known?.slug, other: other?.slug, otherId: other?.id });
      }),
      step("author", path("slug", "slug")),
      step("metrics"),
      step("history"),
      step("rubrics"),
      step("rubric", { path: { version: "2.0" } }),
      step("institutions", { query: { limit: 2 } }),
      step("geography"),
      step("datasetBadge", { path: { id: record } }),
      step("repositoryBadge", { path: { repository: "Zenodo" } }),
      step("researcherBadge", path("slug", "slug")),
      step("datasetBadgeJson", { path: { id: record }, query: { release: earlier ?? "", style: "social" } }),
      step("repositoryBadgeJson", { path: { repository: "Zenodo" } }),
      step("researcherBadgeJson", path("slug", "slug")),
      step("releases"),
      step("release", { path: { digest: later ?? "" } }),
      step("releaseDiff", { path: { digest: later ?? "" } }),
      step("releaseChanges", { path: { digest: later ?? "" }, query: { kind: "moved", limit: 2 } }),
      step("releaseFile", { path: { digest: earlier ?? "", file: "data/records/part-0000.parquet" } }),
      step("improvements", { query: { signals: "S1:absent" } }),
      step("repositoryImprovements", { path: { repository: "Zenodo" } }),
      step("repositoryCrosswalk", { path: { repository: "Zenodo" } }),
      step("evaluation", { body: { ...dataset, rubricVersion: "2.0" } }),
      step("draft", { query: { source: "zenodo" }, body: { metadata: { upload_type: "dataset", title: "Invented" } } }),
      step("newEvaluationJob", { body: { identifier: REGISTERED[0], rubricVersion: "2.0" } }, keepId("job")),
      step("evaluationJob", path("id", "job")),
      step("releaseKeys"),
      step("register", { body: { name: who, email: `asked-${who}@example.org` } }),
      step("index"),
      step("health"),
      step("status"),
      step("openapi"),
      step("docs"),
      step("docsGroup", { path: { group: "schemas" } }),
      step("problem", { path: { type: "rate-limited" } }),
      step("magicPage"),
      step("magicRequest", { body: { email: `asked-${who}@example.org` } }),
      step("magicConsume", async () => ({ body: { token: await this.#signIn.linkFor(`asked-${who}@example.org`) } })),
      step("me", {}, ({ apiKeys = [] }) => {
        made.key = apiKeys[0]?.id ?? "";
      }),
      step("revokeApiKey", path("id", "key")),
      step("logout"),
      ...signIn,
      step("sessions", {}, ({ data = [] }) => {
        made.session = data[0]?.id ?? "";
      }),
      // Ends the session that makes the request.
      step("session", path("id", "session")),
      ...signIn,
      step("newProfileClaim", () => ({ body: { authorSlug: made.slug } }), keepId("claim")),
      step("profileClaims"),
      step(
        "newVisibilityRequest",
        () => ({ body: { authorSlug: made.slug, requestType: "opt_out" } }),
        keepId("visibility"),
      ),
      step("visibilityRequests"),
      step("withdrawVisibilityRequest", path("id", "visibility")),
      step("saveRecord", { body: { recordId: record, note: "for later" } }),
      step("savedRecords"),
      step("unsaveRecord", { path: { recordId: record } }),
      step("saveAuthor", () => ({ body: { authorSlug: made.other } })),
      step("savedAuthors"),
      step("unsaveAuthor", path("authorId", "otherId")),
      step("saveRepository", { body: { repository: "Zenodo" } }),
      step("savedRepositories"),
      step("unsaveRepository", { path: { repository: "Zenodo" } }),
      step("saveSearch", { body: { query: "funder=Elsewhere+Science+Fund" } }),
      step("savedSearches"),
      step("unsaveSearch", { path: { query: "funder=Elsewhere+Science+Fund" } }),
      step("startChangeMails"),
      step("stopChangeMails"),
      step("newDatasetSubmission", { body: dataset }, keepId("submission")),
      step("datasetSubmissions"),
      step("datasetSubmission", path("id", "submission")),
      step("withdrawDatasetSubmission", path("id", "submission")),
      step("newMeasurement", { body: dataset }, keepId("measurement")),
      step("measurements"),
      step("measurement", path("id", "measurement")),
      step("deleteMeasurement", path("id", "measurement")),
      step("withdrawProfileClaim", path("id", "claim")),
      step("exportAccount"),
      step("eraseAccount"),
    ];
  }

  /** Calls every operation as the visitor `who`, and returns the names of the operations in the order of the calls. */
  async askEverything(who: string, call: Call): Promise<readonly OperationName[]> {
    const asked: OperationName[] = [];
    for (const { name, given, keep } of this.steps(who)) {
      const answer = await call(name, await given()).catch((cause: unknown) => {
        throw new Error(`${name} failed`, { cause });
      });
      if (answer === undefined || answer === null || answer === "") throw new Error(`${name} returned nothing`);
      if (typeof answer === "object") keep?.(answer);
      asked.push(name);
    }
    return asked;
  }
}

/** The releases the contract is judged by, each served by a server of its own, listening. */

import type { BuildOptions } from "../../pipeline/build.ts";
import type { Receipt } from "../../schemas/release.ts";
import { startUpstream } from "../evaluations/upstream.ts";
import { serve } from "../server/test-store.ts";
import { buildRelease } from "../support/build-release.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { type Ask, Client } from "./client.ts";
import { fillStore } from "./corpus.ts";

/** Generated records of each source in a release of statements. */
const GENERATED = 40;

export type ReleaseName = "none" | "full" | "2.0 only" | "1.0 only" | "without attribution" | "without history";

/** What a release lacks is what it was really built without; null publishes nothing at all. */
const RELEASES: readonly (readonly [ReleaseName, Partial<BuildOptions> | null])[] = [
  ["none", null],
  ["full", {}],
  ["2.0 only", { rubrics: ["2.0"] }],
  ["1.0 only", { rubrics: ["1.0"] }],
  ["without attribution", { attribution: false }],
  ["without history", { history: false }],
];

export interface Served {
  readonly ask: Ask;
  readonly port: number;
  /** Null where nothing is published. */
  readonly receipt: Receipt | null;
}

export class World {
  readonly #cleanup: AsyncDisposableStack;
  readonly #served = new Map<ReleaseName, Served>();

  private constructor(cleanup: AsyncDisposableStack) {
    this.#cleanup = cleanup;
  }

  static async make(): Promise<World> {
    const world = new World(new AsyncDisposableStack());
    try {
      for (const [name, options] of RELEASES) await world.#serve(name, options);
      return world;
    } catch (error) {
      await world.end();
      throw error;
    }
  }

  of(name: ReleaseName): Served {
    const served = this.#served.get(name);
    if (served === undefined) throw new Error(`no release "${name}" is served`);
    return served;
  }

  async end(): Promise<void> {
    await this.#cleanup.disposeAsync();
  }

  /** The full release has one before it, so that there is a history. */
  async #serve(name: ReleaseName, options: Partial<BuildOptions> | null): Promise<void> {
    const { store } = this.#cleanup.use(await temporaryStore());
    let receipt: Receipt | null = null;
    if (options !== null) {
      await fillStore(store, name === "full" ? GENERATED : 0);
      if (name === "full") await buildRelease(store, { asOf: "2026-10-31", ...options }, "2026-11-01T08:00:00.000Z");
      receipt = (await buildRelease(store, options)).receipt;
    }
    const upstream = await startUpstream();
    this.#cleanup.defer(() => upstream.close());
    // The limits of the service, not those of the other suites; sources on loopback, of which one never answers.
    const evaluations = { upstreams: upstream.upstreams, timeoutMs: 1000, pollMilliseconds: 50 };
    const server = await serve(store, { quotas: {}, evaluations });
    this.#cleanup.defer(() => server.close());
    const client = new Client(server.port);
    this.#cleanup.defer(() => client.close());
    this.#served.set(name, { ask: client.ask, port: server.port, receipt });
  }
}

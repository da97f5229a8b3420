/**
 * Runs the real `share-release run` on a temporary store, with services on loopback that the command reaches under their real
 * host names.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { currentDigest } from "../../pipeline/store/releases.ts";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { SHARE_RELEASE } from "../support/command-line.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { type Dialect, type Reply, type Service, serve, slicePage } from "../support/upstream/service.ts";
import { many } from "../support/upstream/world.ts";
import { WORLDS } from "../support/upstream/worlds.ts";

const HOSTS = {
  datacite: "api.datacite.org",
  clinicaltrials: "clinicaltrials.gov",
  openneuro: "openneuro.org",
} as const;
export type Asked = keyof typeof HOSTS;

/** The fields of the run's JSON summary that the tests check. */
const summary = z.looseObject({
  outcome: z.string(),
  resumed: z.boolean(),
  harvests: z.array(z.looseObject({ source: z.string(), outcome: z.string(), records: z.int() })),
  release: z.looseObject({ releaseDigest: z.string(), built: z.boolean() }).nullable(),
  failed: z.looseObject({ step: z.string(), why: z.string() }).nullable(),
  gated: z.array(z.looseObject({ gate: z.string() })),
  published: z.looseObject({ uploaded: z.int(), unchanged: z.int() }).nullable(),
});

export interface Run {
  readonly exitCode: number | null;
  /** The JSON summary that the command printed; null if it printed none. */
  readonly summary: z.infer<typeof summary> | null;
  readonly stderr: string;
}

export class RunWorld {
  readonly at: TemporaryStore;
  readonly services: Readonly<Record<Asked, Service>>;

  private constructor(at: TemporaryStore, services: Readonly<Record<Asked, Service>>) {
    this.at = at;
    this.services = services;
  }

  static async open(): Promise<RunWorld> {
    const [datacite, clinicaltrials, openneuro] = await Promise.all([
      startService("datacite"),
      startService("clinicaltrials"),
      startService("openneuro"),
    ]);
    return new RunWorld(await temporaryStore(), { datacite, clinicaltrials, openneuro });
  }

  async close(): Promise<void> {
    for (const service of Object.values(this.services)) await service[Symbol.asyncDispose]();
    await this.at[Symbol.asyncDispose]();
  }

  /** Returns the number of requests that each service has received: DataCite, ClinicalTrials.gov, OpenNeuro. */
  asked(): number[] {
    return Object.values(this.services).map(({ asked }) => asked.length);
  }

  active(): Promise<string | null> {
    return currentDigest(this.at.store);
  }

  start(...parameters: readonly string[]): ChildProcess {
    const places = Object.entries(this.services).map(([name, { base }]) => [HOSTS[asAsked(name)], base]);
    const { SHARE_STORE: _store, NODE_OPTIONS: _options, ...inherited } = process.env;
    const preload = join(REPOSITORY, "test/support/upstream/at-loopback.ts");
    const own = ["--json", "--rubric", "2.0", "--store", this.at.store.root];
    const command = ["--import", preload, SHARE_RELEASE, "run", ...parameters, ...own];
    return spawn(process.execPath, command, {
      stdio: ["ignore", "pipe", "pipe"],
      // With "debug", the log has a line for each step at once. Otherwise it would have one progress line in ten seconds.
      env: {
        ...inherited,
        SHARE_LOG_LEVEL: "debug",
        SHARE_TEST_SERVICES: JSON.stringify(Object.fromEntries(places)),
      },
      cwd: REPOSITORY,
    });
  }

  run(...parameters: readonly string[]): Promise<Run> {
    return waitForEnd(this.start(...parameters));
  }
}

/** Waits for a command to end, and reads the summary from the last line of its output. */
export async function waitForEnd(child: ChildProcess): Promise<Run> {
  if (child.stdout === null || child.stderr === null) throw new Error("the command has no output");
  const closed = once(child, "close");
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  await closed;
  const last = stdout.trimEnd().split("\n").at(-1) ?? "";
  return { exitCode: child.exitCode, summary: last === "" ? null : summary.parse(JSON.parse(last)), stderr };
}

/** Starts a simulated service. Links in its responses contain the real host, such as api.datacite.org. */
async function startService(name: Asked): Promise<Service> {
  const dialect = name === "datacite" ? registry() : WORLDS[name]?.().dialect;
  if (dialect === undefined) throw new Error(`test/support/upstream/worlds.ts has no simulated service of ${name}`);
  return serve((asked) => dialect({ ...asked, base: `https://${HOSTS[name]}` }));
}

export const PAGE = 5;

/** Simulates DataCite with 23 datasets that can be scored. */
function registry(): Dialect {
  const all = many(23, (i) => dataset(i, `Rain at station ${i}`));
  return ({ url, base }) => pageOfDois(all, url, base);
}

export function dataset(i: number, title: string) {
  return {
    id: `10.5555/${i}`,
    type: "dois",
    attributes: {
      doi: `10.5555/${i}`,
      titles: [{ title }],
      creators: [{ name: "Ashdown, Ivy", nameType: "Personal", givenName: "Ivy", familyName: "Ashdown" }],
      publisher: "An invented archive",
      publicationYear: 2020,
      types: { resourceTypeGeneral: "Dataset" },
      subjects: [{ subject: "rain" }, { subject: "weather" }],
      descriptions: [{ descriptionType: "Abstract", description: "Rain, hour by hour." }],
    },
  };
}

/** Returns DataCite's response to a request for one page of a list. */
export function pageOfDois(all: readonly object[], url: URL, base: string): Reply {
  const page = Number(url.searchParams.get("page[cursor]"));
  const next = page * PAGE < all.length ? { next: `${base}/dois?page%5Bcursor%5D=${page + 1}` } : {};
  return { json: { data: slicePage(all, page, PAGE), meta: { total: all.length }, links: next } };
}

function asAsked(name: string): Asked {
  if (name === "datacite" || name === "clinicaltrials" || name === "openneuro") return name;
  throw new Error(`${name} is not one of the simulated services: datacite, clinicaltrials, openneuro`);
}

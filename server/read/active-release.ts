/**
 * The release the server answers from. It follows `current` without a restart: the next release is opened beside the
 * one in use, requests change over between two of them, and the old one closes when its last request is done. `serving`,
 * which `prune` keeps, moves only once this server answers.
 */

import { readlink } from "node:fs/promises";
import { basename } from "node:path";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { currentDigest, moveLink } from "../../pipeline/store/releases.ts";
import { readRetraction, retractedDigests } from "../../pipeline/store/retractions.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { closedToOthers, OPENING } from "../../releases/doctor/releases.ts";
import type { Retraction } from "../../schemas/public/retraction.ts";
import { poll } from "../http/poll.ts";
import { ProblemError } from "../http/response.ts";
import { OpenRelease } from "./open-release.ts";
import { DEFAULT_QUERY_OPTIONS, type QueryOptions } from "./query-engine.ts";

export interface FollowOptions extends Partial<QueryOptions> {
  /** How often the link is read. */
  readonly pollMilliseconds: number;
  /** Whether a web server of this machine stands in front, which has to read what it is to give out. */
  readonly behindProxy?: boolean;
}

/** Polls between two tries to open a release that cannot be opened, at most. */
const LONGEST_WAIT = 64;

interface Held {
  readonly release: OpenRelease;
  users: number;
  retired: boolean;
}

/** What went wrong while it follows a store. */
type Complaint = "release-not-followed" | "retraction-not-read";

export class ActiveRelease {
  readonly #store: Store;
  readonly #options: FollowOptions;
  readonly #effects: Pick<Effects, "sleep" | "log">;
  readonly #stop = new AbortController();
  #following: Promise<void> = Promise.resolve();
  #held: Held | null = null;
  /** Releases that requests are answered from, the last one and those before. */
  readonly #inUse = new Set<Held>();
  /** Releases on their way out. */
  readonly #closing = new Set<Promise<void>>();
  /** Whether clients reach this server: before, it has nothing to announce. */
  #listening = false;
  /** What was said of releases that were withdrawn, by digest; another object once more was said. */
  #retractions: ReadonlyMap<string, Retraction> = new Map();
  /** What could not be opened last; polls to wait in all, and those left. */
  #failed: { readonly digest: string; readonly wait: number; left: number } | null = null;
  /** The last thing logged of each kind, so that a fault that lasts is logged once. */
  readonly #complaints = new Map<Complaint, string>();

  private constructor(store: Store, options: FollowOptions, effects: Pick<Effects, "sleep" | "log">) {
    this.#store = store;
    this.#options = options;
    this.#effects = effects;
  }

  /** Opens what is active now, if anything is, and follows from there. Nobody is told before announce(). */
  static async follow(
    store: Store,
    options: FollowOptions,
    effects: Pick<Effects, "sleep" | "log">,
  ): Promise<ActiveRelease> {
    const active = new ActiveRelease(store, options, effects);
    await active.#refresh();
    if (active.#held === null && active.#failed === null) effects.log({ level: "warn", event: "no-release-active" });
    active.#following = active.#loop();
    return active;
  }

  /** To be called when the server listens: moves `serving` now, and from now on after every change of release. */
  async announce(): Promise<void> {
    this.#listening = true;
    await this.#move().catch((error: unknown) => this.#complain(error));
  }

  get digest(): string | null {
    return this.release?.digest ?? null;
  }

  /** What was said of releases that were withdrawn, by digest: looked at as often as the link is. */
  get retractions(): ReadonlyMap<string, Retraction> {
    return this.#retractions;
  }

  /** For what is answered before anything else can happen; whoever waits for something asks {@link use}. */
  get release(): OpenRelease | null {
    return this.#held?.release ?? null;
  }

  /**
   * Runs a request's work on one release from start to end.
   * @throws ProblemError `no-release` where none is active yet
   */
  async use<T>(work: (release: OpenRelease) => Promise<T>): Promise<T> {
    const held = this.#held;
    if (held === null) {
      throw new ProblemError("no-release", "No release is active yet; one will be served as soon as it is activated.", {
        headers: { "retry-after": "5" },
      });
    }
    const letGo = this.#keep(held);
    try {
      return await work(held.release);
    } finally {
      letGo();
    }
  }

  /** Keeps a release in use open beyond the work of {@link use}, until what it gives is called. */
  keep(release: OpenRelease): () => void {
    const held = [...this.#inUse].find((each) => each.release === release);
    if (held === undefined) throw new Error(`${release.digest} is not in use`);
    return this.#keep(held);
  }

  #keep(held: Held): () => void {
    held.users += 1;
    this.#inUse.add(held);
    return () => {
      held.users -= 1;
      if (held.users === 0) this.#inUse.delete(held);
      this.#closeIfDone(held);
    };
  }

  /** Stops following and closes the release once nobody uses it. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#following;
    this.#retire();
    await Promise.all(this.#closing);
  }

  /**
   * The link is read, not watched: reading it costs microseconds, works on every file system a store may lie on (network
   * and container mounts report no changes) and on a store that does not exist yet, and no request ever waits for it.
   */
  #loop(): Promise<void> {
    return poll(() => this.#refresh(), this.#options.pollMilliseconds, this.#effects.sleep, this.#stop.signal);
  }

  /** What cannot be opened changes nothing: the release in use goes on being served. */
  async #refresh(): Promise<void> {
    // Of its own: a release that cannot be opened, or a link that cannot be moved, is no reason not to say so of another.
    await this.#readRetractions().catch((error: unknown) => this.#complain(error, "retraction-not-read"));
    try {
      const digest = await currentDigest(this.#store);
      // A link that is gone names no other release; there is nothing better to serve than the last one.
      if (digest !== null && digest !== this.digest) await this.#change(digest);
      if (this.#listening) await this.#move();
      if (this.#failed === null) this.#complaints.delete("release-not-followed");
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#complain(error);
    }
  }

  /** Statements are written once: those that are known are not read again, and a damaged one hides no other. */
  async #readRetractions(): Promise<void> {
    const known = this.#retractions;
    const there = new Map<string, Retraction>();
    const faults: unknown[] = [];
    for (const digest of await retractedDigests(this.#store)) {
      const said =
        known.get(digest) ?? (await readRetraction(this.#store, digest).catch((error) => void faults.push(error)));
      if (said) there.set(digest, said);
    }
    const same = there.size === known.size && [...there.keys()].every((digest) => known.has(digest));
    if (!same) this.#retractions = there;
    if (faults.length > 0) throw faults[0];
    this.#complaints.delete("retraction-not-read");
  }

  /** Requests go on being answered from the release in use until the next one is ready to answer them all. */
  async #change(digest: string): Promise<void> {
    const release = await this.#open(digest);
    if (release === null) return;
    this.#retire();
    this.#held = { release, users: 0, retired: false };
    this.#effects.log({ level: "info", event: "release-served", release: digest });
    if (this.#options.behindProxy) await this.#tellOfClosed(release);
  }

  /** Answers would be the same, and all of them made here: nobody would notice. */
  async #tellOfClosed({ digest, folder }: OpenRelease): Promise<void> {
    const closed = await closedToOthers(folder, this.#store.tree(digest));
    if (closed === null) return;
    this.#effects.log({ level: "warn", event: "release-closed-to-others", release: digest, closed, advice: OPENING });
  }

  /**
   * Opens a release, unless that failed a short while ago: what is damaged stays so, mostly, and getting ready takes the
   * machine. Each failure is followed by twice as many polls of waiting as the one before.
   */
  async #open(digest: string): Promise<OpenRelease | null> {
    if (this.#failed?.digest !== digest) this.#failed = null;
    if (this.#failed !== null && this.#failed.left > 0) {
      this.#failed.left -= 1;
      return null;
    }
    const options = { ...DEFAULT_QUERY_OPTIONS, ...this.#options };
    try {
      const release = await OpenRelease.open(this.#store, digest, options, this.#stop.signal);
      this.#failed = null;
      return release;
    } catch (error) {
      const wait = Math.min(2 * (this.#failed?.wait ?? 1), LONGEST_WAIT);
      this.#failed = { digest, wait, left: wait };
      throw error;
    }
  }

  /**
   * Moves `serving` to the release in use. Where it cannot be moved (a store mounted read-only) it is tried again each time,
   * and requests are answered all the same. It is looked at each time, so that several servers of a store agree in the end.
   */
  async #move(): Promise<void> {
    const release = this.#held?.release;
    if (release === undefined || (await this.#leadsTo(release.folder))) return;
    // Another server may be ahead: one that has not seen the latest `current` yet must not move `serving` back.
    if ((await currentDigest(this.#store)) !== release.digest) return;
    await moveLink(this.#store.serving, release.folder);
  }

  async #leadsTo(folder: string): Promise<boolean> {
    const at = await readlink(this.#store.serving).catch(() => null);
    return at !== null && basename(at) === basename(folder);
  }

  #retire(): void {
    const held = this.#held;
    this.#held = null;
    if (held === null) return;
    held.retired = true;
    this.#closeIfDone(held);
  }

  /** No request waits for a release to close. */
  #closeIfDone(held: Held): void {
    if (!held.retired || held.users > 0) return;
    const closing = held.release.close().catch((error: unknown) => this.#complain(error));
    this.#closing.add(closing);
    closing.finally(() => this.#closing.delete(closing));
  }

  #complain(error: unknown, event: Complaint = "release-not-followed"): void {
    const message = error instanceof Error ? error.message : String(error);
    if (message === this.#complaints.get(event)) return;
    this.#complaints.set(event, message);
    this.#effects.log({ level: "error", event, message });
  }
}

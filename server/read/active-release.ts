/**
 * The release that the server responds from. The server follows the link `current` without a restart: it opens the next
 * release beside the one in use, switches between two requests, and closes the old release after its last request. The
 * link `serving` points to the release in use, so that `prune` keeps it.
 */

import { readlink } from "node:fs/promises";
import { basename } from "node:path";
import { type Effects, getErrorMessage } from "../../pipeline/stage/effects.ts";
import { currentDigest, moveLink } from "../../pipeline/store/releases.ts";
import { readRetraction, retractedDigests } from "../../pipeline/store/retractions.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { closedToOthers, OPENING } from "../../releases/doctor/releases.ts";
import type { Retraction } from "../../schemas/public/retraction.ts";
import { poll } from "../http/poll.ts";
import { ProblemError } from "../http/response.ts";
import type { ReplyHeaders } from "../http/routes.ts";
import { OpenRelease } from "./open-release.ts";
import { DEFAULT_QUERY_OPTIONS, type QueryOptions } from "./query-engine.ts";

export interface FollowOptions extends Partial<QueryOptions> {
  /** The interval in milliseconds at which the link `current` is read. */
  readonly pollMilliseconds: number;
  /** Whether a web server on this machine also reads the release's files. */
  readonly behindProxy?: boolean;
}

/** The longest pause before the server tries again to open a release, in polls. */
const MAX_WAIT_POLLS = 64;

interface ReleaseInUse {
  readonly release: OpenRelease;
  users: number;
  retired: boolean;
}

type ErrorKind = "release-not-followed" | "retraction-not-read";

export class ActiveRelease {
  readonly #store: Store;
  readonly #options: FollowOptions;
  readonly #effects: Pick<Effects, "sleep" | "log">;
  readonly #stop = new AbortController();
  #following: Promise<void> = Promise.resolve();
  #held: ReleaseInUse | null = null;
  readonly #inUse = new Set<ReleaseInUse>();
  readonly #closing = new Set<Promise<void>>();
  /** True when the server listens. The link `serving` must not move before that. */
  #listening = false;
  /** Retraction statements by release digest. The map is replaced, never changed. */
  #retractions: ReadonlyMap<string, Retraction> = new Map();
  /**
   * The release that could not be opened, the pause before the next attempt, and the rest of the pause, both in polls.
   */
  #failed: { readonly digest: string; readonly wait: number; left: number } | null = null;
  /** The last message of each kind, so that a continuing error is logged once. */
  readonly #lastErrors = new Map<ErrorKind, string>();

  private constructor(store: Store, options: FollowOptions, effects: Pick<Effects, "sleep" | "log">) {
    this.#store = store;
    this.#options = options;
    this.#effects = effects;
  }

  /**
   * Opens the active release, if there is one, and follows the link `current`. The link `serving` moves only after
   * `announce` was called.
   */
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

  /**
   * Moves the link `serving` to the release in use, now and after every change of release. Call it when the server
   * listens.
   */
  async announce(): Promise<void> {
    this.#listening = true;
    await this.#move().catch((error: unknown) => this.#logError(error));
  }

  get digest(): string | null {
    return this.release?.digest ?? null;
  }

  /** Retraction statements by release digest, read at every poll. */
  get retractions(): ReadonlyMap<string, Retraction> {
    return this.#retractions;
  }

  /** The current release, for synchronous work; use {@link use} for everything else. */
  get release(): OpenRelease | null {
    return this.#held?.release ?? null;
  }

  /**
   * Runs the work of a request on one release from start to end, even if another release becomes active meanwhile.
   * @throws ProblemError `no-release` if no release is active
   */
  async use<T>(work: (release: OpenRelease) => Promise<T>): Promise<T> {
    const releaseInUse = this.#held;
    if (releaseInUse === null) {
      throw new ProblemError("no-release", "No release is active yet. Try again later.", {
        headers: { "retry-after": "5" },
      });
    }
    const letGo = this.#hold(releaseInUse);
    try {
      return await work(releaseInUse.release);
    } finally {
      letGo();
    }
  }

  /**
   * Runs the work of a request like {@link use}, and names the release in the header SHARE-Release of the response, even
   * if the work fails.
   */
  useFor<T>(reply: Pick<ReplyHeaders, "header">, work: (release: OpenRelease) => Promise<T>): Promise<T> {
    return this.use((release) => {
      reply.header("share-release", release.digest);
      return work(release);
    });
  }

  /**
   * Keeps a release open after the work of {@link use}, for example for a stream, until the returned function is
   * called.
   */
  hold(release: OpenRelease): () => void {
    const releaseInUse = [...this.#inUse].find((each) => each.release === release);
    if (releaseInUse === undefined)
      throw new Error(`the release ${release.digest} cannot be kept open, because no request uses it; report this`);
    return this.#hold(releaseInUse);
  }

  #hold(releaseInUse: ReleaseInUse): () => void {
    releaseInUse.users += 1;
    this.#inUse.add(releaseInUse);
    return () => {
      releaseInUse.users -= 1;
      if (releaseInUse.users === 0) this.#inUse.delete(releaseInUse);
      this.#closeIfDone(releaseInUse);
    };
  }

  /** Stops following, and closes the release after its last request. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#following;
    this.#retire();
    await Promise.all(this.#closing);
  }

  /**
   * Reads the link `current` at an interval. Reading takes microseconds and works on every file system. Watching the
   * link would not work everywhere: network and container mounts report no changes, and the store may not exist yet.
   */
  #loop(): Promise<void> {
    return poll(() => this.#refresh(), this.#options.pollMilliseconds, this.#effects.sleep, this.#stop.signal);
  }

  /** Opens the release that the link `current` points to. If this fails, the server keeps the release in use. */
  async #refresh(): Promise<void> {
    // Errors are caught separately, so that another error does not hide a retraction.
    await this.#readRetractions().catch((error: unknown) => this.#logError(error, "retraction-not-read"));
    try {
      const digest = await currentDigest(this.#store);
      // If the link is missing, the server keeps the last release. Damaged tables are prepared again.
      const isDamaged = this.release?.engine.isDamaged === true;
      if (digest !== null && (digest !== this.digest || isDamaged)) await this.#change(digest);
      if (this.#listening) await this.#move();
      if (this.#failed === null) this.#lastErrors.delete("release-not-followed");
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#logError(error);
    }
  }

  /**
   * Reads only the retraction statements that are new, because known ones never change. A damaged statement does not
   * hide the others.
   */
  async #readRetractions(): Promise<void> {
    const known = this.#retractions;
    const present = new Map<string, Retraction>();
    const faults: unknown[] = [];
    for (const digest of await retractedDigests(this.#store)) {
      const retraction =
        known.get(digest) ?? (await readRetraction(this.#store, digest).catch((error) => void faults.push(error)));
      if (retraction) present.set(digest, retraction);
    }
    const same = present.size === known.size && [...present.keys()].every((digest) => known.has(digest));
    if (!same) this.#retractions = present;
    if (faults.length > 0) throw faults[0];
    this.#lastErrors.delete("retraction-not-read");
  }

  /** Changes to another release. The old one stays in use until the next one is ready. */
  async #change(digest: string): Promise<void> {
    const release = await this.#open(digest);
    if (release === null) return;
    this.#retire();
    this.#held = { release, users: 0, retired: false };
    this.#effects.log({ level: "info", event: "release-served", release: digest });
    if (this.#options.behindProxy) await this.#warnIfUnreadable(release);
  }

  /**
   * Warns if the web server beside this one cannot read the release's files. Nobody would notice otherwise, because
   * this server sends the same responses.
   */
  async #warnIfUnreadable({ digest, folder }: OpenRelease): Promise<void> {
    const closed = await closedToOthers(folder, this.#store.tree(digest));
    if (closed === null) return;
    this.#effects.log({ level: "warn", event: "release-closed-to-others", release: digest, closed, advice: OPENING });
  }

  /**
   * Opens a release, unless this failed a short while ago, because preparing a release is expensive and a damaged
   * release usually stays damaged. Each failure doubles the pause.
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
      const wait = Math.min(2 * (this.#failed?.wait ?? 1), MAX_WAIT_POLLS);
      this.#failed = { digest, wait, left: wait };
      throw error;
    }
  }

  /**
   * Moves the link `serving` to the release in use. Checks the link at every poll, because other servers of the store
   * move it too. In a read-only store, the link stays as it is, and requests are still served.
   */
  async #move(): Promise<void> {
    const release = this.#held?.release;
    if (release === undefined || (await this.#isServing(release.folder))) return;
    // This server may not have seen the latest `current`. It must not move `serving` back.
    if ((await currentDigest(this.#store)) !== release.digest) return;
    await moveLink(this.#store.serving, release.folder).catch((error: unknown) => {
      if (getErrorCode(error) !== "EROFS") throw error;
    });
  }

  async #isServing(folder: string): Promise<boolean> {
    const at = await readlink(this.#store.serving).catch(() => null);
    return at !== null && basename(at) === basename(folder);
  }

  #retire(): void {
    const releaseInUse = this.#held;
    this.#held = null;
    if (releaseInUse === null) return;
    releaseInUse.retired = true;
    this.#closeIfDone(releaseInUse);
  }

  /** Closes an unused release in the background, so that no request waits. */
  #closeIfDone(releaseInUse: ReleaseInUse): void {
    if (!releaseInUse.retired || releaseInUse.users > 0) return;
    const closing = releaseInUse.release.close().catch((error: unknown) => this.#logError(error));
    this.#closing.add(closing);
    closing.finally(() => this.#closing.delete(closing));
  }

  #logError(error: unknown, event: ErrorKind = "release-not-followed"): void {
    const message = getErrorMessage(error);
    // Names of temporary files differ each time.
    const kind = message.replace(/[./][0-9a-f]{8}-[0-9a-f-]{27}/g, "");
    if (kind === this.#lastErrors.get(event)) return;
    this.#lastErrors.set(event, kind);
    const advice = FULL.includes(getErrorCode(error)) ? { advice: FREE_SPACE } : {};
    this.#effects.log({ level: "error", event, message, ...advice });
  }
}

/** Error codes of a full disk. */
const FULL = ["ENOSPC", "EDQUOT"];

const FREE_SPACE =
  "free some disk space, for example with `share-release release prune --keep 1`; the server then tries again";

function getErrorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

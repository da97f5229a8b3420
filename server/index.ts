/** Opens the parts of the server in order, closes them again, and assigns a handler to each route. */

import type { Server } from "node:http";
import { setFlagsFromString } from "node:v8";
import type { FastifyInstance } from "fastify";
import type { Effects } from "../pipeline/stage/effects.ts";
import { accountTarget, hasRecordedAccounts, recordAccounts } from "../pipeline/store/account-target.ts";
import type { Store } from "../pipeline/store/store.ts";
import { DEFAULT_FACE } from "../web/components/face.ts";
import { splitTarget } from "../web/languages/paths.ts";
import { accountHandlers } from "./accounts/account.ts";
import { keyRegister, registrationHandlers } from "./accounts/api-keys.ts";
import { changeMailer } from "./accounts/change-mails.ts";
import { isStoreFault, openAccountsWhenAvailable, waitingEntries } from "./accounts/database.ts";
import { decisionMailer } from "./accounts/decision-mails.ts";
import { ownSiteHook, SignIn, signInHandlers } from "./accounts/sign-in.ts";
import { Standings } from "./accounts/standings.ts";
import { Evaluations, evaluationHandlers } from "./evaluations/index.ts";
import { addCommonHeaders, addErrorHooks, drain, fastify, type ServerState } from "./http/framework.ts";
import { addLimits } from "./http/limits.ts";
import { addMetrics, operationsServer } from "./http/metrics.ts";
import { DEFAULT_QUOTAS } from "./http/quotas.ts";
import { addCookies } from "./http/read-request.ts";
import { addCompression } from "./http/response.ts";
import { addRoutes } from "./http/routes.ts";
import type { ServerOptions } from "./options.ts";
import { ActiveRelease } from "./read/active-release.ts";
import { improvementHandlers } from "./read/improvements.ts";
import { StreamPlaces } from "./read/list-response.ts";
import { lookupHandlers } from "./read/lookup.ts";
import { Movements } from "./read/movements.ts";
import { PastReleases, PinnedReleases } from "./read/other-releases.ts";
import { pageHandler } from "./read/pages.ts";
import { DEFAULT_QUERY_OPTIONS, turnLimits } from "./read/query-engine.ts";
import { CsvFiles, releaseHandlers } from "./read/release-files.ts";
import { serviceHandlers } from "./read/service.ts";
import { Scheduler } from "./scheduler.ts";
import { readCheckScript } from "./site/check-script.ts";
import { sitePages } from "./site/index.ts";
import { apiInProcess, ViewCache } from "./site/page-handler.ts";
import { SharePictures } from "./site/share-pictures.ts";

export type { ServerOptions } from "./options.ts";

const DEFAULTS = {
  pollMilliseconds: 1000,
  noticeMilliseconds: 0,
  graceMilliseconds: 10_000,
  mailMilliseconds: 60_000,
  pages: true,
  isStatic: false,
  face: DEFAULT_FACE,
} as const;

export interface ShareServer {
  readonly app: FastifyInstance;
  /** Metrics and probes for the operator, on a separate port. */
  readonly operations: Server;
  /** Responds 503 to new requests, finishes the running ones, and closes the release. */
  close(): Promise<void>;
}

/** Flags of V8 13 for its garbage collector. Other versions of V8 print an error for a flag that they do not know. */
const HEAP_FLAGS = ["--external-memory-accounted-in-global-limit", "--heap-growing-percent=100"];

/**
 * Makes V8 run a full garbage collection only when the heap and its buffers have doubled. By default, V8 also runs one
 * after every 64 MB of allocated buffers. A page from a pack takes 54 KB of buffers, so these collections cost more
 * than reading the pages.
 */
function collectLessOften(): void {
  if (process.versions.v8.startsWith("13.")) for (const flag of HEAP_FLAGS) setFlagsFromString(flag);
}

/**
 * Creates a server that responds from the active release, and changes to the next one when it becomes active. While no
 * release is active, it responds 503.
 */
export async function createServer(
  store: Store,
  options: ServerOptions,
  { now, sleep }: Pick<Effects, "now" | "sleep">,
): Promise<ShareServer> {
  collectLessOften();
  const settings = { ...DEFAULTS, ...options };
  const quotas = { ...DEFAULT_QUOTAS, ...options.quotas };
  const state: ServerState = { draining: false, page: null, isRetracted: () => false, isStoreFault };
  // Pages in another language have the routes of the English ones.
  const languages =
    settings.pages && !settings.isStatic ? { rewriteTarget: (of: string) => splitTarget(of).target } : {};
  const app = fastify({ ...options, ...languages });
  const log: Effects["log"] = ({ level, event, ...details }) => app.log[level](details, event);
  // Closes in reverse order: at once if a part cannot be opened, otherwise when the server closes.
  await using opened = new AsyncDisposableStack();
  const target = options.accounts ?? accountTarget(undefined, store);
  const accounts = await openAccountsWhenAvailable(
    target,
    { log, sleep },
    {
      mustExist: () => options.newAccounts !== true && hasRecordedAccounts(store, target),
      onOpen: async () => {
        if (!(await recordAccounts(store, target))) log({ level: "warn", event: "accounts-not-recorded" });
      },
    },
  );
  opened.defer(() => accounts.close());
  opened.defer(() => app.close());
  const signIn = new SignIn(
    {
      ...{ store, accounts, quota: quotas.link },
      ...{ site: options.site ?? null, port: () => getPort(app), title: settings.face.title },
    },
    options.signIn ?? {},
    { now, sleep, log },
  );
  opened.defer(() => signIn.close());
  addCommonHeaders(app);
  const limits = await addLimits(app, {
    limits: quotas,
    redisUrl: options.redisUrl ?? null,
    keys: keyRegister(accounts, log),
    now,
    log,
  });
  addErrorHooks(app, state);
  await addCookies(app);
  await addCompression(app);
  const standings = await Standings.follow(accounts.standings, settings, { sleep, log });
  opened.defer(() => standings.close());
  // Comes last because it takes time: if the server cannot start, no release must be prepared.
  const behindProxy = (options.trustProxy ?? []).length > 0;
  const scheduler = new Scheduler(turnLimits({ ...DEFAULT_QUERY_OPTIONS, ...settings }));
  const active = await ActiveRelease.follow(store, { ...settings, scheduler, behindProxy }, { sleep, log });
  opened.defer(() => active.close());
  state.isRetracted = (digest) => active.retractions.has(digest);
  app.addHook("onListen", () => active.announce());
  const parts = { accounts, active, standings, scheduler };
  const evaluations = new Evaluations(parts, options.evaluations ?? {}, { now, sleep, log });
  opened.defer(() => evaluations.close());
  const standing = { draining: () => state.draining, release: () => active.digest };
  const metrics = addMetrics(app, active, standings, {
    store,
    active,
    waiting: (at) => waitingEntries(accounts, at),
    redis: limits.redis,
    outbox: signIn.outbox,
    upstreamFailures: evaluations.upstreamFailures,
    now,
  });
  const operations = operationsServer(metrics, standing);
  opened.defer(() => void operations.close());
  const csv = new CsvFiles(store);
  opened.defer(() => csv.close());
  const streams = new StreamPlaces();
  const handlers = {
    ...serviceHandlers({
      store,
      active,
      standings,
      now,
      contact: options.contact ?? null,
      reference: { hasSite: settings.pages, face: settings.face, site: signIn.site, limits: quotas },
    }),
    ...releaseHandlers({ store, active, csv, streams, log }),
    ...lookupHandlers(active),
    ...improvementHandlers(active, standings),
    ...evaluationHandlers(evaluations),
    ...registrationHandlers({ accounts, quota: quotas.registration, now }),
    ...signInHandlers(signIn, settings.pages),
    ...accountHandlers({ accounts, active, standings, evaluations, signIn, now }),
  };
  const pinned = new PinnedReleases(store);
  opened.defer(() => pinned.close());
  const past = new PastReleases(store, log);
  opened.defer(() => past.close());
  const page = pageHandler({
    active,
    standings,
    pinned,
    past,
    streams,
    site: settings.pages,
    contact: options.contact ?? null,
  });
  const ask = apiInProcess(handlers, page);
  const cachedViews = new ViewCache(active, standings);
  const pictures = new SharePictures();
  const movements = new Movements(store);
  if (settings.pages) {
    const sending = { accounts, active, movements, site: signIn.site, outbox: signIn.outbox };
    const mailer = changeMailer(sending, { now, sleep, log }, settings.mailMilliseconds);
    opened.defer(() => mailer.close());
    const decisions = decisionMailer(sending, { now, sleep, log }, settings.mailMilliseconds);
    opened.defer(() => decisions.close());
  }
  const site = settings.pages
    ? sitePages(handlers.index, {
        store,
        callApi: ask,
        accounts,
        active,
        standings,
        signIn,
        evaluations,
        streams,
        viewCache: cachedViews,
        past,
        movements,
        pictures,
        now,
        contact: options.contact ?? null,
        face: settings.face,
        quotas,
        isStatic: settings.isStatic,
        checkScript: readCheckScript(),
      })
    : null;
  state.page = site?.problem ?? null;
  const routeHandlers = {
    handlers: site === null ? handlers : { ...handlers, index: site.home },
    page,
    site: site?.handlers ?? null,
  };
  addRoutes(app, routeHandlers, {
    ownSite: (route) => ownSiteHook(route, signIn),
    charge: limits.charge,
    chargeAgain: limits.chargeAgain,
  });
  const toClose = opened.move();
  let closing: Promise<void> | null = null;
  const close = async () => {
    state.draining = true;
    await Promise.all([drain(app, settings, { sleep }), evaluations.drain(settings.graceMilliseconds)]);
    await toClose.disposeAsync();
  };
  return {
    app,
    operations,
    close() {
      closing ??= close();
      return closing;
    },
  };
}

/** Returns the port of the app; 0 before it listens. */
function getPort(app: FastifyInstance): number {
  const address = app.server.address();
  return address === null || typeof address === "string" ? 0 : address.port;
}

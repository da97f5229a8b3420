/** share-release serve: the API over the active release. */

import { once } from "node:events";
import { createServer } from "node:net";
import { type Command, Option } from "commander";
import { accountTarget } from "../../pipeline/store/account-target.ts";
import type { SignInOptions } from "../../server/accounts/sign-in.ts";
import type { ShareServer } from "../../server/index.ts";
import { DEFAULT_QUOTAS } from "../../server/options.ts";
import { INTERRUPTIONS, type Interruption, sleep } from "../options/effects.ts";
import { contactOf, type Environment, emailOf, environment, type VariableName } from "../options/environment.ts";
import { CommandFailed, UsageError } from "../options/exit-codes.ts";
import {
  command,
  countArgument,
  existingStoreOf,
  type SharedOptions,
  sizeArgument,
  storeOf,
  threadsOption,
} from "../options/shared.ts";
import { readableLog, SERVER_LOG } from "../terminal/log-line.ts";
import { printLines } from "../terminal/text.ts";

interface ServeOptions extends SharedOptions {
  readonly port: number;
  readonly host: string;
  readonly metricsPort?: number;
  readonly metricsHost: string;
  /** False with --no-site. */
  readonly site?: string | false;
  readonly trustProxy?: string;
  readonly rate: number;
  readonly badgeRate: number;
  readonly keyRate: number;
  readonly memory: string;
  readonly threads: number;
}

/** Callers with keys whose browsers ask before each request, from one address. */
const KEYS_BEHIND_ONE_ADDRESS = 10;

/** On shutdown, how long clients are told to go elsewhere before connections close. */
const NOTICE_MS = 500;

/** A terminal's Ctrl-C comes twice where an older Node stands in front: once from there, once passed on. */
const ONE_WISH_MS = 300;

export function serveCommand(): Command {
  return command("serve", "answer the read API from the active release; follows activations without a restart", [
    "serve --port 8080",
    "serve --host 0.0.0.0 --port 80",
    "serve --port 8081 --trust-proxy 127.0.0.1 --metrics-port 9464",
    "serve --port 8081 --trust-proxy 127.0.0.1 --site https://share.example",
  ])
    .option("--port <n>", "port to listen on; 0 takes a free one", countArgument(0, 65_535), 8080)
    .option("--host <host>", "address to listen on", "127.0.0.1")
    .addOption(
      new Option(
        "--site <url>",
        "the site's own address, for signing in; http://localhost at the port without, for this machine alone",
      ).env("SHARE_SITE" satisfies VariableName),
    )
    .option("--no-site", "answer programs alone: the API without the pages for people")
    .addOption(
      new Option("--trust-proxy <list>", "proxies whose X-Forwarded-For names the client: addresses, CIDR ranges").env(
        "SHARE_TRUST_PROXY" satisfies VariableName,
      ),
    )
    .option("--rate <n>", "requests a minute from one address", countArgument(1), DEFAULT_QUOTAS.anonymous.requests)
    .option("--badge-rate <n>", "badges a minute for one address", countArgument(1), DEFAULT_QUOTAS.badge.requests)
    .option("--key-rate <n>", "requests a minute with one API key", countArgument(1), DEFAULT_QUOTAS.key.requests)
    .option(
      "--memory <size>",
      "memory of the engine for a release; while releases change there are two",
      sizeArgument,
      "512MB",
    )
    .addOption(threadsOption)
    .option(
      "--metrics-port <n>",
      "port of /metrics for Prometheus, and of /health; none without",
      countArgument(0, 65_535),
    )
    .option("--metrics-host <host>", "address of that port", "127.0.0.1")
    .action(async (options: ServeOptions) => {
      // An empty store waits for its first release; one that is misspelt would do so for ever.
      const store = existingStoreOf(options);
      // Preparing a release takes long: what would be found only then is looked at before.
      await requireFree(options.host, options.port, "--port or --host");
      if (options.metricsPort !== undefined) {
        await requireFree(options.metricsHost, options.metricsPort, "--metrics-port");
      }
      // Loaded here: no other command should wait for a server it does not start.
      const { pino } = await import("pino");
      const { createServer } = await import("../../server/index.ts");
      const destination = process.stderr.isTTY === true ? readableLog() : pino.destination(2);
      const logger = pino({ ...SERVER_LOG, level: environment.SHARE_LOG_LEVEL ?? "info" }, destination);
      const server = await createServer(
        store,
        { logger, noticeMilliseconds: NOTICE_MS, ...configuration(options), ...(await proxies(options)) },
        { now: () => new Date(), sleep },
      );
      // The release is open and followed by now: without closing, the process would never end.
      const address = await listen(server, options).catch(async (error: unknown) => {
        await server.close();
        throw error;
      });
      printLines(options.json ? JSON.stringify({ listening: address }) : `listening on ${address}`);
      closeOnInterruption(server, (signal) => logger.info({ signal }, "server-closing"));
    });
}

/** Finishes what it is answering and ends well; a second wish, after the first was heard by all, is not to wait for that. */
function closeOnInterruption(server: ShareServer, heard: (signal: Interruption) => void): void {
  let first: number | null = null;
  const stop = (signal: Interruption) => {
    if (first === null) {
      first = performance.now();
      heard(signal);
      server.close().then(
        () => process.exit(0),
        () => process.exit(1),
      );
    } else if (performance.now() - first > ONE_WISH_MS) process.exit(1);
  };
  for (const signal of INTERRUPTIONS) process.on(signal, stop);
}

/** Without pages the API has an address all the same: sessions and links belong to it. */
function siteOf({ site }: ServeOptions): string | undefined {
  return site === false ? environment.SHARE_SITE : site;
}

/** What the command line and the environment say of the parts around the API. */
function configuration(options: ServeOptions) {
  const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } = environment;
  return {
    accounts: accountTarget(databaseUrl, storeOf(options)),
    evaluations: { contact: emailOf() },
    contact: contactOf(),
    pages: options.site !== false,
    ...signInOptions(siteOf(options), environment),
    queryMemory: options.memory,
    queryThreads: options.threads,
    quotas: {
      anonymous: { ...DEFAULT_QUOTAS.anonymous, requests: options.rate },
      badge: { ...DEFAULT_QUOTAS.badge, requests: options.badgeRate },
      key: { ...DEFAULT_QUOTAS.key, requests: options.keyRate },
      preflight: { ...DEFAULT_QUOTAS.preflight, requests: KEYS_BEHIND_ONE_ADDRESS * options.keyRate },
    },
    ...(redisUrl === undefined || redisUrl === "" ? {} : { redisUrl }),
  };
}

async function proxies({ trustProxy = "" }: ServeOptions): Promise<{ trustProxy?: string[] }> {
  const { trustedProxies } = await import("../../server/http/limits.ts");
  try {
    const list = trustedProxies(trustProxy);
    return list === false ? {} : { trustProxy: list };
  } catch (error) {
    throw new UsageError(`--trust-proxy: ${error instanceof Error ? error.message : error}`);
  }
}

/** The address of the API. */
async function listen({ app, operations }: ShareServer, options: ServeOptions): Promise<string> {
  const { host, port, metricsHost, metricsPort } = options;
  if (metricsPort !== undefined) {
    operations.listen(metricsPort, metricsHost);
    await once(operations, "listening").catch((cause: unknown) => {
      throw cannotListen(metricsHost, metricsPort, "--metrics-port", cause);
    });
  }
  // The log's events are words of ours; the address is told on standard output.
  return app.listen({ port, host, listenTextResolver: () => "server-listening" }).catch((cause: unknown) => {
    throw cannotListen(host, port, "--port or --host", cause);
  });
}

/** Listens for a moment. Somebody may take the port between that and the end of the preparations: then that is said. */
async function requireFree(host: string, port: number, options: string): Promise<void> {
  const probe = createServer().listen(port, host);
  await once(probe, "listening").catch((cause: unknown) => {
    throw cannotListen(host, port, options, cause);
  });
  probe.close();
  await once(probe, "close");
}

function cannotListen(host: string, port: number, options: string, cause: unknown): CommandFailed {
  const reason = cause instanceof Error && "code" in cause ? cause.code : cause;
  return new CommandFailed(`cannot listen on ${host}:${port} (${reason}); give another ${options}`, { cause });
}

/** The options of `serve` for signing in; secrets are named in messages, never repeated. */
export function signInOptions(
  site: string | undefined,
  environment: Environment,
): { site?: URL; signIn: SignInOptions } {
  const { SMTP_URL: smtpUrl, SHARE_EMAIL_FROM: mailFrom } = environment;
  return {
    ...(site === undefined || site === "" ? {} : { site: siteUrl(site) }),
    signIn: {
      ...(smtpUrl ? { smtpUrl } : {}),
      ...(mailFrom ? { mailFrom } : {}),
      ...providerOf(environment),
    },
  };
}

function siteUrl(text: string): URL {
  if (URL.canParse(text)) return new URL(text);
  throw new UsageError("--site: give the site's own address, such as https://share.example");
}

function providerOf({
  ORCID_CLIENT_ID: clientId,
  ORCID_CLIENT_SECRET: clientSecret,
  ORCID_ISSUER: issuer,
}: Environment) {
  if (!clientId && !clientSecret) return {};
  if (!clientId || !clientSecret)
    throw new UsageError("ORCID_CLIENT_ID and ORCID_CLIENT_SECRET belong together: set both, or neither");
  return { orcid: { clientId, clientSecret, ...(issuer ? { issuer } : {}) } };
}

/** share-release serve: serves the API and the site from the active release. */

import { once } from "node:events";
import { createServer } from "node:net";
import { type Command, Option } from "commander";
import { accountTarget } from "../../pipeline/store/account-target.ts";
import type { SignInOptions } from "../../server/accounts/sign-in.ts";
import { DEFAULT_QUOTAS } from "../../server/http/quotas.ts";
import type { ShareServer } from "../../server/index.ts";
import { INTERRUPTIONS, type Interruption, sleep } from "../options/effects.ts";
import { type Environment, readContact, readEmail, setting, signInEnvironment } from "../options/environment.ts";
import { CommandFailed, UsageError } from "../options/exit-codes.ts";
import type { SettingName } from "../options/settings.ts";
import {
  command,
  countArgument,
  openChosenStore,
  openExistingStore,
  type SharedOptions,
  sizeArgument,
  threadsOption,
} from "../options/shared.ts";
import { readSiteFace } from "../options/site-face.ts";
import { readableLog, SERVER_LOG } from "../terminal/log-line.ts";
import { printLines } from "../terminal/text.ts";

interface ServeOptions extends SharedOptions {
  readonly port: number;
  readonly host: string;
  readonly metricsPort?: number;
  readonly metricsHost: string;
  readonly site?: string | false;
  readonly trustProxy?: string;
  readonly rate: number;
  readonly badgeRate: number;
  readonly keyRate: number;
  readonly memory: string;
  readonly threads: number;
  readonly newAccounts?: true;
}

/** Assumed number of users with API keys behind one IP address. It determines the limit of preflight requests. */
const KEYS_PER_ADDRESS = 10;

/** Number of API keys that can be used at their full rate from one IP address. */
const KEYS_AT_FULL_RATE = 5;

/** Milliseconds between the announcement of a shutdown and the closing of connections. */
const NOTICE_MS = 500;

/** Milliseconds within which repeated signals count as one, because old versions of Node deliver Ctrl-C twice. */
const REPEATED_SIGNAL_MS = 300;

export function serveCommand(): Command {
  return command("serve", "Serve the API and the site from the active release; follows activations without a restart", [
    "serve --port 8080",
    "serve --host 0.0.0.0 --port 80",
    "serve --port 8081 --trust-proxy 127.0.0.1 --metrics-port 9464",
    "serve --port 8081 --trust-proxy 127.0.0.1 --site https://share.example",
  ])
    .addOption(
      new Option("--port <n>", "Port to listen on; 0 selects a free port")
        .argParser(countArgument(0, 65_535))
        .default(8080)
        .env("SHARE_PORT" satisfies SettingName),
    )
    .addOption(
      new Option("--host <host>", "Address to listen on").default("127.0.0.1").env("SHARE_HOST" satisfies SettingName),
    )
    .addOption(
      new Option(
        "--site <url>",
        "Public URL of the site, for sign-in (default: http://localhost with the port, for this machine only)",
      ).env("SHARE_SITE" satisfies SettingName),
    )
    .option("--no-site", "Serve the API without the site")
    .addOption(
      new Option(
        "--trust-proxy <list>",
        "Proxies whose X-Forwarded-For header is trusted: IP addresses or CIDR ranges",
      ).env("SHARE_TRUST_PROXY" satisfies SettingName),
    )
    .option("--rate <n>", "Requests per minute for one IP address", countArgument(1), DEFAULT_QUOTAS.anonymous.requests)
    .option("--badge-rate <n>", "Badges per minute for one IP address", countArgument(1), DEFAULT_QUOTAS.badge.requests)
    .option("--key-rate <n>", "Requests per minute for one API key", countArgument(1), DEFAULT_QUOTAS.key.requests)
    .addOption(
      new Option("--memory <size>", "Memory of the engine for one release; twice as much during a change of releases")
        .argParser(sizeArgument)
        .default("512MB")
        .env("SHARE_QUERY_MEMORY" satisfies SettingName),
    )
    .addOption(threadsOption())
    .addOption(
      new Option("--metrics-port <n>", "Port for /metrics (Prometheus), /health and /ready (default: no port)")
        .argParser(countArgument(0, 65_535))
        .env("SHARE_METRICS_PORT" satisfies SettingName),
    )
    .option("--new-accounts", "Create an empty account store if the earlier one is lost; nobody is then hidden")
    .addOption(
      new Option("--metrics-host <host>", "Address of the metrics port")
        .default("127.0.0.1")
        .env("SHARE_METRICS_HOST" satisfies SettingName),
    )
    .action(async (options: ServeOptions) => {
      // The server waits for the first release of an empty store. If the name of the store were wrong, it would wait
      // forever.
      const store = openExistingStore(options);
      const face = await readSiteFace();
      // Opening a release takes long, so a port in use is reported first.
      await requireFree(options.host, options.port, "--port or --host");
      if (options.metricsPort !== undefined) {
        await requireFree(options.metricsHost, options.metricsPort, "--metrics-port");
      }
      // Loaded here, so that other commands start faster.
      const { pino } = await import("pino");
      const { createServer } = await import("../../server/index.ts");
      const destination = process.stderr.isTTY === true ? readableLog() : pino.destination(2);
      const logger = pino({ ...SERVER_LOG, level: setting("SHARE_LOG_LEVEL") ?? "info" }, destination);
      const server = await createServer(
        store,
        { logger, noticeMilliseconds: NOTICE_MS, ...configuration(options), face, ...(await proxies(options)) },
        { now: () => new Date(), sleep },
      );
      // The server already follows releases. If it is not closed, the process does not end.
      const address = await listen(server, options).catch(async (error: unknown) => {
        await server.close();
        throw error;
      });
      printLines(options.json ? JSON.stringify({ listening: address }) : `listening on ${address}`);
      closeOnInterruption(server, (signal) => logger.info({ signal }, "server-closing"));
    });
}

/**
 * Shuts the server down on the first signal: running requests are finished, and the exit code is 0. A second signal exits
 * at once with 1.
 */
function closeOnInterruption(server: ShareServer, onFirst: (signal: Interruption) => void): void {
  let first: number | null = null;
  const stop = (signal: Interruption) => {
    if (first === null) {
      first = performance.now();
      onFirst(signal);
      server.close().then(
        () => process.exit(0),
        () => process.exit(1),
      );
    } else if (performance.now() - first > REPEATED_SIGNAL_MS) process.exit(1);
  };
  for (const signal of INTERRUPTIONS) process.on(signal, stop);
}

/**
 * Returns the public URL of the service; undefined if it is not set. Sessions and sign-in links need it even if the site is
 * switched off.
 */
function readSiteOption({ site }: ServeOptions): string | undefined {
  return site === false ? setting("SHARE_SITE") : site;
}

/** Returns the configuration of the server from the options and the environment. */
function configuration(options: ServeOptions) {
  const redisUrl = setting("REDIS_URL");
  return {
    accounts: accountTarget(setting("DATABASE_URL"), openChosenStore(options)),
    evaluations: { contact: readEmail() },
    contact: readContact(),
    newAccounts: options.newAccounts === true,
    pages: options.site !== false,
    ...signInOptions(readSiteOption(options), signInEnvironment()),
    queryMemory: options.memory,
    queryThreads: options.threads,
    quotas: {
      anonymous: { ...DEFAULT_QUOTAS.anonymous, requests: options.rate },
      badge: { ...DEFAULT_QUOTAS.badge, requests: options.badgeRate },
      key: { ...DEFAULT_QUOTAS.key, requests: options.keyRate },
      address: { ...DEFAULT_QUOTAS.address, requests: KEYS_AT_FULL_RATE * options.keyRate },
      preflight: { ...DEFAULT_QUOTAS.preflight, requests: KEYS_PER_ADDRESS * options.keyRate },
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

async function listen({ app, operations }: ShareServer, options: ServeOptions): Promise<string> {
  const { host, port, metricsHost, metricsPort } = options;
  if (metricsPort !== undefined) {
    operations.listen(metricsPort, metricsHost);
    await once(operations, "listening").catch((cause: unknown) => {
      throw cannotListen(metricsHost, metricsPort, "--metrics-port", cause);
    });
  }
  // The log line has a fixed event name. Standard output has the URL.
  return app.listen({ port, host, listenTextResolver: () => "server-listening" }).catch((cause: unknown) => {
    throw cannotListen(host, port, "--port or --host", cause);
  });
}

/** Checks that the port is free, to report this early. If another process takes it later, `listen` fails. */
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
      ...readProvider(environment),
    },
  };
}

function siteUrl(text: string): URL {
  if (URL.canParse(text)) return new URL(text);
  throw new UsageError("--site: give the public URL of the site, such as https://share.example");
}

function readProvider({
  ORCID_CLIENT_ID: clientId,
  ORCID_CLIENT_SECRET: clientSecret,
  ORCID_ISSUER: issuer,
}: Environment) {
  if (!clientId && !clientSecret) return {};
  if (!clientId || !clientSecret) throw new UsageError("set both ORCID_CLIENT_ID and ORCID_CLIENT_SECRET, or neither");
  return { orcid: { clientId, clientSecret, ...(issuer ? { issuer } : {}) } };
}

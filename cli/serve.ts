/** share-release serve: the API over the active release. */

import type { Command } from "commander";
import { sleep } from "./effects.ts";
import { CommandFailed } from "./exit-codes.ts";
import { command, countArgument, type SharedOptions, storeOf } from "./shared.ts";

interface ServeOptions extends SharedOptions {
  readonly port: number;
  readonly host: string;
  readonly metricsPort?: number;
  readonly metricsHost: string;
  readonly trustProxy: readonly string[];
}

/** On shutdown, how long clients are told to go elsewhere before connections close. */
const NOTICE_MS = 500;

export function serveCommand(): Command {
  return command("serve", "answer the read API from the active release; follows activations without a restart", [
    "serve --port 8080",
    "serve --host 0.0.0.0 --port 80",
    "serve --port 8081 --trust-proxy 127.0.0.1 --metrics-port 9464",
  ])
    .option("--port <n>", "port to listen on; 0 takes a free one", countArgument(0, 65_535), 8080)
    .option("--host <host>", "address to listen on", "127.0.0.1")
    .option(
      "--trust-proxy <addresses...>",
      "proxies, as addresses or networks, whose X-Forwarded-For names the client",
      [],
    )
    .option(
      "--metrics-port <n>",
      "port of /metrics for Prometheus, and of /health; none without",
      countArgument(0, 65_535),
    )
    .option("--metrics-host <host>", "address of that port", "127.0.0.1")
    .action(async (options: ServeOptions) => {
      // Loaded here: no other command should wait for a server it does not start.
      const { pino } = await import("pino");
      const { createServer } = await import("../server/index.ts");
      const logger = pino({ level: process.env.SHARE_LOG_LEVEL ?? "info" }, pino.destination(2));
      const server = await createServer(
        storeOf(options),
        { logger, noticeMilliseconds: NOTICE_MS },
        { now: () => new Date(), sleep },
      );
      const address = await server.app
        .listen({ port: options.port, host: options.host })
        // The release is open and followed by now: without closing, the process would never end.
        .catch(async (cause: unknown) => {
          await server.close();
          throw cannotListen(options, cause);
        });
      process.stdout.write(options.json ? `${JSON.stringify({ listening: address })}\n` : `listening on ${address}\n`);
      const stop = () => {
        server.close().then(
          () => process.exit(0),
          () => process.exit(1),
        );
      };
      process.once("SIGINT", stop);
      process.once("SIGTERM", stop);
    });
}

function cannotListen({ host, port }: ServeOptions, cause: unknown): CommandFailed {
  const reason = cause instanceof Error && "code" in cause ? cause.code : cause;
  return new CommandFailed(`cannot listen on ${host}:${port} (${reason}); give another --port or --host`, { cause });
}

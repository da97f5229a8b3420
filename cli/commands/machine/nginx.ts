/** share-release nginx: the configuration of an nginx in front of the server. */

import { resolve } from "node:path";
import type { Command } from "commander";
import { nginxConfiguration } from "../../../api-static/nginx/index.ts";
import { nginxOptions } from "../../../api-static/nginx/options.ts";
import { UsageError } from "../../options/exit-codes.ts";
import { command, countArgument, printResult, type SharedOptions, storeOf } from "../../options/shared.ts";

interface NginxCommandOptions extends SharedOptions {
  readonly listen: readonly string[];
  readonly upstream: readonly string[];
  readonly serverName: readonly string[];
  readonly cache: string;
  readonly realIpFrom: readonly string[];
  readonly tlsCertificate?: string;
  readonly tlsKey?: string;
  readonly redirect: readonly string[];
  readonly hsts?: number;
  readonly rate: number;
  readonly burst: number;
}

/** The command line's names of what nginxOptions calls otherwise. */
const FLAGS: Readonly<Record<string, string>> = { serverNames: "server-name", realIpFrom: "real-ip-from" };

const positive = countArgument(1, 1_000_000);

export function nginxCommand(): Command {
  return command("nginx", "print the configuration of an nginx that answers canonical requests from files", [
    "nginx --upstream 127.0.0.1:8081 > /etc/nginx/conf.d/share-release.conf",
    "nginx --listen 443 --tls-certificate /etc/ssl/share.pem --tls-key /etc/ssl/share.key --redirect 80 --hsts 31536000",
    "nginx --server-name scores.example.org --real-ip-from 10.0.0.0/8",
  ])
    .option("--listen <addresses...>", "ports, or addresses with ports", ["8080"])
    .option("--upstream <addresses...>", "where servers of this store listen", ["127.0.0.1:8081"])
    .option("--server-name <names...>", "host names; every name without", [])
    .option("--cache <dir>", "folder of kept answers, made by nginx", "/var/cache/share-release")
    .option(
      "--real-ip-from <networks...>",
      "proxies in front, as addresses or networks, whose X-Forwarded-For is believed",
      [],
    )
    .option("--tls-certificate <file>", "certificate with its chain: --listen then speaks TLS")
    .option("--tls-key <file>", "its private key")
    .option("--redirect <addresses...>", "plain addresses, such as 80, that lead to the same page over TLS", [])
    .option("--hsts <seconds>", "for so long browsers come over TLS alone", countArgument(1, 63_072_000))
    .option("--rate <n>", "requests a second of one address", positive, 50)
    .option("--burst <n>", "requests of one address that may come at once", positive, 200)
    .action((options: NginxCommandOptions) => {
      printResult(options, { configuration: configurationOf(options) }, ({ configuration }) => configuration.trimEnd());
    });
}

function configurationOf(options: NginxCommandOptions): string {
  const { serverName: serverNames, cache, tlsCertificate, tlsKey, hsts = null, ...rest } = options;
  if ((tlsCertificate === undefined) !== (tlsKey === undefined)) {
    throw new UsageError("--tls-certificate and --tls-key belong together");
  }
  const tls =
    tlsCertificate === undefined || tlsKey === undefined
      ? null
      : { certificate: resolve(tlsCertificate), key: resolve(tlsKey) };
  const wanted = { ...rest, tls, hsts, serverNames, store: resolve(storeOf(options).root), cache: resolve(cache) };
  const parsed = nginxOptions.safeParse(wanted);
  if (parsed.success) return nginxConfiguration(parsed.data);
  const [issue] = parsed.error.issues;
  const name = String(issue?.path[0] ?? "");
  throw new UsageError(`--${FLAGS[name] ?? name} ${issue?.message}`);
}

/** What an operator may say about nginx in front of the server; everything that reaches the configuration is checked here. */

import { z } from "zod";

const text = (pattern: RegExp, message: string) => z.string().regex(pattern, { error: message });

/** nginx can quote any character of a path but those that end its line or its string of C. */
const absolutePath = text(/^\/[^\p{Cc}]*$/u, "must be an absolute path without control characters");

const count = z.int().min(1).max(1_000_000);

export const nginxOptions = z.object({
  store: absolutePath,
  listen: z
    .array(
      text(
        /^(?:(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-fA-F:.]+\]):)?\d{1,5}$/,
        "must be a port, or an address and a port: 8080, 127.0.0.1:8080, [::]:8080",
      ),
    )
    .min(1),
  /** Where the server listens; several are servers of one store. */
  upstream: z
    .array(
      text(
        /^(?:[A-Za-z0-9.-]+:\d{1,5}|\[[0-9a-fA-F:.]+\]:\d{1,5}|unix:\/[A-Za-z0-9._/-]+)$/,
        "must be a host and a port, or a socket: 127.0.0.1:8081, unix:/run/share.sock",
      ),
    )
    .min(1),
  /** None: the server of every name that no other server of this nginx has. */
  serverNames: z.array(text(/^(?:\*\.)?[A-Za-z0-9_.-]+$/, "must be a host name")),
  cache: absolutePath,
  /** Proxies in front of nginx whose X-Forwarded-For is believed. */
  realIpFrom: z.array(
    text(
      /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*)(?:\/\d{1,3})?$/,
      "must be an address or a network",
    ),
  ),
  /** Requests a second of one address. */
  rate: count,
  /** Requests of one address that may come at once. */
  burst: count,
});
export type NginxOptions = z.infer<typeof nginxOptions>;

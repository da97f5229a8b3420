/** The options an operator has for nginx in front of the server; everything that reaches the configuration is checked here. */

import { z } from "zod";
import { areApart, isListenAddress, isNetwork, isUpstream } from "./addresses.ts";

const text = (pattern: RegExp, message: string) => z.string().regex(pattern, { error: message });

/** nginx can quote any character of a path but those that end its line or its string of C. */
const absolutePath = text(/^\/[^\p{Cc}]*$/u, "must be an absolute path without control characters");

const checked = (holds: (text: string) => boolean, message: string) => z.string().refine(holds, { error: message });

const count = z.int().min(1).max(1_000_000);

export const nginxOptions = z
  .object({
    store: absolutePath,
    listen: z
      .array(checked(isListenAddress, "must be a port, or an address and a port: 8080, 127.0.0.1:8080, [::]:8080"))
      .min(1)
      .refine(areApart, { error: "must name every address once" }),
    /** Where the server listens; several are servers of one store. */
    upstream: z.array(checked(isUpstream, "must be a host and a port: 127.0.0.1:8081, [::1]:8081")).min(1),
    /** None: the server of every name that no other server of this nginx has. */
    serverNames: z.array(text(/^(?:\*\.)?[A-Za-z0-9_.-]+$/, "must be a host name")),
    cache: absolutePath,
    /** Proxies in front of nginx whose X-Forwarded-For is believed. */
    realIpFrom: z.array(checked(isNetwork, "must be an address or a network: 10.0.0.7, 10.0.0.0/8, fd00::/8")),
    /** Certificate with its chain, and private key; without, plain HTTP is spoken. */
    tls: z.object({ certificate: absolutePath, key: absolutePath }).nullable().default(null),
    /** Plain addresses whose visitors are sent to the same page over TLS. */
    redirect: z
      .array(checked(isListenAddress, "must be a port, or an address and a port: 80, 127.0.0.1:80, [::]:80"))
      .default([]),
    /** Seconds for which browsers ask over TLS alone. */
    hsts: z.int().min(1).max(63_072_000).nullable().default(null),
    /** Requests a second of one address. */
    rate: count,
    /** Requests of one address that may come at once. */
    burst: count,
  })
  .superRefine(({ listen, redirect, tls, hsts }, { addIssue }) => {
    const complain = (name: string, message: string) => addIssue({ code: "custom", path: [name], message });
    if (tls === null && redirect.length > 0)
      complain("redirect", "needs --tls-certificate: there is nothing to send people to");
    if (tls === null && hsts !== null) complain("hsts", "needs --tls-certificate: browsers would find no other way in");
    if (redirect.length > 0 && !areApart([...listen, ...redirect]))
      complain("redirect", "must be other addresses than --listen");
  });
export type NginxOptions = z.infer<typeof nginxOptions>;
/** The options as they are given: what has a default may be left out. */
export type GivenNginxOptions = z.input<typeof nginxOptions>;

/** The part of the configuration that passes requests to the server and keeps some of its answers. */

import { ROUTES } from "../routes/index.ts";
import { CACHE } from "../routes/route.ts";
import type { NginxOptions } from "./options.ts";
import { expression, quoted } from "./quote.ts";

/** Headers about one request, which an answer that was kept must not repeat to others. */
const OF_ONE_REQUEST = [
  "RateLimit",
  "RateLimit-Policy",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "X-Request-Id",
];

const variable = (name: string) => name.toLowerCase().replaceAll("-", "_");

export function upstreamBlock({ upstream }: NginxOptions): string {
  return `upstream share_server {
${upstream.map((address) => `    server ${address} max_fails=0;`).join("\n")}
    keepalive 32;
    # Below the server's own limit, so that no request meets a connection that is being closed.
    keepalive_timeout 60s;
}
`;
}

/** Files of releases lie on this disk already: another copy, whole even where a part is asked for, helps nobody. */
function unkeptPaths(): string[] {
  const immutable = ROUTES.filter(({ cache }) => cache === CACHE.immutable).map(({ path }) => path.replace(/\{.*/, ""));
  return [...new Set(immutable)].map((path) => `    ${expression(`^${path}`)} off;`);
}

export function cacheBlock({ cache }: NginxOptions): string {
  return `proxy_cache_path ${quoted(cache)} levels=1:2 keys_zone=share_answers:10m max_size=1g inactive=10m use_temp_path=off;

# Nothing is kept that was asked with a key or a session, or under conditions the server ignores and nginx would not.
map "$http_x_api_key$http_authorization$http_cookie$http_if_match$http_if_unmodified_since" $share_cache {
    "" $share_cache_by_path;
    default off;
}

map $request_uri $share_cache_by_path {
${unkeptPaths().join("\n")}
    default share_answers;
}

# The form of an answer depends on Accept only if it names a kind of text (CSV, HTML), a form of rows or linked data.
# Whether a browser gets HTML also depends on Fetch Metadata. Requests with an API key are not cached.
map $http_accept $share_form {
    "~*text/|ndjson|arrow|ld[+]json" "$http_sec_fetch_mode $http_sec_fetch_site $http_accept";
    default "";
}

map $http_host $share_host {
    "" $host;
    default $http_host;
}

# An answer that was kept says nothing of the request it was made for.
map $upstream_cache_status $share_is_new {
    "" 1;
    MISS 1;
    EXPIRED 1;
    default "";
}
${OF_ONE_REQUEST.map((name) => `map $share_is_new $share_${variable(name)} { 1 $upstream_http_${variable(name)}; default ""; }\n`).join("")}`;
}

export function proxyLocation(always: readonly string[]): string[] {
  return [
    "location @share_server {",
    ...PROXY.map((line) => (line === "" ? "" : `    ${line}`)),
    ...OF_ONE_REQUEST.flatMap((name) => [
      `    proxy_hide_header ${name};`,
      `    add_header ${name} $share_${variable(name)} always;`,
    ]),
    ...always.map((line) => `    ${line}`),
    "}",
  ];
}

const PROXY = [
  "proxy_pass http://share_server;",
  "proxy_http_version 1.1;",
  'proxy_set_header Connection "";',
  "proxy_set_header Host $share_host;",
  "# Set, never added to: what a client says of its own address is worth nothing.",
  "proxy_set_header X-Forwarded-For $remote_addr;",
  "proxy_set_header X-Forwarded-Proto $scheme;",
  'proxy_set_header X-Forwarded-Host "";',
  'proxy_set_header Forwarded "";',
  "# Kept as it is, and compressed here for those who take it.",
  'proxy_set_header Accept-Encoding "";',
  "proxy_redirect off;",
  "# A server that is being restarted answers 503, or not at all, and does nothing then: another one is asked.",
  "proxy_next_upstream error http_503 non_idempotent;",
  "proxy_connect_timeout 2s;",
  "proxy_send_timeout 15s;",
  "# An evaluation may ask its source twice, for ten seconds each.",
  "proxy_read_timeout 60s;",
  "# A large file is passed on as fast as it is taken, not written down here first.",
  "proxy_max_temp_file_size 0;",
  "",
  "proxy_cache $share_cache;",
  "# The release is part of the key: once `serving` has moved, nothing of the one before is given out.",
  'proxy_cache_key "$share_release$share_retracted $scheme://$share_host$request_uri $share_form";',
  "# What the server said before it knew of a retraction that lies there already is not kept under this key.",
  "proxy_no_cache $share_untold;",
  "# The key has the form already; `Vary` would keep a copy for every browser.",
  "proxy_ignore_headers Vary;",
  "proxy_cache_lock on;",
  "proxy_cache_lock_timeout 5s;",
  "proxy_cache_revalidate on;",
  "# No old answers when the server is away. While a new one is on its way, the header stale-while-revalidate alone allows",
  "# them, and pages about people do not have it. Kept answers go out without an Age: a client may keep one for the whole",
  "# of its max-age from then on, so that who is hidden is gone everywhere only after both times.",
  "proxy_cache_background_update off;",
  "proxy_cache_use_stale off;",
  "",
];

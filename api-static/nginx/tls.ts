/** TLS: certificates, the redirect of those who come without, and the word that they need not come so again. */

import type { NginxOptions } from "./options.ts";
import { quoted } from "./quote.ts";

/** The lines of the addresses it listens on, and of the certificate. */
export function listenLines({ listen, tls }: NginxOptions): string[] {
  if (tls === null) return listen.map((address) => `listen ${address};`);
  return [
    ...listen.map((address) => `listen ${address} ssl http2;`),
    `ssl_certificate     ${quoted(tls.certificate)};`,
    `ssl_certificate_key ${quoted(tls.key)};`,
    "ssl_protocols TLSv1.2 TLSv1.3;",
    "ssl_session_cache shared:share_tls:10m;",
    "ssl_session_timeout 1d;",
    "ssl_session_tickets off;",
  ];
}

/** On every answer over TLS, where it is wanted: for so long browsers ask in no other way. */
export function hstsLines({ hsts }: NginxOptions): string[] {
  return hsts === null ? [] : [`add_header Strict-Transport-Security "max-age=${hsts}" always;`];
}

/** The server that sends those who come without TLS to the same address with it; nothing where none is wanted. */
export function redirectServer({ redirect, listen, serverNames }: NginxOptions): string {
  if (redirect.length === 0) return "";
  const port = listen[0]?.slice((listen[0]?.lastIndexOf(":") ?? -1) + 1);
  return `server {
${redirect.map((address) => `    listen ${address};\n`).join("")}${serverNames.length === 0 ? "" : `    server_name ${serverNames.join(" ")};\n`}    server_tokens off;
    return 308 https://$host${port === "443" ? "" : `:${port}`}$request_uri;
}
`;
}

/** The configuration that tells clients apart and bounds their requests: a coarse guard before the server's own quota. */

import { IS_BADGE } from "./badges.ts";
import type { NginxOptions } from "./options.ts";
import { expression } from "./quote.ts";

/**
 * One client: an IPv4 address, also where it comes mapped into IPv6, or a network of 64 bits of IPv6. The expressions
 * read the bytes of the address.
 */
export function guardZone({ rate }: NginxOptions): string {
  return `map $binary_remote_addr $share_client {
    ${expression("(?s)^\\x00{10}\\xff\\xff(?<share_ipv4>.{4})\\z")} $share_ipv4;
    ${expression("(?s)^(?<share_network>.{8}).{8}\\z")} $share_network;
    default $binary_remote_addr;
}

# Who is counted has no empty name: an image proxy that fetches badges for many uses up no reader's allowance.
map ${IS_BADGE} $share_reader {
    1 "";
    default $share_client;
}

map ${IS_BADGE} $share_badge_reader {
    1 $share_client;
    default "";
}

limit_req_zone $share_reader zone=share_clients:10m rate=${rate}r/s;
limit_req_zone $share_badge_reader zone=share_badges:10m rate=${rate}r/s;
`;
}

export function guardLines({ burst }: NginxOptions): string[] {
  return [
    `limit_req zone=share_clients burst=${burst} nodelay;`,
    `limit_req zone=share_badges burst=${burst} nodelay;`,
    "limit_req_status 429;",
    "limit_req_log_level notice;",
  ];
}

/** The address of the client where other proxies stand in front; their header is believed from them alone. */
export function realAddressLines({ realIpFrom }: NginxOptions): string[] {
  if (realIpFrom.length === 0) return [];
  return [
    ...realIpFrom.map((network) => `set_real_ip_from ${network};`),
    "real_ip_header X-Forwarded-For;",
    "real_ip_recursive on;",
  ];
}

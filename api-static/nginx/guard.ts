/** Who a client is, and how many requests it may send: a coarse guard before the server's own quota. */

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

limit_req_zone $share_client zone=share_clients:10m rate=${rate}r/s;
`;
}

export function guardLines({ burst }: NginxOptions): string[] {
  return [
    `limit_req zone=share_clients burst=${burst} nodelay;`,
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

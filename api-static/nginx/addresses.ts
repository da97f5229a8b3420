/** Addresses as nginx takes them: what passes here, its configuration may hold. */

import { z } from "zod";

const ipv4 = z.ipv4();
const ipv6 = z.ipv6();
const network = z.union([ipv4, ipv6, z.cidrv4(), z.cidrv6()]);

const LARGEST_PORT = 65_535;

function isPort(text: string): boolean {
  return /^[1-9]\d{0,4}$/.test(text) && Number(text) <= LARGEST_PORT;
}

/** The parts around the last colon; no host where there is none. */
function hostAndPort(text: string): readonly [host: string | null, port: string] {
  const colon = text.lastIndexOf(":");
  return colon < 0 ? [null, text] : [text.slice(0, colon), text.slice(colon + 1)];
}

function isBracketed(text: string): boolean {
  return text.startsWith("[") && text.endsWith("]") && ipv6.safeParse(text.slice(1, -1)).success;
}

/** A port, or an address and a port; IPv6 in brackets. */
export function isListenAddress(text: string): boolean {
  const [host, port] = hostAndPort(text);
  return isPort(port) && (host === null || ipv4.safeParse(host).success || isBracketed(host));
}

/** Labels of letters, digits and hyphens; what ends in a number is meant for an address, and has to be one. */
function isHostName(text: string): boolean {
  const labels = text.split(".");
  return (
    labels.every((label) => /^[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9])?$/.test(label)) && !/(?:^|\.)\d+$/.test(text)
  );
}

/** A host and a port; IPv6 in brackets. */
export function isUpstream(text: string): boolean {
  const [host, port] = hostAndPort(text);
  return host !== null && isPort(port) && (ipv4.safeParse(host).success || isBracketed(host) || isHostName(host));
}

/** An address, or a network in CIDR notation. */
export function isNetwork(text: string): boolean {
  return network.safeParse(text).success;
}

/** nginx refuses to listen twice in one place; a port alone is that of every IPv4 address. */
export function areApart(addresses: readonly string[]): boolean {
  const places = addresses.map((text) => (text.includes(":") ? text : `0.0.0.0:${text}`));
  return new Set(places).size === places.length;
}

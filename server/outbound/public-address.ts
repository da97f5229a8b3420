/** Tells addresses anyone on the internet may have from those of this machine, its network, and special uses (IANA's registries). */

import { BlockList, isIP } from "node:net";

/** RFC 6890 and its successors: the IPv4 Special-Purpose Address Registry, multicast and the reserved rest. */
const SPECIAL_IPV4: readonly (readonly [network: string, prefix: number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.31.196.0", 24],
  ["192.52.193.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["192.175.48.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];

/** Within 2000::/3, the only block that is given out; whatever wraps an IPv4 address (6to4, Teredo, NAT64) is left out. */
const SPECIAL_IPV6: readonly (readonly [network: string, prefix: number])[] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["2620:4f:8000::", 48],
  ["3fff::", 20],
];

const special = new BlockList();
for (const [network, prefix] of SPECIAL_IPV4) special.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of SPECIAL_IPV6) special.addSubnet(network, prefix, "ipv6");

const givenOut = new BlockList();
givenOut.addSubnet("2000::", 3, "ipv6");

/** True for a plain IPv4 or IPv6 address of the public internet; false for any other text. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !special.check(address, "ipv4");
    case 6:
      return !address.includes("%") && givenOut.check(address, "ipv6") && !special.check(address, "ipv6");
    default:
      return false;
  }
}

/**
 * Responses of a source that could block the server or exhaust its memory. Each is a Zenodo record in JSON, of at most 5 MB.
 */

import { zenodoRecord } from "../evaluate/services.ts";

export interface HostilePayload {
  readonly name: string;
  readonly record: (id: number) => unknown;
}

const METADATA = { title: "Readings", resource_type: { type: "dataset" }, access_right: "open" };

function withCreators(creators: readonly unknown[]): (id: number) => unknown {
  return (id) => zenodoRecord(id, { metadata: { ...METADATA, creators } });
}

/** Returns as many copies of a value as fit into 4.5 MB. */
function filledWith(thing: unknown): readonly unknown[] {
  return Array.from({ length: Math.floor(4_500_000 / (JSON.stringify(thing).length + 1)) }, () => thing);
}

export const HOSTILE_PAYLOADS: readonly HostilePayload[] = [
  {
    name: "a hundred affiliations of 990 characters @",
    record: withCreators(Array.from({ length: 100 }, (_, i) => ({ name: `A${i}, B`, affiliation: "@".repeat(990) }))),
  },
  {
    name: "affiliations with a million characters @",
    record: withCreators(
      Array.from({ length: 4 }, (_, i) => ({ name: `A${i}, B`, affiliation: "@".repeat(1_000_000) })),
    ),
  },
  { name: "as many creators as fit into 5 MB", record: withCreators(filledWith({ name: "a" })) },
  {
    name: "as many files as fit into 5 MB",
    record: (id) => zenodoRecord(id, { files: filledWith({}) }),
  },
  {
    name: "as many empty lists as fit into 5 MB",
    record: (id) => zenodoRecord(id, { files: filledWith([]) }),
  },
  {
    name: "as many keywords as fit into 5 MB",
    record: (id) => zenodoRecord(id, { metadata: { ...METADATA, keywords: filledWith("a") } }),
  },
  {
    name: "a description of opening brackets",
    record: (id) => zenodoRecord(id, { metadata: { ...METADATA, description: "<".repeat(4_500_000) } }),
  },
  {
    name: "a title of only white space",
    record: (id) => zenodoRecord(id, { metadata: { ...METADATA, title: `${" \n".repeat(1_500_000)}x` } }),
  },
];

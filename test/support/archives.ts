/** Writes archives in the formats of dumps: ZIP with its central directory at the end, and tar in blocks. */

import { crc32, deflateRawSync } from "node:zlib";

export interface ArchivedFile {
  readonly name: string;
  readonly bytes: Buffer;
}

const little = (size: number, value: number | bigint): Buffer => {
  const bytes = Buffer.alloc(size);
  if (typeof value === "bigint") bytes.writeBigUInt64LE(value);
  else bytes.writeUIntLE(value, 0, size);
  return bytes;
};

interface ZipOptions {
  /** True to write sizes and offsets in 64 bits, as in archives of more than four gigabytes. */
  readonly large?: boolean;
  readonly stored?: boolean;
  /** The name of a file in the archive that gets a wrong checksum. */
  readonly spoiled?: string;
  readonly comment?: string;
}

/** Returns a ZIP archive: local headers and contents, the central directory, and the end record. */
export function makeZip(
  files: readonly ArchivedFile[],
  { large = false, stored = false, spoiled, comment = "" }: ZipOptions = {},
): Buffer {
  const parts: Buffer[] = [];
  const list: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes } of files) {
    const content = stored ? bytes : deflateRawSync(bytes);
    const sum = (crc32(bytes) + (name === spoiled ? 1 : 0)) % 2 ** 32;
    const common = [little(2, 0), little(2, stored ? 0 : 8), little(4, 0), little(4, sum)];
    const local = [little(4, 0x04034b50), little(2, 45), ...common, little(4, content.length), little(4, bytes.length)];
    const head = Buffer.concat([...local, little(2, name.length), little(2, 0), Buffer.from(name)]);
    parts.push(head, content);
    const wide = [little(8, BigInt(bytes.length)), little(8, BigInt(content.length)), little(8, BigInt(offset))];
    const extra = large ? Buffer.concat([little(2, 1), little(2, 24), ...wide]) : Buffer.alloc(0);
    const short = (value: number) => little(4, large ? 0xffffffff : value);
    const lengths = [
      little(2, name.length),
      little(2, extra.length),
      little(2, 0),
      little(2, 0),
      little(2, 0),
      little(4, 0),
    ];
    const entry = [
      little(4, 0x02014b50),
      little(2, 45),
      little(2, 45),
      ...common,
      short(content.length),
      short(bytes.length),
    ];
    list.push(...entry, ...lengths, short(offset), Buffer.from(name), extra);
    offset += head.length + content.length;
  }
  const directory = Buffer.concat(list);
  const count = files.length;
  const end64 = [little(4, 0x06064b50), little(8, 44n), little(4, 0), little(4, 0), little(4, 0)];
  const totals = [
    little(8, BigInt(count)),
    little(8, BigInt(count)),
    little(8, BigInt(directory.length)),
    little(8, BigInt(offset)),
  ];
  const locator = [little(4, 0x07064b50), little(4, 0), little(8, BigInt(offset + directory.length)), little(4, 1)];
  const short = (value: number) => little(4, large ? 0xffffffff : value);
  const end = [
    little(4, 0x06054b50),
    little(4, 0),
    little(2, count),
    little(2, count),
    short(directory.length),
    short(offset),
  ];
  const tail = large ? [...end64, ...totals, ...locator] : [];
  return Buffer.concat([...parts, directory, ...tail, ...end, little(2, comment.length), Buffer.from(comment)]);
}

/** Returns a tar archive. A name of more than a hundred characters is in a pax header before its file. */
export function makeTar(files: readonly ArchivedFile[]): Buffer {
  const blocks = (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);
  const head = (name: string, size: number, type: string) => {
    const block = Buffer.alloc(512);
    block.write(name.slice(0, 100), 0);
    block.write(size.toString(8).padStart(11, "0"), 124);
    block.write(type, 156);
    block.write("ustar\0", 257);
    return block;
  };
  const all = files.flatMap(({ name, bytes }) => {
    const pax = Buffer.from(`${name.length + 10} path=${name}\n`);
    const long = name.length > 100 ? [head("pax", pax.length, "x"), blocks(pax)] : [];
    return [...long, head(name, bytes.length, name.endsWith("/") ? "5" : "0"), blocks(bytes)];
  });
  return Buffer.concat([...all, Buffer.alloc(1024)]);
}

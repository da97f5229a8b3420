/** Archives among the inputs: every member is read as a file of its own would be. */

import { codecOf, inflate } from "../../files/inflate.ts";
import { isTar, tarMembers } from "../../files/tar.ts";
import { isZip, type Member, zipMembers } from "../../files/zip.ts";
import { Allowance } from "./allowance.ts";
import { plainBytes } from "./plain-bytes.ts";

/** The members of an archive, or null where the file is none; each with its own compression taken off. */
export async function membersOf(path: string, size: number): Promise<AsyncGenerator<Member> | null> {
  const chunks = plainBytes(path, 0, new Allowance(size));
  const first = await chunks.next();
  await chunks.return(undefined);
  if (first.done === true) return null;
  const allowance = new Allowance(size);
  if (isZip(first.value)) return plain(zipMembers(path), allowance);
  return isTar(first.value) ? plain(tarMembers(plainBytes(path, 0, allowance)), allowance) : null;
}

/** All members together may give as much as the archive. */
async function* plain(members: AsyncGenerator<Member>, allowance: Allowance): AsyncGenerator<Member> {
  for await (const { name, chunks } of members) yield { name, chunks: allowance.of(decompressed(chunks)) };
}

/** Dumps are archives of compressed files as often as not. */
async function* decompressed(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const first = await chunks.next();
  if (first.done === true) return;
  const whole = withFirst(Buffer.from(first.value), chunks);
  const codec = codecOf(first.value);
  yield* codec === null ? whole : inflate(whole, codec);
}

async function* withFirst(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

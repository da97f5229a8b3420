/** A frame of zstd, inflated to the length it has to have, and not beyond. */

import { decompress } from "fzstd";
import { PackFault } from "./files.ts";

/** @throws PackFault where the frame says or has another length */
export function inflate(frame: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  if (contentSize(frame) !== length) throw new PackFault("has a frame of another length than its index says");
  const content = new Uint8Array(length);
  try {
    decompress(frame, content);
  } catch (cause) {
    throw new PackFault("has a frame that cannot be inflated", { cause });
  }
  return content;
}

/** What the header of a frame that is one segment says (RFC 8878, 3.1.1.1); null of any other frame. */
function contentSize(frame: Uint8Array<ArrayBuffer>): number | null {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  const [magic, descriptor] = [view.getUint32(0, true), view.getUint8(4)];
  const hasDictionary = (descriptor & 3) !== 0;
  const window = (descriptor & 0x20) === 0 ? 1 : 0;
  if (magic !== 0xfd2fb528 || hasDictionary) return null;
  // A window larger than any page would have memory taken for it before a byte is inflated.
  if (window === 1 && (view.getUint8(5) >> 3) + 10 > 27) return null;
  const at = 5 + window;
  switch (descriptor >> 6) {
    case 0:
      return window === 1 ? null : view.getUint8(at);
    case 1:
      return view.getUint16(at, true) + 256;
    case 2:
      return view.getUint32(at, true);
    default:
      return Number(view.getBigUint64(at, true));
  }
}

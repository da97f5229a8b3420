/** Computes MD5 (RFC 1321) of short texts, because ids of OpenAIRE contain it. Browsers do not have this function. */

const SHIFTS = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21];
const SINES = Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32) >>> 0);

/** Returns the digest of a text in UTF-8, as 32 hexadecimal digits. */
export function md5(text: string): string {
  const state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
  const blocks = paddedBlocks(new TextEncoder().encode(text));
  for (let block = 0; block < blocks.byteLength; block += 64) addBlock(state, blocks, block);
  const digest = new DataView(new ArrayBuffer(16));
  for (const [i, word] of state.entries()) digest.setUint32(4 * i, word, true);
  return Array.from({ length: 16 }, (_, i) => digest.getUint8(i).toString(16).padStart(2, "0")).join("");
}

/** Appends a one bit, zeros and the length in bits, so that the result is a multiple of 64 bytes. */
function paddedBlocks(bytes: Uint8Array): DataView {
  const padded = new Uint8Array(64 * Math.ceil((bytes.length + 9) / 64));
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, 8n * BigInt(bytes.length), true);
  return view;
}

function addBlock(state: number[], blocks: DataView, block: number): void {
  let [a = 0, b = 0, c = 0, d = 0] = state;
  for (let i = 0; i < 64; i += 1) {
    const round = i >> 4;
    const [mixed, word] = mix(round, i, b, c, d);
    const sum = (a + mixed + (SINES[i] ?? 0) + blocks.getUint32(block + 4 * word, true)) >>> 0;
    const shift = SHIFTS[4 * round + (i % 4)] ?? 0;
    [a, d, c, b] = [d, c, b, (b + ((sum << shift) | (sum >>> (32 - shift)))) >>> 0];
  }
  for (const [i, word] of [a, b, c, d].entries()) state[i] = ((state[i] ?? 0) + word) >>> 0;
}

/** Computes the function of a round, and the index of the word in the block that this step adds (RFC 1321, 3.4). */
function mix(round: number, i: number, b: number, c: number, d: number): [mixed: number, word: number] {
  switch (round) {
    case 0:
      return [(b & c) | (~b & d), i];
    case 1:
      return [(d & b) | (~d & c), (5 * i + 1) % 16];
    case 2:
      return [b ^ c ^ d, (3 * i + 5) % 16];
    default:
      return [c ^ (b | ~d), (7 * i) % 16];
  }
}

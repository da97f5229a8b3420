/**
 * Computes SHA-256 (FIPS 180-4) in browsers, instead of Node's `hash`. WebCrypto cannot be used, because it only works on
 * pages with TLS and is asynchronous.
 */

/** Computes the constants of SHA-256: the first 32 bits of the fractional parts of the roots of the first primes. */
function fractions(count: number, root: (prime: number) => number): number[] {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n += 1) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  return primes.map((prime) => ((root(prime) % 1) * 2 ** 32) >>> 0);
}

const START = fractions(8, Math.sqrt);
const ROUNDS = Uint32Array.from(fractions(64, Math.cbrt));

/**
 * Returns the digest of bytes, or of a text in UTF-8, as 64 hexadecimal digits. Takes the same parameters as `hash` of
 * `node:crypto`.
 */
export function hash(algorithm: "sha256", data: string | Uint8Array): string {
  if (algorithm !== "sha256") throw new Error(`the digest ${algorithm} is not available in browsers; use sha256`);
  const blocks = paddedBlocks(typeof data === "string" ? new TextEncoder().encode(data) : data);
  const state = Uint32Array.from(START);
  const schedule = new Uint32Array(64);
  for (let block = 0; block < blocks.byteLength; block += 64) addBlock(state, schedule, blocks, block);
  return Array.from(state, (word) => word.toString(16).padStart(8, "0")).join("");
}

/** Appends a one bit, zeros and the length in bits, so that the result is a multiple of 64 bytes. */
function paddedBlocks(bytes: Uint8Array): DataView {
  const padded = new Uint8Array(64 * Math.ceil((bytes.length + 9) / 64));
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, 8n * BigInt(bytes.length));
  return view;
}

/**
 * Adds a block to the state of the hash (FIPS 180-4, section 6.2.2). Sums are truncated to 32 bits because they are
 * stored in arrays of 32-bit words.
 */
function addBlock(state: Uint32Array, schedule: Uint32Array, blocks: DataView, block: number): void {
  for (let t = 0; t < 16; t += 1) schedule[t] = blocks.getUint32(block + 4 * t);
  for (let t = 16; t < 64; t += 1) {
    const [before, last] = [schedule[t - 15] ?? 0, schedule[t - 2] ?? 0];
    const small0 = turned(before, 7) ^ turned(before, 18) ^ (before >>> 3);
    const small1 = turned(last, 17) ^ turned(last, 19) ^ (last >>> 10);
    schedule[t] = small1 + (schedule[t - 7] ?? 0) + small0 + (schedule[t - 16] ?? 0);
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let t = 0; t < 64; t += 1) {
    const big1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const first = (h + big1 + ((e & f) ^ (~e & g)) + (ROUNDS[t] ?? 0) + (schedule[t] ?? 0)) | 0;
    const big0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
    const second = (big0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] = (state[i] ?? 0) + word;
}

/** Rotates a word to the right by a number of bits. */
function turned(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

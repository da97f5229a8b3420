/**
 * The fields of a form as browsers send it, URL-encoded or in parts (RFC 7578). Read here and not by the platform, whose
 * reader takes minutes for three megabytes of `a&a&…`: this one looks at each byte once, and gives up on too many fields.
 */

/** Fields of one form; no page of ours has as many. */
const MOST_FIELDS = 100;

/** Bytes of the header lines of one part. */
const LONGEST_HEAD = 4096;

/** RFC 2046, 5.1.1. */
const LONGEST_BOUNDARY = 70;

type Fields = ReadonlyMap<string, string>;

/** Fields by name, a file as its text, of several of one name the first; or what is wrong with it. */
export function formFields(body: Buffer, type: string): Fields | { readonly fault: string } {
  const pieces = /^multipart\//i.test(type) ? parts(body, boundaryIn(type)) : pairs(body);
  const fields = new Map<string, string>();
  let count = 0;
  for (const piece of pieces) {
    if (piece === null) return { fault: "is no form" };
    count += 1;
    if (count > MOST_FIELDS) return { fault: `has more than ${MOST_FIELDS} fields` };
    const [name, value] = piece;
    if (!fields.has(name)) fields.set(name, value);
  }
  return fields;
}

type Piece = readonly [name: string, value: string];

const [AND, EQUALS, PLUS, PERCENT, SPACE] = [0x26, 0x3d, 0x2b, 0x25, 0x20];

/** What stands between the ampersands; nothing between two of them is no field. */
function* pairs(body: Buffer): Generator<Piece> {
  for (let at = 0; at < body.length; at += 1) {
    if (body[at] === AND) continue;
    const next = body.indexOf(AND, at);
    const end = next < 0 ? body.length : next;
    const equals = body.subarray(at, end).indexOf(EQUALS);
    const middle = equals < 0 ? end : at + equals;
    yield [decoded(body.subarray(at, middle)), decoded(body.subarray(Math.min(middle + 1, end), end))];
    at = end;
  }
}

/** A percent sign that escapes nothing stands for itself. */
function decoded(bytes: Buffer): string {
  const text = Buffer.alloc(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1, length += 1) {
    const byte = bytes[at] ?? 0;
    const escaped = byte === PERCENT ? 16 * digitOf(bytes[at + 1]) + digitOf(bytes[at + 2]) : Number.NaN;
    if (Number.isNaN(escaped)) text[length] = byte === PLUS ? SPACE : byte;
    else {
      text[length] = escaped;
      at += 2;
    }
  }
  return utf8(text.subarray(0, length));
}

function digitOf(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : Number.NaN;
}

/** Null in place of what is no part. */
function* parts(body: Buffer, boundary: string | null): Generator<Piece | null> {
  if (boundary === null) {
    yield null;
    return;
  }
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const first = delimiter.subarray(2);
  let at = body.subarray(0, first.length).equals(first) ? first.length : -1;
  while (at >= 0) {
    if (body.subarray(at, at + 2).toString("latin1") === "--") return;
    const head = body.subarray(at, at + LONGEST_HEAD).indexOf("\r\n\r\n");
    const from = at + head + 4;
    const end = head < 0 ? -1 : body.indexOf(delimiter, from);
    const name = end < 0 ? null : nameIn(utf8(body.subarray(at, at + head)));
    if (name === null) break;
    yield [name, utf8(body.subarray(from, end))];
    at = end + delimiter.length;
  }
  yield null;
}

function boundaryIn(type: string): string | null {
  const boundary = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(type.slice(0, 1000));
  const text = boundary?.[1] ?? boundary?.[2] ?? "";
  return text === "" || text.length > LONGEST_BOUNDARY ? null : text;
}

/** Browsers write a quotation mark within a name as %22, and no name of ours has a semicolon. */
function nameIn(head: string): string | null {
  const line = head.split("\r\n").find((each) => each.toLowerCase().startsWith("content-disposition:")) ?? "";
  const given = line.split(";").find((each) => each.trim().toLowerCase().startsWith('name="')) ?? "";
  const [, name = null, end] = given.split('"');
  return end === undefined ? null : name;
}

const UTF_8 = new TextDecoder();

function utf8(bytes: Uint8Array): string {
  return UTF_8.decode(bytes);
}

/** Registrations as people and programs send them, and what is said of those that cannot be taken. */

interface Kept {
  readonly name: string;
  readonly email: string;
  readonly description: string | null;
}

const NAME = "Ada Lovelace";
const EMAIL = "ada@example.org";
const good = { name: NAME, email: EMAIL };
const kept = { ...good, description: null };

export const REGISTRATIONS: readonly { name: string; body: unknown; kept: Kept }[] = [
  { name: "the least there can be", body: good, kept },
  { name: "null for the use", body: { ...good, description: null }, kept },
  {
    name: "a use in several lines",
    body: { ...good, description: "one\r\n\ttwo" },
    kept: { ...kept, description: "one\r\n\ttwo" },
  },
  { name: "an empty use", body: { ...good, description: " " }, kept },
  { name: "unknown members", body: { ...good, key: "mine", id: 7, admin: true }, kept },
  { name: "white space around", body: { name: ` ${NAME}\n`, email: ` ${EMAIL} ` }, kept },
  {
    name: "other scripts",
    body: { name: "山田 太郎 👩‍🔬", email: "jörg@bücher.example" },
    kept: { name: "山田 太郎 👩‍🔬", email: "jörg@bücher.example", description: null },
  },
  {
    name: "SQL",
    body: { name: "x'); drop table api_key; --", email: "o'hara@example.org" },
    kept: { name: "x'); drop table api_key; --", email: "o'hara@example.org", description: null },
  },
  {
    name: "200 characters outside the first plane",
    body: { ...good, name: "𝒜".repeat(200) },
    kept: { ...kept, name: "𝒜".repeat(200) },
  },
  { name: "an address of 254", body: { ...good, email: longEmail(254) }, kept: { ...kept, email: longEmail(254) } },
  {
    name: "a use of 2,000",
    body: { ...good, description: "d".repeat(2000) },
    kept: { ...kept, description: "d".repeat(2000) },
  },
];

/** An address of so many characters, each label of its domain as long as it may be. */
function longEmail(length: number): string {
  const local = "l".repeat(64);
  const domain = `${"a".repeat(63)}.${"b".repeat(63)}.`;
  return `${local}@${domain}${"c".repeat(length - local.length - domain.length - 1)}`;
}

interface FieldError {
  readonly path: string;
  readonly message: string;
}

const CONTROL = "must not contain control characters";
const SHAPE = "must be an e-mail address such as name@example.org";
const wrong = (path: string, message: string): FieldError[] => [{ path, message }];

export const MALFORMED_REGISTRATIONS: readonly { name: string; body: unknown; errors: readonly FieldError[] }[] = [
  { name: "nothing", body: {}, errors: [...wrong("name", "must be text"), ...wrong("email", "must be text")] },
  {
    name: "everything wrong",
    body: { name: 7, email: "nobody", description: ["x"] },
    errors: [...wrong("name", "must be text"), ...wrong("email", SHAPE), ...wrong("description", "must be text")],
  },
  ...[null, [], "text", 7].map((body) => ({
    name: `the body ${JSON.stringify(body)}`,
    body,
    errors: wrong("", "must be a JSON object"),
  })),
  { name: "an empty name", body: { ...good, name: "" }, errors: wrong("name", "must not be empty") },
  { name: "a blank name", body: { ...good, name: " \t " }, errors: wrong("name", "must not be empty") },
  {
    name: "a name of 201",
    body: { ...good, name: "n".repeat(201) },
    errors: wrong("name", "must have at most 200 characters"),
  },
  {
    name: "a use of 2,001",
    body: { ...good, description: "d".repeat(2001) },
    errors: wrong("description", "must have at most 2000 characters"),
  },
  {
    name: "an address of 255",
    body: { ...good, email: longEmail(255) },
    errors: wrong("email", "must have at most 254 characters"),
  },
  ...["a\u0000b", "a\u001b[2Jb", "a\nb", "a\u009bb", "a\u202eb", "a\u2066b", "a\ud800b"].map((name) => ({
    name: `the name ${JSON.stringify(name)}`,
    body: { ...good, name },
    errors: wrong("name", CONTROL),
  })),
  { name: "NUL in a use", body: { ...good, description: "a\u0000b" }, errors: wrong("description", CONTROL) },
  ...[
    "ada",
    "@example.org",
    "ada@",
    "ada@example",
    "ada@@example.org",
    "a b@example.org",
    "ada@-x.org",
    "ada@x..org",
    "ada@example.org>",
    "<ada@example.org",
    `${"l".repeat(65)}@example.org`,
  ].map((email) => ({ name: `the address ${email}`, body: { ...good, email }, errors: wrong("email", SHAPE) })),
];

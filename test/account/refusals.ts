/** Bodies that are refused under /account, and every field at fault; what is sent in their place is taken. */

export interface Refused {
  readonly name: string;
  readonly path: string;
  readonly body: unknown;
  readonly errors: readonly string[];
}

const SLUG = "must have letters, digits and the characters . _ ~ - only";
const CONTROL = "must not contain control characters";

const BY_SLUG = [
  { path: "/account/profile-claims", rest: {} },
  { path: "/account/visibility-requests", rest: { requestType: "opt_out" } },
  { path: "/account/saved-authors", rest: {} },
] as const;

const slugs: Refused[] = BY_SLUG.flatMap(({ path, rest }) => [
  { name: "no slug", path, body: rest, errors: ["authorSlug: must be text"] },
  { name: "an empty slug", path, body: { ...rest, authorSlug: "" }, errors: ["authorSlug: must not be empty"] },
  {
    name: "a slug of 161",
    path,
    body: { ...rest, authorSlug: "a".repeat(161) },
    errors: ["authorSlug: must have at most 160 characters"],
  },
  { name: "a slug in a list", path, body: { ...rest, authorSlug: ["a"] }, errors: ["authorSlug: must be text"] },
  ...["jane doe", "jane/doe", "jane%2ddoe", "jane\u0000doe", "jane'doe", "jane-doe\n"].map((authorSlug) => ({
    name: `the slug ${JSON.stringify(authorSlug)}`,
    path,
    body: { ...rest, authorSlug },
    errors: [`authorSlug: ${SLUG}`],
  })),
]);

const NOTED = [
  { path: "/account/saved-records", rest: { recordId: "r0" } },
  { path: "/account/saved-authors", rest: { authorSlug: "a" } },
] as const;

const notes: Refused[] = NOTED.flatMap(({ path, rest }) => [
  {
    name: "a note of 501",
    path,
    body: { ...rest, note: "n".repeat(501) },
    errors: ["note: must have at most 500 characters"],
  },
  { name: "a note that is no text", path, body: { ...rest, note: 7 }, errors: ["note: must be text"] },
  ...["a\u0000b", "a\u001b[2Jb", "a\u202eb", "a\ud800b"].map((note) => ({
    name: `the note ${JSON.stringify(note)}`,
    path,
    body: { ...rest, note },
    errors: [`note: ${CONTROL}`],
  })),
]);

const IDENTIFIED = ["/account/dataset-submissions", "/account/measurements"] as const;

const identifiers: Refused[] = IDENTIFIED.flatMap((path) => [
  { name: "no identifier", path, body: {}, errors: ["identifier: must be text"] },
  { name: "an empty identifier", path, body: { identifier: " " }, errors: ["identifier: must not be empty"] },
  {
    name: "an identifier of 2,049",
    path,
    body: { identifier: `10.5072/${"x".repeat(2041)}` },
    errors: ["identifier: must have at most 2048 characters"],
  },
  {
    name: "everything wrong",
    path,
    body: { identifier: 7, rubricVersion: "3.0" },
    errors: ["identifier: must be text", "rubricVersion: must be one of 2.0, 1.0, 1.0.0, 2.0.0-beta.1, 2.0.0-beta.2"],
  },
]);

const POSTED = [
  "/account/profile-claims",
  "/account/visibility-requests",
  "/account/saved-records",
  "/account/saved-authors",
  ...IDENTIFIED,
] as const;

const shapes: Refused[] = POSTED.flatMap((path) =>
  [null, [], "text", 7].map((body) => ({
    name: `the body ${JSON.stringify(body)}`,
    path,
    body: JSON.stringify(body),
    errors: [": must be a JSON object"],
  })),
);

export const REFUSED: readonly Refused[] = [
  ...shapes,
  ...slugs,
  ...notes,
  ...identifiers,
  {
    name: "another type",
    path: "/account/visibility-requests",
    body: { authorSlug: "a", requestType: "opt-out" },
    errors: ["requestType: must be one of opt_out, opt_in"],
  },
  {
    name: "everything wrong",
    path: "/account/visibility-requests",
    body: { authorSlug: "ä", requestType: 1, reason: "r".repeat(501) },
    errors: [
      `authorSlug: ${SLUG}`,
      "requestType: must be one of opt_out, opt_in",
      "reason: must have at most 500 characters",
    ],
  },
  {
    name: "no record",
    path: "/account/saved-records",
    body: { note: "x" },
    errors: ["recordId: must be text"],
  },
  {
    name: "an empty record",
    path: "/account/saved-records",
    body: { recordId: "" },
    errors: ["recordId: must not be empty"],
  },
  {
    name: "a record of 161",
    path: "/account/saved-records",
    body: { recordId: "r".repeat(161) },
    errors: ["recordId: must have at most 160 characters"],
  },
];

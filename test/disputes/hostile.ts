/** Disputes that are refused, each with the fields at fault and nothing else. */

import { DISPUTED } from "./world.ts";

/** One that is taken: of S1, which the release has as absent. */
export const GOOD = {
  recordId: DISPUTED,
  signal: "S1",
  says: "present",
  evidenceUrl: "https://example.org/a?b=c#d",
  evidence: "The landing page\nlists three keywords.",
} as const;

const CONTROL = "must not contain control characters";
const ADDRESS = "must be an address such as https://example.org/page";
const long = (length: number) => "e".repeat(length);

export interface Refusal {
  readonly name: string;
  readonly body: object;
  readonly errors: readonly string[];
}

const address = (evidenceUrl: unknown, error = ADDRESS): Refusal => ({
  name: `the address ${JSON.stringify(evidenceUrl).slice(0, 40)}`,
  body: { ...GOOD, evidenceUrl },
  errors: [`evidenceUrl: ${error}`],
});

export const REFUSALS: readonly Refusal[] = [
  {
    name: "nothing",
    body: {},
    errors: ["recordId: must be text", "signal: must be text", "says: must be one of present, absent, unknown"],
  },
  {
    name: "no evidence",
    body: { recordId: DISPUTED, signal: "S1", says: "present" },
    errors: ["evidence: must be given, or evidenceUrl"],
  },
  ...["", "S0", "S6", "X1", "s1", "S1\n", "S1 ", "S11"].map((signal) => ({
    name: `the signal ${JSON.stringify(signal)}`,
    body: { ...GOOD, signal },
    errors: ["signal: must be the id of a signal, such as S1"],
  })),
  ...["passed", "", null, 1].map((says) => ({
    name: `saying ${JSON.stringify(says)}`,
    body: { ...GOOD, says },
    errors: ["says: must be one of present, absent, unknown"],
  })),
  {
    name: "what the release says",
    body: { ...GOOD, says: "absent" },
    errors: ["says: is what the active release says: S1 is absent"],
  },
  { name: "another role", body: { ...GOOD, role: "moderator" }, errors: ["role: must be one of creator, repository"] },
  {
    name: "a repository that cannot be checked",
    body: { ...GOOD, role: "repository", statement: "  " },
    errors: ["statement: must say how it can be checked that you speak for the repository"],
  },
  { name: "an empty record", body: { ...GOOD, recordId: "" }, errors: ["recordId: must not be empty"] },
  {
    name: "a long record",
    body: { ...GOOD, recordId: long(161) },
    errors: ["recordId: must have at most 160 characters"],
  },
  {
    name: "another version",
    body: { ...GOOD, rubricVersion: "3.0" },
    errors: ["rubricVersion: must be one of 2.0, 1.0, 1.0.0, 2.0.0-beta.1, 2.0.0-beta.2"],
  },
  {
    name: "evidence of 2,001",
    body: { ...GOOD, evidence: long(2001) },
    errors: ["evidence: must have at most 2000 characters"],
  },
  {
    name: "a statement of 501",
    body: { ...GOOD, statement: long(501) },
    errors: ["statement: must have at most 500 characters"],
  },
  ...["a\u0000b", "a\u001b[2Jb", "a\u202eb", "a\ud800b"].map((evidence) => ({
    name: `the evidence ${JSON.stringify(evidence)}`,
    body: { ...GOOD, evidence },
    errors: [`evidence: ${CONTROL}`],
  })),
  ...[
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,x",
    "ftp://example.org/x",
    "file:///etc/passwd",
    "//example.org/x",
    "https:account/x",
    "http:x",
    "https:/account/x",
    "https:\\\\example.org/x",
    "/records/r1",
    "example.org",
    "https://",
    "https://trusted.example@evil.example/",
    "https://user:secret@example.org/",
    "https://example.org/a b",
  ].map((text) => address(text)),
  address("", "must not be empty"),
  address(7, "must be text"),
  address(`https://example.org/${long(2030)}`, "must have at most 2048 characters"),
  address("https://example.org/\u0000", CONTROL),
];

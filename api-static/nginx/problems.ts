/** Refusals by nginx itself, said as the server says them: problem documents (RFC 9457). */

import { PROBLEMS, type ProblemType, problemOf } from "../../schemas/public/problem.ts";
import { SANDBOX, SHARED_HEADERS } from "../routes/headers.ts";
import { IS_BADGE, refusedBadgeVariable } from "./badges.ts";

interface Refusal {
  readonly name: string;
  readonly type: ProblemType;
  /** Statuses of nginx; 494 is its own, for headers that are too large, and 497 for plain HTTP where TLS is spoken. */
  readonly statuses: readonly number[];
  readonly detail: string;
  readonly headers?: Readonly<Partial<Record<(typeof OWN_HEADERS)[number], string>>>;
}

const REFUSALS: readonly Refusal[] = [
  {
    name: "invalid",
    type: "invalid-request",
    statuses: [400, 497],
    detail: "What arrived is no HTTP request this service can read: its address, headers or framing are malformed.",
  },
  {
    name: "method",
    type: "method-not-allowed",
    statuses: [405],
    detail: "This service answers no such method.",
    headers: { Allow: "GET, HEAD, OPTIONS" },
  },
  {
    name: "body",
    type: "body-too-large",
    statuses: [413],
    detail: "A body may have 64 KiB.",
  },
  {
    name: "head",
    type: "headers-too-large",
    statuses: [414, 494],
    detail: "The address and the headers of a request may have 16 KiB.",
  },
  {
    name: "rate",
    type: "rate-limited",
    statuses: [429],
    detail: "Too many requests from this address at once; wait a moment.",
    headers: { "Retry-After": "1" },
  },
  {
    name: "failed",
    type: "internal",
    statuses: [500],
    detail: "Something failed.",
  },
  {
    name: "away",
    type: "unavailable",
    statuses: [502, 503, 504],
    detail: "The server does not answer right now; ask again in a few seconds.",
    headers: { "Retry-After": "5" },
  },
];

/** Below it lie the same refusals as badges. */
const AS_BADGES = "badge/";

/** Internal addresses, not named locations: what nginx refuses before it has read a path cannot get to those. */
const FOLDER = "/.refused/";

/** Headers that only some refusals have. */
const OWN_HEADERS = ["Allow", "Retry-After"] as const;

function variableOf(name: string): string {
  return `$share_${name.toLowerCase().replaceAll("-", "_")}`;
}

/** The path asked for, where it can stand in JSON as it is; and the headers that only some refusals have. */
export function problemMaps(): string {
  const headers = OWN_HEADERS.map((name) => {
    const entries = REFUSALS.flatMap(({ type, headers: added = {} }) => {
      const value = added[name];
      return value === undefined ? [] : [`    ${PROBLEMS[type].status} "${value}";\n`];
    });
    return `map $status ${variableOf(name)} {\n${entries.join("")}    default "";\n}\n`;
  });
  return [INSTANCE_MAP, FORM_MAP, ...headers].join("\n");
}

const FORM_MAP = `map ${IS_BADGE} $share_refusal_form {
    1 ${AS_BADGES};
    default "";
}
`;

const INSTANCE_MAP = `map $request_uri $share_instance {
    "~^(?<share_path>/[A-Za-z0-9/._~%!&'()*+,;=:@-]*)(?:[?]|$)" $share_path;
    default /;
}
`;

/** Where nginx's own errors go. A context that names any of its own has to name these too: it inherits none. */
export function errorPages(): string[] {
  return REFUSALS.map(({ name, type, statuses }) => {
    const { status } = PROBLEMS[type];
    const change = statuses.length === 1 && statuses[0] === status ? "" : ` =${status}`;
    return `error_page ${statuses.join(" ")}${change} ${FOLDER}\${share_refusal_form}${name};`;
  });
}

/** The shared headers, on answers of every status. A context with header lines of its own inherits none. */
export function sharedHeaders(): string[] {
  return Object.entries(SHARED_HEADERS).map(([name, value]) => `add_header ${name} "${value}" always;`);
}

/** The document as a string of nginx, which puts the path into it. */
function bodyOf(type: ProblemType, detail: string): string {
  const document = JSON.stringify(problemOf(type, detail, "$share_instance"));
  return `'${document.replaceAll("'", "\\'")}\\n'`;
}

/** The answers. Who asks for one by its address is told by the server that there is nothing. */
export function problemLocations(further: readonly string[]): string[] {
  return [
    ...locations(FOLDER, ["default_type application/problem+json;", ...further], ({ type, detail }) =>
      bodyOf(type, detail),
    ),
    "",
    ...locations(
      `${FOLDER}${AS_BADGES}`,
      [
        "default_type image/svg+xml;",
        "charset utf-8;",
        "charset_types image/svg+xml;",
        `add_header Content-Security-Policy "${SANDBOX}" always;`,
        ...further,
      ],
      ({ type }) => `"${refusedBadgeVariable(type)}"`,
    ),
  ];
}

function locations(folder: string, form: readonly string[], bodyFor: (refusal: Refusal) => string): string[] {
  return [
    `location ${folder} {`,
    "    internal;",
    "    error_page 404 = @share_server;",
    ...form.map((line) => `    ${line}`),
    ...sharedHeaders().map((line) => `    ${line}`),
    '    add_header Cache-Control "no-store" always;',
    ...OWN_HEADERS.map((name) => `    add_header ${name} ${variableOf(name)} always;`),
    ...REFUSALS.flatMap((refusal) => [
      "",
      `    location = ${folder}${refusal.name} {`,
      "        internal;",
      `        return ${PROBLEMS[refusal.type].status} ${bodyFor(refusal)};`,
      "    }",
    ]),
    "}",
  ];
}

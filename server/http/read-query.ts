/** The query of a request: parameters that its address knows, each once, as the values the route's schema gives. */

import type { z } from "zod";
import type { Route } from "../../api-static/routes/route.ts";
import { doiIn } from "../../pipeline/identifiers/parse.ts";
import { nearest, orcidOf } from "../../pipeline/reading/identifiers.ts";
import { MOST_NAMED } from "../../schemas/public/api/queries.ts";
import { rowMembers } from "../../schemas/public/api/record.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { ProblemError } from "./answer.ts";
import { unknownParameters } from "./unknown-parameters.ts";

type Fault = { readonly path: string; readonly message: string };

/**
 * Reads the text after `?` by the schema of the route (decisions.md, "Requests").
 * @throws ProblemError `invalid-parameter`, or `unsupported-rubric`, naming every parameter at fault
 */
export function readQuery<Query extends z.ZodObject>(
  route: Pick<Route, "html" | "contentType" | "list" | "answer"> & { readonly query: Query },
  text: string,
): z.infer<Query> {
  const { query } = route;
  if (text === "") {
    // Most requests have none, and most addresses need none.
    const bare = query.safeParse({});
    if (bare.success) return bare.data;
  }
  const known = Object.keys(query.shape);
  const all = [...new URLSearchParams(text)];
  const given = all.filter(([name]) => known.includes(name));
  const values = new Map(given);
  const repeated = [...values.keys()].filter((name) => given.filter(([other]) => other === name).length > 1);
  const parsed = query.safeParse({
    ...impliedBy(values),
    ...Object.fromEntries([...values].map(([name, value]) => [name, spelled(name, value)])),
  });
  const faults = [
    ...repeated.map((path) => ({ path, message: "is given more than once" })),
    ...(parsed.error?.issues.map(faultOf) ?? []),
    ...misspelled(values),
    ...listFaults(route, values),
    ...(isOpen(query) ? [] : unknownParameters(new Set(all.map(([name]) => name)), route)),
  ];
  if (parsed.success && faults.length === 0) return parsed.data;
  throw refusal(faults);
}

/** Whether an address takes parameters that only somebody else knows. */
function isOpen({ def }: z.ZodObject): boolean {
  return def.catchall !== undefined;
}

/** Rows that are named one by one are all wanted. */
function impliedBy(values: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  return values.has("ids") ? { limit: String(MOST_NAMED) } : {};
}

/** In the one spelling, where there is one. */
function spelled(name: string, value: string): string {
  return SPELLINGS[name]?.read(value) ?? value;
}

function misspelled(values: ReadonlyMap<string, string>): Fault[] {
  return Object.entries(SPELLINGS).flatMap(([path, { read, wanted }]) => {
    const value = values.get(path);
    return value === undefined || read(value) !== null ? [] : [{ path, message: wanted }];
  });
}

function faultOf({ path, message }: z.core.$ZodIssue): Fault {
  const name = String(path[0] ?? "");
  return { path: name, message: name === "rubric" ? `must be one of ${PUBLIC_VERSIONS.join(", ")}` : message };
}

function refusal(errors: readonly Fault[]): ProblemError {
  const names = [...new Set(errors.map(({ path }) => path))].join(", ");
  // An unknown version has a type of its own, whatever else is wrong with the request (interface.md, "Errors").
  const rubric = errors.find(({ path, message }) => path === "rubric" && message.startsWith("must"));
  return rubric === undefined
    ? new ProblemError(
        "invalid-parameter",
        `These parameters are unknown, malformed, out of range or repeated: ${names}.`,
        {
          errors: [...errors],
        },
      )
    : new ProblemError("unsupported-rubric", `The public SHARE versions are ${PUBLIC_VERSIONS.join(" and ")}.`, {
        errors: [...errors],
      });
}

/** Whether a route's request asks for a page as it was rendered: exactly one of its query strings. */
export function isCanonical(route: Route, text: string): boolean {
  return route.pages.some(({ query }) => query === text);
}

interface ListFault {
  readonly path: string;
  readonly message: string;
}

/** Longer names are cut where they are shown. */
const LONGEST_SHOWN = 60;

/** Fields that are shown at once. */
const MOST_SHOWN = 20;

/** `values`: known parameters as they were given. Empty for what is no list with cursors and fields. */
function listFaults(
  { list, answer }: Pick<Route, "list" | "answer">,
  values: ReadonlyMap<string, string>,
): readonly ListFault[] {
  if (!list) return [];
  const twoPlaces = values.has("cursor") && values.has("page");
  const fields = values.get("fields");
  return [
    ...(twoPlaces ? [{ path: "page", message: "cannot be given beside cursor, which says where to go on" }] : []),
    ...(fields === undefined ? [] : unknownFields(answer, fields.split(","))),
  ];
}

function unknownFields(answer: Route["answer"], asked: readonly string[]): ListFault[] {
  if (asked.length > MOST_NAMED) return [{ path: "fields", message: `must name at most ${MOST_NAMED} fields` }];
  const known = rowMembers(answer).map(({ path }) => path);
  const unknown = [...new Set(asked)].filter((name) => !known.includes(name));
  return unknown.slice(0, MOST_SHOWN).map((name) => {
    const shown = name.slice(0, LONGEST_SHOWN);
    const meant = nearest(shown, known);
    return { path: "fields", message: `${JSON.stringify(shown)} is no field of these rows; the nearest is ${meant}` };
  });
}

interface Spelling {
  /** The one spelling; null for what is none. */
  readonly read: (text: string) => string | null;
  readonly wanted: string;
}

/** Spellings by the name of the parameter, the same at every address. */
const SPELLINGS: Readonly<Record<string, Spelling>> = {
  doi: { read: (text) => doiIn(text.trim()), wanted: "must be a DOI such as 10.5072/example, or its address" },
  orcid: {
    read: orcidOf,
    wanted: "must be an ORCID iD such as 0000-0002-1825-0097, or its address; its last character is a check digit",
  },
};

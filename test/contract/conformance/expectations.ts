/** Expectations of responses. An expectation is small and has a text, and a statement combines several of them. */

import type { Reply } from "../../server/ask.ts";
import type { Expectation, Fault, PlainExpectation } from "./statement.ts";
import { at, exactly, type Kind, listAt, numberAt, parseJson, shown, textAt } from "./values.ts";

export function status(...wanted: readonly number[]): PlainExpectation {
  const fault = ({ status: seen, text }: Reply) =>
    wanted.includes(seen) ? null : `status ${seen}: ${text.slice(0, 300)}`;
  return { text: wanted.join(" or "), fault };
}

export const OK = status(200);

/** Expects a header of the response to match, or to be absent if `wanted` is null. */
export function header(name: string, wanted: RegExp | string | null): PlainExpectation {
  const fault = ({ headers }: Reply): Fault => {
    const value = headers[name.toLowerCase()]?.toString() ?? null;
    const right = wanted instanceof RegExp ? value !== null && wanted.test(value) : value === wanted;
    return right ? null : `${name} is ${shown(value)}`;
  };
  const text = wanted === null ? `no ${name}` : `${name}: ${wanted instanceof RegExp ? wanted.source : wanted}`;
  return { text, fault };
}

/** Expects a value of the wanted kind at a path of the JSON body, such as `pagination.total`. */
export function field(path: string, wanted: Kind): Expectation {
  const fault = ({ text }: Reply) => {
    const value = at(parseJson(text), path);
    return wanted.is(value) ? null : `${path} is ${shown(value)}`;
  };
  return { text: `${path === "" ? "the body" : path} is ${wanted.name}`, fault };
}

/** Expects a value of the wanted kind at a path in every element of a list. The list must not be empty. */
export function every(list: string, path: string, wanted: Kind): Expectation {
  const fault = ({ text }: Reply) => {
    const rows = listAt(parseJson(text), list);
    if (rows.length === 0) return `${list} is empty`;
    const wrong = rows.find((entry) => !wanted.is(at(entry, path)));
    return wrong === undefined ? null : `${path} is ${shown(at(wrong, path))} in ${shown(wrong)}`;
  };
  return { text: `every ${path === "" ? "entry" : path} of ${list || "the list"} is ${wanted.name}`, fault };
}

/**
 * Expects exactly these fields in any order: in every element of a list, or in the object at the path. `names` is a list, or a
 * text with spaces between the names.
 */
export function members(path: string, names: string | readonly string[]): Expectation {
  const listed = typeof names === "string" ? names.split(" ") : names;
  const fault = ({ text }: Reply) => {
    const value = at(parseJson(text), path);
    const objects = Array.isArray(value) ? value : [value];
    const seen = objects.map((entry) => Object.keys(Object(entry)).sort().join(" "));
    const wanted = listed.toSorted().join(" ");
    if (seen.length === 0) return `${path} is empty`;
    const wrong = seen.find((keys) => keys !== wanted);
    return wrong === undefined ? null : `members are ${wrong}, expected ${wanted}`;
  };
  return { text: `${path || "the body"} has the members ${listed.join(", ")}, always`, fault };
}

/** Expects of the JSON body what `text` describes. `fault` returns the difference, or null if the body is as expected. */
export function json(text: string, fault: (body: unknown, reply: Reply) => Fault): Expectation {
  return { text, fault: (reply) => fault(parseJson(reply.text), reply) };
}

/** Expects at least one row, but fewer rows than the response at another path has. */
export function expectSome(whole: string): Expectation {
  return {
    text: `some, but not all, of ${whole}`,
    async fault({ text }, ask) {
      const all = numberAt(parseJson((await ask(whole)).text), "pagination.total");
      const total = numberAt(parseJson(text), "pagination.total");
      return total > 0 && total < all ? null : `total is ${total} of ${all}`;
    },
  };
}

export const NOTHING: Expectation = {
  text: "an empty list of total 0",
  fault: ({ text }) => {
    const [total, rows] = [numberAt(parseJson(text), "pagination.total"), listAt(parseJson(text), "data")];
    return total === 0 && rows.length === 0 ? null : `total is ${total}, ${rows.length} rows`;
  },
};

/** Expects the response to have the same status and bytes as the response at another path. */
export function sameAs(path: string): Expectation {
  return {
    text: `the same answer as ${path}`,
    async fault(reply, ask) {
      const other = await ask(path);
      const same = other.status === reply.status && other.body.equals(reply.body);
      return same
        ? null
        : `${reply.status} ${reply.text.slice(0, 150)} against ${other.status} ${other.text.slice(0, 150)}`;
    },
  };
}

export function unlike(path: string): Expectation {
  return {
    text: `another answer than ${path}`,
    fault: async (reply, ask) => ((await ask(path)).body.equals(reply.body) ? "both are the same" : null),
  };
}

const PROBLEM = { type: /^\/problems\/[a-z0-9-]+$/, media: "application/problem+json" } as const;

/**
 * Expects a problem document (RFC 9457) with this status and type. `named` are exactly the parameters or fields that it must
 * name. An entry such as "note: must be text" also requires the message.
 */
export function rejected(wanted: number, type: string, ...named: readonly string[]): Expectation {
  const naming = named.length === 0 ? "" : `, naming ${named.join(", ")}`;
  return {
    text: `${wanted} ${type}${naming}`,
    async fault(reply, ask) {
      const wrong = problemFault(reply) ?? fieldFault(reply, { status: wanted, type: `/problems/${type}` });
      if (wrong !== null) return `${wrong}; ${reply.status} ${reply.text.slice(0, 300)}`;
      const errors = listAt(parseJson(reply.text), "errors").map((error) => ({
        path: textAt(error, "path"),
        whole: `${textAt(error, "path")}: ${textAt(error, "message")}`,
      }));
      const seen = [...new Set(errors.map(({ path, whole }) => (named.includes(whole) ? whole : path)))];
      if (seen.toSorted().join() !== named.toSorted().join()) return `names ${shown(errors)}`;
      const page = await ask(textAt(parseJson(reply.text), "type"));
      return page.status === 200 ? null : `its type answers ${page.status}`;
    },
  };
}

function fieldFault(reply: Reply, wanted: Readonly<Record<string, unknown>>): Fault {
  const body = parseJson(reply.text);
  const wrong = Object.entries(wanted).find(([name, value]) => !exactly(value).is(at(body, name)));
  return wrong === undefined ? null : `${wrong[0]} is ${shown(at(body, wrong[0]))}`;
}

/** Returns the reason why an error response is not a valid problem document (RFC 9457); null if it is valid. */
export function problemFault(reply: Reply): Fault {
  const body = parseJson(reply.text);
  const media = reply.headers["content-type"] ?? "";
  if (media.split(";")[0] !== PROBLEM.media) return `content-type is ${media}`;
  if (at(body, "status") !== reply.status) return `status member ${shown(at(body, "status"))} under ${reply.status}`;
  if (!PROBLEM.type.test(textAt(body, "type"))) return `type is ${shown(at(body, "type"))}`;
  for (const name of ["title", "detail", "instance"]) if (textAt(body, name) === "") return `${name} is not given`;
  const cache = reply.headers["cache-control"] ?? "";
  const right = reply.status === 404 ? /no-store|max-age=([0-9]|[1-5][0-9]|60)$/.test(cache) : cache === "no-store";
  if (!right) return `a ${reply.status} says cache-control: ${cache}`;
  return leakIn(`${textAt(body, "title")} ${textAt(body, "detail")} ${shown(at(body, "errors"))}`);
}

/**
 * Returns a stack, SQL, path or secret in a response, which no response may have (decisions.md, "Errors"). `instance` repeats
 * the request, so it is not checked.
 */
function leakIn(text: string): Fault {
  const leak = /\/tmp\/|node_modules|\.ts:\d|\bat \w+ \(|\bselect .* from\b|\.parquet|ENOENT|duckdb|sqlite/i.exec(text);
  return leak === null ? null : `the rejection says ${shown(leak[0])}`;
}

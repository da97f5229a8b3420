/** Bodies that are no JSON: the fields of a form, as browsers send them, and documents, whose bytes are left as they are. */

import type { FastifyInstance } from "fastify";
import type { BodyKind } from "../../../api-static/routes/route.ts";
import { malformedBody } from "./read-body.ts";

/** Content types of each kind; JSON is read by the framework. */
const TYPES: Readonly<Record<Exclude<BodyKind, "json">, readonly string[]>> = {
  form: ["application/x-www-form-urlencoded", "multipart/form-data"],
  document: ["application/json", "application/xml", "text/xml", "text/plain", "application/octet-stream"],
};

/** Fields of one form; no page of ours has as many. */
const MOST_FIELDS = 100;

/** The same room of the server, whose routes take bodies of the kind and no other. */
export function readBodies(room: FastifyInstance, kind: BodyKind): FastifyInstance {
  if (kind === "json") return room;
  room.removeAllContentTypeParsers();
  room.addContentTypeParser([...TYPES[kind]], { parseAs: "buffer" }, async ({ headers }: Typed, body: Buffer) =>
    kind === "form" ? fieldsIn(body, headers["content-type"] ?? "") : body,
  );
  return room;
}

interface Typed {
  readonly headers: { readonly "content-type"?: string | undefined };
}

/**
 * Fields by name, a file as its text; of several of one name the first.
 * @throws ProblemError `invalid-body`
 */
async function fieldsIn(body: Buffer, type: string): Promise<Readonly<Record<string, string>>> {
  // The platform's own reader of forms (RFC 7578).
  const form = await new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData().catch(() => {
    throw malformedBody([{ path: "", message: "is no form" }]);
  });
  const fields = new Map<string, string>();
  for (const [name, value] of form) {
    if (fields.size >= MOST_FIELDS) throw malformedBody([{ path: "", message: `has more than ${MOST_FIELDS} fields` }]);
    if (!fields.has(name)) fields.set(name, typeof value === "string" ? value : await value.text());
  }
  return Object.fromEntries(fields);
}

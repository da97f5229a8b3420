/** Bodies that are no JSON: the fields of a form, as browsers send them, and documents, whose bytes are left as they are. */

import type { FastifyInstance } from "fastify";
import type { BodyKind } from "../../../api-static/routes/route.ts";
import { formFields } from "./form-fields.ts";
import { malformedBody } from "./read-body.ts";

/** Content types of each kind; JSON is read by the framework. */
const TYPES: Readonly<Record<Exclude<BodyKind, "json">, readonly string[]>> = {
  form: ["application/x-www-form-urlencoded", "multipart/form-data"],
  document: ["application/json", "application/xml", "text/xml", "text/plain", "application/octet-stream"],
};

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

/** @throws ProblemError `invalid-body` */
function fieldsIn(body: Buffer, type: string): Readonly<Record<string, string>> {
  const fields = formFields(body, type);
  if ("fault" in fields) throw malformedBody([{ path: "", message: fields.fault }]);
  return Object.fromEntries(fields);
}

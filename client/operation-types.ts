/** The input and output types of operations, from the types of the OpenAPI document. */

import type { operations } from "./described.ts";
import type { OPERATIONS } from "./operations.ts";

export type OperationName = keyof typeof OPERATIONS;

type Parameters<Name extends OperationName, Where extends "path" | "query"> =
  NonNullable<operations[Name]["parameters"][Where]> extends infer Found
    ? [Found] extends [never]
      ? unknown
      : Found
    : never;

type Body<Name extends OperationName> = operations[Name] extends { requestBody: { content: infer Content } }
  ? { body: Content[keyof Content] }
  : unknown;

/** The input of an operation: its path and query parameters by name, and its request body as `body`. */
export type GivenTo<Name extends OperationName> = Parameters<Name, "path"> & Parameters<Name, "query"> & Body<Name>;

type Successful<Responses> = {
  [Status in keyof Responses & (200 | 201 | 202)]: Responses[Status] extends { content: infer Content }
    ? Content
    : never;
}[keyof Responses & (200 | 201 | 202)];

type Read<Name extends OperationName, Content> = (typeof OPERATIONS)[Name][2] extends "json"
  ? Content extends { "application/json": infer Answer }
    ? Answer
    : never
  : (typeof OPERATIONS)[Name][2] extends "text"
    ? string
    : Uint8Array;

/** The type of a successful response: an object for JSON, otherwise a text or the bytes of a file. */
export type AnswerOf<Name extends OperationName> = Read<Name, Successful<operations[Name]["responses"]>>;

/** The client: a function for every operation of the API, typed by the OpenAPI document. */

import createClient, { type Client } from "openapi-fetch";
import type { paths } from "./described.ts";
import { eachRow, type ListedPage, type ListPosition, rowsIn } from "./each-row.ts";
import type { AnswerOf, GivenTo, OperationName } from "./operation-types.ts";
import { type Form, OPERATIONS } from "./operations.ts";
import { KEY_HEADER, problemIn, readRetryAfter, type Send, type SendingOptions, sending } from "./sending.ts";

export interface ClientOptions extends SendingOptions {
  /** Base URL of the service, such as `https://share.example.org`. */
  readonly baseUrl: string;
  /** An API key, which raises the rate limits. `register` returns one. */
  readonly apiKey?: string;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The arguments of an operation. If all fields of the input are optional, the input can be left out. */
type InputArguments<Name extends OperationName> =
  Record<never, never> extends GivenTo<Name>
    ? [given?: GivenTo<Name>, options?: CallOptions]
    : [given: GivenTo<Name>, options?: CallOptions];

type Operations = { readonly [Name in OperationName]: (...given: InputArguments<Name>) => Promise<AnswerOf<Name>> };

/** Names of the operations that return a page of a list. */
export type ListName = {
  [Name in OperationName]: AnswerOf<Name> extends ListedPage<unknown> ? Name : never;
}[OperationName];

/** Names of the lists of a release, which are the only lists that can be streamed. */
export type StreamName = Extract<ListName, "records" | "authors" | "institutions" | "geography" | "releaseChanges">;

type RowOf<Name extends ListName> = AnswerOf<Name> extends ListedPage<infer Row> ? Row : never;

export interface ShareClient extends Operations {
  /**
   * Yields all rows of a list, a hundred for each request. Starts at `page` if given.
   *
   * @throws ReleaseChanged if another release is activated meanwhile; Problem if a request is rejected
   */
  each<Name extends ListName>(
    list: Name,
    given?: Omit<GivenTo<Name>, "limit" | "cursor">,
    options?: CallOptions,
  ): AsyncGenerator<RowOf<Name>, void>;
  /**
   * Yields all rows of a list from one response, which the server sends while you read. Leaving the loop ends the response.
   * @throws Problem if the request is rejected; TypeError if the connection is lost before the last row
   */
  stream<Name extends StreamName>(
    list: Name,
    given?: Omit<GivenTo<Name>, "limit" | "page" | "cursor">,
    options?: CallOptions,
  ): AsyncGenerator<RowOf<Name>, void>;
  /**
   * The operations by path and method, as openapi-fetch offers them, for access to response headers. They wait and retry
   * like the functions of this client.
   */
  readonly api: Client<paths, "application/json">;
}

/** Type of an API with any paths and parameters, for internal requests. Callers see the exact types in `Operations`. */
interface AnyPaths {
  [path: string]: Record<
    "get" | "post" | "delete",
    {
      parameters: { path?: Record<string, unknown>; query?: Record<string, unknown> };
      requestBody?: { content: { "application/json": unknown } };
      responses: { 200: { content: { "application/json": unknown } } };
    }
  >;
}

const METHODS = { GET: "get", POST: "post", DELETE: "delete" } as const;
const ACCEPT = { json: "application/json", text: "*/*", bytes: "*/*", lines: "application/x-ndjson" } as const;
const PARSE_AS = { json: "json", text: "text", bytes: "arrayBuffer", lines: "stream" } as const;

/** Maximum number of rows in a page of any list. */
const ROWS_A_PAGE = 100;

/** Lists of releases, which may be long and are read by cursor. Lists of an account are read page by page. */
const BY_CURSOR: ReadonlySet<OperationName> = new Set([
  "records",
  "authors",
  "institutions",
  "geography",
  "releaseChanges",
]);

/**
 * Returns the client. Its functions throw a Problem if the service rejects a request, and TypeError if it cannot be
 * reached.
 */
export function shareClient(options: ClientOptions): ShareClient {
  const { baseUrl, apiKey } = options;
  const headers = apiKey === undefined ? {} : { [KEY_HEADER]: apiKey };
  const send = sending(options);
  const untyped = createClient<AnyPaths>({
    baseUrl,
    headers,
    fetch: throwingProblems(send),
    pathSerializer,
    bodySerializer,
  });

  const call = async (
    name: OperationName,
    given: object = {},
    { signal, headers }: CallOptions = {},
    form: Form | "lines" = OPERATIONS[name][2],
  ) => {
    const [method, path] = OPERATIONS[name];
    const { body, ...parameters } = { body: undefined, ...given };
    const isInPath = ([key]: [string, unknown]) => path.includes(`{${key}}`);
    const { data } = await untyped.request(METHODS[method], path, {
      params: {
        path: Object.fromEntries(Object.entries(parameters).filter(isInPath)),
        query: Object.fromEntries(Object.entries(parameters).filter((entry) => !isInPath(entry))),
      },
      body,
      headers: {
        accept: ACCEPT[form],
        ...(typeof body === "string" ? { "content-type": "application/xml" } : {}),
        ...headers,
      },
      parseAs: PARSE_AS[form],
      ...(signal === undefined ? {} : { signal }),
    });
    return data instanceof ArrayBuffer ? new Uint8Array(data) : data;
  };
  const operations = Object.fromEntries(
    names().map((name) => [name, (given?: object, options?: CallOptions) => call(name, given, options)]),
  );
  if (!isComplete(operations))
    throw new TypeError(
      "the client has no function for an operation of the API; install the package again, or report this",
    );
  return {
    ...operations,
    each: (list, given, options) => {
      const { page, ...filters }: { readonly page?: number } = given ?? {};
      const rowsAt = (place: ListPosition) =>
        call(list, { ...filters, ...place, limit: ROWS_A_PAGE }, options).then(asPage);
      return eachRow(rowsAt, page === undefined && BY_CURSOR.has(list) ? { cursor: "*" } : { page: page ?? 1 });
    },
    stream: (list, given, options) => rowsIn(() => call(list, given, options, "lines").then(asStream)),
    api: createClient<paths, "application/json">({ baseUrl, headers, fetch: send, pathSerializer }),
  };
}

function names(): OperationName[] {
  return Object.keys(OPERATIONS).filter((name): name is OperationName => Object.hasOwn(OPERATIONS, name));
}

function isComplete(operations: object): operations is Operations {
  return names().every((name) => Object.hasOwn(operations, name));
}

function asPage(answer: unknown): ListedPage<never> {
  if (isPage(answer)) return answer;
  throw new TypeError("the response is not a page of a list. Check that the URL is that of a SHARE service.");
}

function asStream(answer: unknown): ReadableStream<Uint8Array> {
  if (answer instanceof ReadableStream) return answer;
  throw new TypeError("the response is not a stream. Check that the URL is that of a SHARE service.");
}

function isPage(answer: unknown): answer is ListedPage<never> {
  return typeof answer === "object" && answer !== null && "data" in answer && "pagination" in answer;
}

/** Returns a function that sends a request with `send`, and throws a Problem unless the response is successful. */
function throwingProblems(send: Send): Send {
  return async (request) => {
    const response = await send(request);
    if (response.ok) return response;
    throw await problemIn(response, readRetryAfter(response));
  };
}

/** Returns the path of a request. A slash in the parameter `file` stays a slash; in any other parameter it is encoded. */
function pathSerializer(path: string, given: Readonly<Record<string, unknown>>): string {
  return path.replace(/\{(\w+)\}/g, (_all, key: string) => {
    const parts = key === "file" ? String(given[key]).split("/") : [String(given[key])];
    return parts.map(encodeURIComponent).join("/");
  });
}

/** Returns the body of a request. A draft that is text is sent unchanged. */
function bodySerializer(body: unknown): string {
  return typeof body === "string" ? body : JSON.stringify(body);
}

/** Types of the parts of OpenAPI 3.1 that the document of this API uses (https://spec.openapis.org/oas/v3.1.1). */

/** A JSON Schema (draft 2020-12), or a reference to one. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: boolean | Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
}

export interface Reference {
  readonly $ref: string;
}

export interface Example {
  readonly summary?: string;
  readonly value: unknown;
}

export interface MediaType {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, Example | Reference>>;
}

export interface Header {
  readonly description: string;
  readonly schema: Schema;
  readonly example: unknown;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header | Reference>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly required: true; readonly content: Readonly<Record<string, MediaType>> };
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly responses: Readonly<Record<string, Response | Reference>>;
  /** Code samples, in an extension of OpenAPI that generators of references read. */
  readonly "x-codeSamples": readonly { readonly lang: string; readonly label: string; readonly source: string }[];
}

export type Method = "get" | "post" | "delete";

export interface Components {
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly parameters: Readonly<Record<string, Parameter>>;
  readonly headers: Readonly<Record<string, Header>>;
  readonly examples: Readonly<Record<string, Example>>;
  readonly responses: Readonly<Record<string, Response>>;
  readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface OpenApi {
  readonly openapi: string;
  readonly info: Readonly<Record<string, unknown>> & {
    readonly title: string;
    readonly version: string;
    readonly summary: string;
    readonly description: string;
    readonly contact: { readonly name: string; readonly email?: string; readonly url?: string };
  };
  readonly "x-share-version": string;
  readonly "x-additions": {
    /** Ids of operations that API 1.6 does not have. */
    readonly operations: readonly string[];
    /** Query parameters that API 1.6 does not have, by the id of one of its operations. */
    readonly parameters: Readonly<Record<string, readonly string[]>>;
    /** Fields of request bodies that API 1.6 does not have, by the id of one of its operations. */
    readonly fields: Readonly<Record<string, readonly string[]>>;
  };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Partial<Record<Method, Operation>>>>>;
  readonly components: Components;
}

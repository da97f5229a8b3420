/**
 * Describes one kind of item of an account beside its schemas: its limit, its endpoints, and the buttons of the site. The
 * table of routes, the overview, the export and the forms follow from these descriptions, which me.ts lists.
 */

import type { z } from "zod";
import type { PathKey } from "../path-key.ts";
import { BODY_PROBLEMS, type ProblemType } from "../problem.ts";
import { accountListQuery, deleted } from "./list.ts";

/** The parts of the account view. Each has its own URL. */
export type AccountPart = "profile" | "saved" | "submissions" | "keys" | "data";

export interface AccountItem {
  /** The items in messages: "saved records". */
  readonly words: string;
  /** Maximum number of items in an account; null if there can be only one. */
  readonly most: number | null;
  /** The part of the overview of the account: the first page of a list, or the one item. */
  readonly overview: z.ZodType;
  /** All items in the export of the account. */
  readonly exported: z.ZodArray<z.ZodObject>;
  /** The query parameter of the account view for a page of the list; null if there is only one item. */
  readonly page: string | null;
  /** Endpoints by name. The key that `defineEndpoints` was given is that of each item. */
  readonly routes: Readonly<Record<string, object>>;
  readonly actions: Readonly<Record<string, AccountAction>>;
}

/** A button of the site that changes the account. */
export interface AccountAction {
  /** The name of the endpoint that it calls. */
  readonly route: string;
  /** Fields of the form: fields of the body, or `id` for the path parameter. */
  readonly fields: readonly string[];
  /** Fields that can be empty. They are then left out of the body. */
  readonly optional?: readonly string[];
  /** Fields of the body that the form does not have. */
  readonly constant?: Readonly<Record<string, boolean>>;
  /** The part of the account view with the result, which is at `anchor`. */
  readonly part: AccountPart;
  readonly anchor?: string;
  /** The message after the action. */
  readonly done: string;
  /** True if the user then returns to the page with the button: the path `from` of the form, or the header Referer. */
  readonly returns?: true;
  /** The view that continues the action after a sign-in. Without it, the account is shown. */
  readonly continued?: { readonly title: string; readonly button: string };
}

/** The schemas and the path that the endpoints of one kind of item share. */
interface ItemSchemas<Key, Row, List> {
  readonly path: string;
  readonly key: Key;
  readonly row: Row;
  readonly list: List;
}

/** Returns functions that describe the endpoints of one kind of item, each with its summary and description. */
export function defineEndpoints<Key extends PathKey, Row extends z.ZodType, List extends z.ZodType>({
  path,
  key,
  row,
  list,
}: ItemSchemas<Key, Row, List>) {
  const one = { path: `${path}/{${key.name}}`, key, problems: [key.unknown.problem] } as const;
  return {
    list: (summary: string, description: string) =>
      ({ method: "get", path, summary, description, query: accountListQuery, answer: list }) as const,
    add: <Body extends z.ZodType>(summary: string, description: string, body: Body, problems: readonly ProblemType[]) =>
      ({
        method: "post",
        status: 201,
        path,
        summary,
        description,
        body,
        answer: row,
        problems: [...BODY_PROBLEMS, ...problems],
      }) as const,
    get: (summary: string, description: string) =>
      ({ ...one, method: "get", summary, description, answer: row }) as const,
    remove: (summary: string, description: string) =>
      ({ ...one, method: "delete", summary, description, answer: deleted }) as const,
  };
}

/** Returns an object with the same names. TypeScript loses the names of mapped entries, so the caller gives the type. */
export function mapped<Source extends object, Result extends Readonly<Record<keyof Source, unknown>>>(
  source: Source,
  make: (value: Source[keyof Source], name: string) => unknown,
): Result {
  return Object.fromEntries(Object.entries(source).map(([name, value]) => [name, make(value, name)])) as Result;
}

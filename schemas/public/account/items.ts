/**
 * Describes one kind of item of an account: its limit, its endpoints, and the buttons of the site. The routes, the
 * overview, the export and the forms are derived from these descriptions, which me.ts lists.
 */

import type { z } from "zod";
import type { PathKey } from "../path-key.ts";
import { BODY_PROBLEMS, type ProblemType } from "../problem.ts";
import { accountListQuery, deleted } from "./list.ts";

/** The parts of the account view. Each has its own URL. */
export type AccountPart = "profile" | "saved" | "submissions" | "keys" | "data";

export interface AccountItem {
  /** Name of the items in messages, such as "saved records". */
  readonly words: string;
  /** Maximum number of items in an account; null if there can be only one. */
  readonly most: number | null;
  /** Schema of the items in the overview of the account: the first page of a list, or the single item. */
  readonly overview: z.ZodType;
  /** Schema of all items in the export of the account. */
  readonly exported: z.ZodArray<z.ZodObject>;
  /** Query parameter of the account view that selects a page of the list; null if there is only one item. */
  readonly page: string | null;
  /** The endpoints of this kind of item, by the name of the route. */
  readonly routes: Readonly<Record<string, object>>;
  readonly actions: Readonly<Record<string, AccountAction>>;
}

/** A button of the site that changes the account. */
export interface AccountAction {
  /** The name of the endpoint that the button calls. */
  readonly route: string;
  /** Fields of the form. Each is a field of the body, or `id` for the path parameter. */
  readonly fields: readonly string[];
  /** Fields that may be empty. An empty field is left out of the body. */
  readonly optional?: readonly string[];
  /** Fields of the body with a fixed value, which are not in the form. */
  readonly constant?: Readonly<Record<string, boolean>>;
  /** The part of the account view that shows the result, at `anchor`. */
  readonly part: AccountPart;
  readonly anchor?: string;
  /** The message that is shown after the action. */
  readonly done: string;
  /**
   * Set if the user returns to the page with the button after the action. The field `from` of the form has the path of this
   * page; without it, the header Referer has it.
   */
  readonly returns?: true;
  /** Texts of the view in which a user continues the action after a sign-in. Without them, the account view is shown. */
  readonly continued?: { readonly title: string; readonly button: string };
}

/** The schemas and the path that all endpoints of one kind of item use. */
interface ItemSchemas<Key, Row, List> {
  readonly path: string;
  readonly key: Key;
  readonly row: Row;
  readonly list: List;
}

/** Returns functions that describe the endpoints of one kind of item. Each takes a summary and a description. */
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

/** Returns an object with the same keys and new values. The caller gives its type, because TypeScript cannot derive it. */
export function mapped<Source extends object, Result extends Readonly<Record<keyof Source, unknown>>>(
  source: Source,
  make: (value: Source[keyof Source], name: string) => unknown,
): Result {
  return Object.fromEntries(Object.entries(source).map(([name, value]) => [name, make(value, name)])) as Result;
}

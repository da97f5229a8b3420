/**
 * Endpoints of an account as a whole. The endpoints of its items, such as saved records, are described beside the schemas
 * of the items.
 */

import { accountExport } from "../../schemas/public/account/export.ts";
import { mapped } from "../../schemas/public/account/items.ts";
import { deleted } from "../../schemas/public/account/list.ts";
import { accountPage, ITEM_ROUTES } from "../../schemas/public/account/me.ts";
import { apiKeyId, EXAMPLE_KEY } from "../../schemas/public/account/registration.ts";
import type { PathKey } from "../../schemas/public/path-key.ts";
import { OWN_ROUTE, type RouteRows } from "./route.ts";

export const ownKeyId: PathKey = {
  name: "id",
  schema: apiKeyId,
  description: "Id of an API key, from `/account/me`.",
  example: EXAMPLE_KEY,
  unknown: { problem: "not-found", detail: "You have no API key with this id. GET /account/me lists yours." },
};

/** Defaults of an endpoint that requires a session. Browsers can call it only from pages of the site. */
const ACCOUNT_ROUTE = { ...OWN_ROUTE, tag: "Account", session: true } as const;
const ACCOUNT_DELETE = { ...ACCOUNT_ROUTE, method: "delete", answer: deleted } as const;

/** The type of a route's row after the defaults of account routes were added. */
type Completed<Row> = Omit<typeof ACCOUNT_ROUTE, keyof Row> & Row;
type ItemRoutes = { [Name in keyof typeof ITEM_ROUTES]: Completed<(typeof ITEM_ROUTES)[Name]> };

export const ACCOUNT_ROUTES = {
  me: {
    ...ACCOUNT_ROUTE,
    path: "/account/me",
    summary: "Get your account",
    description:
      "The first ten items of each list, with its total. Each list has an endpoint of its own. Records and researchers are as in the active release, and null if it does not have them.",
    answer: accountPage,
  },
  "erase-account": {
    ...ACCOUNT_DELETE,
    path: "/account/me",
    setsCookie: true,
    summary: "Erase your account",
    description:
      "Deletes everything that the service stores about you, immediately and permanently, and ends every session. A hidden researcher stays hidden. Submitted datasets stay submitted, without your name. If you sign in again, you get a new account.",
  },
  "export-account": {
    ...ACCOUNT_ROUTE,
    path: "/account/export",
    download: true,
    summary: "Export your data",
    description: "Everything that the service stores about you, as a download named after the account.",
    answer: accountExport,
  },
  "revoke-api-key": {
    ...ACCOUNT_DELETE,
    path: "/account/api-keys/{id}",
    summary: "Revoke an API key",
    description: "For a key with the email address of your account. Requests with the key then return 401.",
    key: ownKeyId,
    problems: ["not-found"],
  },
  ...mapped<typeof ITEM_ROUTES, ItemRoutes>(ITEM_ROUTES, (row) => ({ ...ACCOUNT_ROUTE, ...row })),
} as const satisfies RouteRows;

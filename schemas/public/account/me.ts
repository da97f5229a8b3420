/** Lists the kinds of items of an account, and describes GET /account/me: everything that the account view shows. */

import { z } from "zod";
import { count } from "../api/common.ts";
import { instant } from "../scalars.ts";
import { profileClaims } from "./claim.ts";
import { type AccountAction, type AccountItem, mapped } from "./items.ts";
import { measurements } from "./measurement.ts";
import { ownApiKey } from "./registration.ts";
import { changeMailItem, savedAuthors, savedRecords, savedRepositories, savedSearches } from "./saved.ts";
import { EXAMPLE_MOMENTS, type ExampleParts, exampleOfShape, isShape, shape } from "./shape.ts";
import { datasetSubmissions } from "./submission.ts";
import { hiddenResearcher, visibilityRequests } from "./visibility.ts";

const userId = z.string().regex(/^u[0-9a-f]{24}$/);

export const user = shape(
  "User",
  z
    .object({
      id: userId,
      name: z.string().nullable().describe("The public name at ORCID, or null."),
      email: z
        .string()
        .nullable()
        .describe("The email address in lower case; null if the user signs in only with ORCID."),
      orcid: z.string().nullable().describe("ORCID iD in four groups; null if the user signs in only by email."),
      createdAt: instant.describe("The time of the first sign-in."),
    })
    .describe("A user."),
  () => ({
    id: "u5b1c9e07d24f4a6f8e3b7a10",
    name: "Mirela Vance",
    email: "mirela.vance@example.org",
    orcid: "0000-0005-1200-0216",
    createdAt: EXAMPLE_MOMENTS.begun,
  }),
);
export type User = z.infer<typeof user>;

/** Every kind of item, in the order in which the overview and the export list them. */
export const ACCOUNT_ITEMS = {
  profileClaims,
  visibilityRequests,
  savedRecords,
  savedAuthors,
  savedRepositories,
  savedSearches,
  changeMails: changeMailItem,
  datasetSubmissions,
  measurements,
} as const satisfies Readonly<Record<string, AccountItem>>;

type Items = typeof ACCOUNT_ITEMS;
export type ItemName = keyof Items;

/** Converts a union to an intersection: `A | B` becomes `A & B`. */
type All<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer Both) => void
  ? Both
  : never;

/** The endpoints of all items, by name. */
export const ITEM_ROUTES: All<Items[ItemName]["routes"]> = Object.assign(
  {},
  ...Object.values(ACCOUNT_ITEMS).map(({ routes }) => routes),
);

/** Buttons of the account view that do not belong to an item. */
const OTHER_ACTIONS = {
  "revoke-key": { route: "revoke-api-key", fields: ["id"], part: "keys", done: "The key no longer works." },
  "end-session": { route: "session", fields: ["id"], part: "data", done: "You have ended the session." },
} as const satisfies Readonly<Record<string, AccountAction>>;

/** The buttons of the site that change an account. Each key is the value of the field `do` in the form. */
export const ACCOUNT_ACTIONS: All<Items[ItemName]["actions"]> & typeof OTHER_ACTIONS = Object.assign(
  {},
  ...Object.values(ACCOUNT_ITEMS).map(({ actions }) => actions),
  OTHER_ACTIONS,
);

export type ActionName = keyof typeof ACCOUNT_ACTIONS;

/** The kinds of items of which an account can have several. */
export type Limited = { [Name in ItemName]: Items[Name]["most"] extends number ? Name : never }[ItemName];

const { changeMails: _once, ...several } = ACCOUNT_ITEMS;

/** Maximum number of items of each kind in an account. */
export const ACCOUNT_LIMITS = mapped<typeof several, Readonly<Record<Limited, number>>>(several, ({ most }) => most);

const accountLimits = z
  .object(
    mapped<typeof ACCOUNT_LIMITS, Record<Limited, z.ZodInt>>(ACCOUNT_LIMITS, (most) =>
      z
        .int()
        .min(1)
        .meta({ examples: [most] }),
    ),
  )
  .describe("Maximum number of items of each kind in an account.");

type Overviews = { [Name in ItemName]: Items[Name]["overview"] };

export const accountPage = shape(
  "AccountPage",
  z
    .object({
      user,
      sessions: count.describe("Number of sessions; `/account/sessions` lists them."),
      apiKeys: z.array(ownApiKey).describe("The newest 100 API keys with the email address of the account."),
      hidden: z
        .array(hiddenResearcher)
        .describe("Hidden researchers among those with an approved claim of this account."),
      ...mapped<Items, Overviews>(ACCOUNT_ITEMS, ({ overview }) => overview),
      limits: accountLimits,
    })
    .describe("The user with the first page of each of their lists."),
  (parts) => ({
    user: exampleOfShape(user, parts),
    sessions: 1,
    apiKeys: [],
    hidden: [],
    ...mapped<Items, { [Name in ItemName]: z.input<Overviews[Name]> }>(ACCOUNT_ITEMS, ({ overview }) =>
      exampleOverview(overview, parts),
    ),
    limits: ACCOUNT_LIMITS,
  }),
);
export type AccountPage = z.infer<typeof accountPage>;

/**
 * Returns the example of one kind of item in the overview: a page of a list, or null for an item that an account has at
 * most once.
 */
function exampleOverview<Overview extends z.ZodType>(overview: Overview, parts: ExampleParts) {
  return isShape(overview) ? exampleOfShape(overview, parts) : null;
}

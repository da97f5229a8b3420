/** GET /account/export: all data stored about one person. */

import { z } from "zod";
import { instant } from "../scalars.ts";
import { type AccountItem, mapped } from "./items.ts";
import { ACCOUNT_ITEMS, type ItemName, user } from "./me.ts";
import { problemReport } from "./problem-report.ts";
import { ownApiKey } from "./registration.ts";
import { EXAMPLE_MOMENTS, type ExampleParts, exampleOfShape, isShape, shape } from "./shape.ts";
import { sessionRow } from "./sign-in.ts";

const signInLink = z
  .object({ createdAt: instant, expiresAt: instant, usedAt: instant.nullable() })
  .describe("A sign-in link that was sent to the email address.");

type Items = typeof ACCOUNT_ITEMS;
type Exported = { [Name in ItemName]: Items[Name]["exported"] };

/** All data about one person. Published data on records and researchers are left out. */
export const accountExport = shape(
  "AccountExport",
  z
    .object({
      exportedAt: instant,
      user,
      sessions: z.array(sessionRow).describe("Without tokens: the server stores only their hashes."),
      signInLinks: z.array(signInLink).describe("Recent links, also without tokens."),
      apiKeys: z.array(ownApiKey).describe("Without the keys: the server stores only their hashes."),
      problemReports: z.array(problemReport).describe("Reports that are not closed yet."),
      ...mapped<Items, Exported>(ACCOUNT_ITEMS, ({ exported }) => exported),
    })
    .describe("All data stored about the user."),
  (parts) => ({
    exportedAt: EXAMPLE_MOMENTS.later,
    user: exampleOfShape(user, parts),
    sessions: [],
    signInLinks: [],
    apiKeys: [],
    problemReports: [],
    ...mapped<Items, { [Name in ItemName]: z.input<Exported[Name]> }>(ACCOUNT_ITEMS, (item) =>
      exampleItems(item, parts),
    ),
  }),
);
export type AccountExport = z.infer<typeof accountExport>;

const examplePage = z.object({ data: z.array(z.unknown()) });

/**
 * Returns an example of exported items: the first row of the overview, without the fields that the export leaves out. An
 * item that an account has at most once has no example.
 */
function exampleItems({ overview, exported: { element }, most }: AccountItem, parts: ExampleParts): readonly unknown[] {
  if (most === null) return [];
  if (isShape(element)) return [exampleOfShape(element, parts)];
  return [element.parse(examplePage.parse(exampleOfShape(overview, parts)).data[0])];
}

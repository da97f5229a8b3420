/** Problem reports: anybody, signed in or not, can tell the operator what is wrong with a page. */

import { z } from "zod";
import { instant } from "../scalars.ts";
import { plainText } from "../text.ts";
import { email } from "./registration.ts";

const reportId = z.string().regex(/^p[0-9a-f]{24}$/);

export const problemReportRequest = z.object({
  page: plainText({ least: 1, most: 2048 }),
  text: plainText({ least: 1, most: 2000, lines: true }),
  email: email.optional(),
});
export type ProblemReportRequest = z.infer<typeof problemReportRequest>;

/** A problem report in the export of an account: the account sent it, or it contains the email address of the account. */
export const problemReport = z
  .object({
    id: reportId,
    page: z.string(),
    text: z
      .string()
      .nullable()
      .describe("Null if the user was not signed in: anybody could send a report with this email address."),
    email: z.string().nullable().describe("The address for the answer, or null."),
    createdAt: instant,
  })
  .describe("A problem report that is not closed yet. Closed reports are deleted.");
export type ProblemReport = z.infer<typeof problemReport>;

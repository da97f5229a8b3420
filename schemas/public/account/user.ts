/** The user who is signed in, as the API shows them to themselves. */

import { z } from "zod";
import { instant } from "../scalars.ts";
import { EXAMPLE_MOMENTS, shape } from "./shape.ts";

export const userId = z.string().regex(/^u[0-9a-f]{24}$/);

export const user = shape(
  "User",
  z
    .object({
      id: userId,
      name: z.string().nullable().describe("The name that ORCID shows; null where it shows none."),
      email: z
        .string()
        .nullable()
        .describe("The address links are sent to, in lower case; null for who uses ORCID only."),
      orcid: z.string().nullable().describe("ORCID iD, in four groups; null for who signs in by mail only."),
      createdAt: instant.describe("The moment at which they signed in for the first time."),
    })
    .describe("A person with an account."),
  () => ({
    id: "u5b1c9e07d24f4a6f8e3b7a10",
    name: "Mirela Vance",
    email: "mirela.vance@example.org",
    orcid: "0000-0005-1200-0216",
    createdAt: EXAMPLE_MOMENTS.begun,
  }),
);
export type User = z.infer<typeof user>;

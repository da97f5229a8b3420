/** POST /api-keys/register: what is sent and what comes back (interface.md, "Registration request and result"). */

import { z } from "zod";
import { apiKey } from "./api-key.ts";
import { email } from "./email.ts";
import { plainText } from "./plain-text.ts";

/** Unknown members are ignored. */
export const registrationRequest = z.object(
  {
    /** A person or an organisation. */
    name: plainText({ least: 1, most: 200 }),
    email,
    /** The intended use. */
    description: plainText({ least: 0, most: 2000, lines: true }).optional(),
  },
  "must be a JSON object",
);
export type RegistrationRequest = z.infer<typeof registrationRequest>;

/** `key` is shown here and never again. */
export const registrationResult = z.object({
  key: apiKey,
  name: z.string(),
  email: z.string(),
  createdAt: z.iso.datetime(),
  message: z.string(),
});
export type RegistrationResult = z.infer<typeof registrationResult>;

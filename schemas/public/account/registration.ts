/** POST /api-keys/register: what is sent and what comes back (interface.md, "Registration request and result"). */

import { z } from "zod";
import { apiKey } from "./api-key.ts";
import { email } from "./email.ts";
import { plainText } from "./plain-text.ts";
import { EXAMPLE_MOMENTS, shape } from "./shape.ts";

const APPLICANT = { name: "Norvale Data Archive", email: "data@norvale.example" };

/** Unknown members are ignored. */
export const registrationRequest = shape(
  "RegistrationRequest",
  z.object(
    {
      /** A person or an organisation. */
      name: plainText({ least: 1, most: 200 }),
      email,
      /** The intended use. */
      description: plainText({ least: 0, most: 2000, lines: true }).optional(),
    },
    "must be a JSON object",
  ),
  () => ({ ...APPLICANT, description: "Showing SHARE scores beside our datasets." }),
);
export type RegistrationRequest = z.infer<typeof registrationRequest>;

/** `key` is shown here and never again. */
export const registrationResult = shape(
  "RegistrationResult",
  z.object({
    key: apiKey,
    name: z.string(),
    email: z.string(),
    createdAt: z.iso.datetime(),
    message: z.string(),
  }),
  () => ({
    key: "share_live_00000000000000000000000000000000",
    ...APPLICANT,
    createdAt: EXAMPLE_MOMENTS.begun,
    message: "Keep this key: it is shown only once. Send it in the header X-API-Key.",
  }),
);
export type RegistrationResult = z.infer<typeof registrationResult>;

/** Suggestions for what somebody is typing into the box: a name, what it is, and the page it leads to. */

import { z } from "zod";

const suggestion = z.object({
  name: z.string(),
  note: z.string(),
  /** A path of this site. */
  path: z.string().startsWith("/"),
});
export type Suggestion = z.infer<typeof suggestion>;

export const suggestions = z.array(suggestion);

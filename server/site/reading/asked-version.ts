/** The SHARE version that a page is asked under. */

import { PUBLIC_VERSIONS, type PublicVersion, publicVersion } from "../../../schemas/public/rubric.ts";
import { ProblemError } from "../../frame/answering/problem-error.ts";

/** @throws ProblemError `unsupported-rubric` */
export function askedVersion(text: string): PublicVersion {
  if (text === "") return PUBLIC_VERSIONS[0];
  const version = publicVersion.safeParse(text);
  if (version.success) return version.data;
  throw new ProblemError("unsupported-rubric", `The public SHARE versions are ${PUBLIC_VERSIONS.join(" and ")}.`);
}

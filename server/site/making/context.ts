/** The parts of the server that pages are made with. */

import type { Effects } from "../../../pipeline/stage/effects.ts";
import type { Evaluations } from "../../evaluations/index.ts";
import type { AskInProcess } from "../../frame/in-process.ts";
import type { Standings } from "../../people/hidden/standings.ts";
import type { SignIn } from "../../people/sign-in/index.ts";
import type { ActiveRelease } from "../../read/release/active-release.ts";
import type { PastReleases } from "../../read/release/past-releases.ts";
import type { KeptPages } from "./kept-pages.ts";
import type { PreviewPictures } from "./preview-pictures.ts";

export interface SiteContext {
  readonly ask: AskInProcess;
  readonly active: ActiveRelease;
  readonly standings: Standings;
  readonly signIn: SignIn;
  readonly evaluations: Evaluations;
  readonly kept: KeptPages;
  readonly past: PastReleases;
  readonly pictures: PreviewPictures;
  readonly now: Effects["now"];
  /** The operator's email address or https URL; null if unset. */
  readonly contact: string | null;
}

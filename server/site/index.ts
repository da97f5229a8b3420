/** The pages for people: their handlers, what the root shows, and how they are told that something did not work. */

import type { SiteRouteName } from "../../api-static/routes/index.ts";
import type { Handler, Handlers } from "../frame/handler.ts";
import type { ProblemPage } from "../frame/problem-answer.ts";
import { doingHandlers } from "./doing/handlers.ts";
import type { SiteContext } from "./making/context.ts";
import { problemPage } from "./making/problem-page.ts";
import { homeHandler, readingHandlers } from "./reading/handlers.ts";

export interface SitePages {
  readonly handlers: Handlers<SiteRouteName>;
  readonly home: Handler<"index">;
  readonly problem: ProblemPage;
}

/** `index`: what the root answers programs. */
export function sitePages(index: Handler<"index">, context: SiteContext): SitePages {
  return {
    handlers: { ...readingHandlers(context), ...doingHandlers(context) },
    home: homeHandler(index, context),
    problem: (refused) => problemPage(refused, context),
  };
}

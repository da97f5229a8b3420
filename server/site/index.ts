/** The pages for people: their handlers, what the root shows, and how they are told that something did not work. */

import type { SiteRouteName } from "../../api-static/routes/index.ts";
import type { Handler, Handlers } from "../http/add-routes.ts";
import type { ProblemPage } from "../http/problem-answer.ts";
import { doingHandlers } from "./forms.ts";
import type { SiteContext } from "./page-handler.ts";
import { problemPage } from "./problem-page.ts";
import { homeHandler, readingHandlers } from "./views.ts";

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

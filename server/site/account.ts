/** /me: all that is one's own, and every button on it, by the handlers under /account. */

import { z } from "zod";
import type { RouteName } from "../../api-static/routes/index.ts";
import { profileClaimList } from "../../schemas/public/account/claim.ts";
import { accountPage } from "../../schemas/public/account/me.ts";
import { registrationResult } from "../../schemas/public/account/registration.ts";
import { measurementList, savedAuthorList, savedRecordList } from "../../schemas/public/account/saved.ts";
import { sessionList } from "../../schemas/public/account/sign-in.ts";
import { datasetSubmissionList } from "../../schemas/public/account/submission.ts";
import { visibilityRequestList } from "../../schemas/public/account/visibility.ts";
import type { Problem } from "../../schemas/public/problem.ts";
import type { AccountForm } from "../../schemas/public/site/forms.ts";
import { type AccountQuery, accountQuery } from "../../schemas/public/site/queries.ts";
import type { View } from "../../web/components/document.ts";
import { accountView, erasedView, keyView, type OwnPage } from "../../web/views/me.ts";
import type { Asked } from "../http/add-routes.ts";
import type { Question } from "../http/in-process.ts";
import type { Asking, SiteContext } from "./page-handler.ts";
import { type Made, seeOther } from "./page-handler.ts";
import { orShowAgain } from "./problem-page.ts";

/** Words for what was done, by the word that the address has after it: nobody else's words are shown. */
const DONE: Readonly<Record<string, string>> = {
  claim: "Claimed. Below it says whether the page is yours already, or what it waits for.",
  "withdraw-claim": "Taken back.",
  visibility: "Asked for. Somebody decides; it shows within a minute from then.",
  "withdraw-visibility": "Taken back.",
  "save-record": "Saved.",
  "unsave-record": "Removed.",
  "note-record": "Your note was changed.",
  "note-author": "Your note was changed.",
  "save-author": "Saved.",
  "unsave-author": "Removed.",
  submit: "Submitted.",
  "withdraw-submission": "Taken back.",
  "delete-measurement": "Deleted.",
  "end-session": "Signed out there.",
  measure: "Measured and kept.",
};

const ANY = z.looseObject({});

type Doing = { readonly route: RouteName; readonly question: Question };

/** The address of the API that a button is. Notes and reasons that are empty are left out. */
function doingOf(form: AccountForm): Doing {
  switch (form.do) {
    case "claim":
      return { route: "new-profile-claim", question: { body: { authorSlug: form.authorSlug } } };
    case "withdraw-claim":
      return { route: "withdraw-profile-claim", question: { key: form.id } };
    case "visibility": {
      const { authorSlug, requestType, reason } = form;
      return {
        route: "new-visibility-request",
        question: { body: { authorSlug, requestType, ...(reason === "" ? {} : { reason }) } },
      };
    }
    case "withdraw-visibility":
      return { route: "withdraw-visibility-request", question: { key: form.id } };
    case "save-record":
      return {
        route: "save-record",
        question: { body: { recordId: form.recordId, ...(form.note === "" ? {} : { note: form.note }) } },
      };
    // An empty note takes the one away that was there.
    case "note-record":
      return { route: "save-record", question: { body: { recordId: form.recordId, note: form.note } } };
    case "note-author":
      return { route: "save-author", question: { body: { authorSlug: form.authorSlug, note: form.note } } };
    case "unsave-record":
      return { route: "unsave-record", question: { key: form.id } };
    case "save-author":
      return {
        route: "save-author",
        question: { body: { authorSlug: form.authorSlug, ...(form.note === "" ? {} : { note: form.note }) } },
      };
    case "unsave-author":
      return { route: "unsave-author", question: { key: form.id } };
    case "submit":
      return { route: "new-dataset-submission", question: { body: { identifier: form.identifier } } };
    case "withdraw-submission":
      return { route: "withdraw-dataset-submission", question: { key: form.id } };
    case "delete-measurement":
      return { route: "delete-measurement", question: { key: form.id } };
    case "end-session":
      return { route: "session", question: { key: form.id } };
    default:
      return form satisfies never;
  }
}

export async function makeAccount(
  { query }: Asked<"account">,
  api: Asking,
  { signIn, contact }: SiteContext,
): Promise<View> {
  const own = await ownThings(query, api);
  const done = Object.hasOwn(DONE, query.done) ? (DONE[query.done] ?? "") : "";
  return accountView({ ...own, done, hasOrcid: signIn.orcid !== null, contact, refused: null });
}

async function again(refused: Problem, api: Asking, { signIn, contact }: SiteContext): Promise<View> {
  const own = await ownThings(accountQuery.parse({}), api);
  return accountView({ ...own, done: "", hasOrcid: signIn.orcid !== null, contact, refused });
}

/** Everything that is one's own: the first of each list, or the page of it that was asked for. */
async function ownThings(query: AccountQuery, api: Asking): Promise<Pick<OwnPage, "me" | "sessions">> {
  const me = await api.get(accountPage, "me");
  const turned = async <List extends z.ZodType>(
    list: List,
    name: RouteName,
    page: string,
    first: z.infer<List>,
  ): Promise<z.infer<List>> => (page === "" || page === "1" ? first : api.get(list, name, { query: { page } }));
  return {
    me: {
      ...me,
      profileClaims: await turned(profileClaimList, "profile-claims", query.claims, me.profileClaims),
      visibilityRequests: await turned(
        visibilityRequestList,
        "visibility-requests",
        query.requests,
        me.visibilityRequests,
      ),
      savedRecords: await turned(savedRecordList, "saved-records", query.saved, me.savedRecords),
      savedAuthors: await turned(savedAuthorList, "saved-authors", query.people, me.savedAuthors),
      datasetSubmissions: await turned(
        datasetSubmissionList,
        "dataset-submissions",
        query.submitted,
        me.datasetSubmissions,
      ),
      measurements: await turned(measurementList, "measurements", query.measured, me.measurements),
    },
    sessions: await api.get(sessionList, "sessions", { query: { page: query.places } }),
  };
}

export function change({ body, request }: Asked<"change-account">, api: Asking, context: SiteContext): Promise<Made> {
  const { route, question } = doingOf(body);
  const work = async () => {
    await api.get(ANY, route, question);
    return seeOther(`/me?done=${body.do}`);
  };
  return orShowAgain(work, (problem) => again(problem, api, context), request, context);
}

export function measure(
  { body, request }: Asked<"keep-measurement">,
  api: Asking,
  context: SiteContext,
): Promise<Made> {
  const work = async () => {
    await api.get(ANY, "new-measurement", { body });
    return seeOther("/me?done=measure#measurements");
  };
  return orShowAgain(work, (problem) => again(problem, api, context), request, context);
}

export function getKey({ body, request }: Asked<"get-key">, api: Asking, context: SiteContext): Promise<Made> {
  const { description, ...who } = body;
  const sent = description.trim() === "" ? who : body;
  const work = async () => keyView(await api.get(registrationResult, "register", { body: sent }));
  return orShowAgain(work, (problem) => again(problem, api, context), request, context);
}

export async function erase(api: Asking): Promise<Made> {
  await api.get(ANY, "erase-account");
  return erasedView();
}

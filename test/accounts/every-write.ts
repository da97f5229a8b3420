/** One request for each kind of write to the account store. A request that the server rejected can be sent again. */

import { secretToken } from "../../schemas/public/account/sign-in.ts";
import { digestOfToken, newToken } from "../../server/accounts/sessions.ts";
import type { AccountServer } from "../account/world.ts";
import { ask, type Reply } from "../server/ask.ts";
import { makeRecordId, SPECIAL } from "../server/test-store.ts";

export interface Write {
  readonly name: string;
  /** The HTTP status of a successful response to this write. */
  readonly status: number;
  send(): Promise<Reply>;
}

/** Returns one request for each kind of write, from users that are created here. The requests must be sent in this order. */
export async function everyWrite({ port, accounts, now, person, researchers }: AccountServer): Promise<Write[]> {
  const [reader, leaver, eraser] = [await person(), await person(), await person()];
  const [first, second] = await researchers();
  const [recordId, savedBefore] = [makeRecordId(SPECIAL.winner), makeRecordId(SPECIAL.oddRepository)];
  await reader.posted("/account/saved-records", { recordId: savedBefore });
  const token = secretToken.parse(newToken());
  const at = now();
  const link = {
    digest: digestOfToken(token),
    email: `${reader.id}@example.org`,
    return_to: "/",
    created_at: at.toISOString(),
    expires_at: new Date(at.getTime() + 900_000).toISOString(),
  };
  await accounts.db.insertInto("magic_link").values(link).execute();
  const stranger = (path: string, body: unknown) => () => {
    const headers = { "content-type": "application/json", origin: `http://localhost:${port}` };
    return ask(port, path, { method: "POST", headers, body: JSON.stringify(body) });
  };
  const post = (path: string, body: unknown) => () => reader.ask("POST", path, body);
  const identifier = SPECIAL.winner;
  return [
    {
      name: "a registration",
      status: 201,
      send: stranger("/api-keys/register", { name: "Reader", email: "r@example.org" }),
    },
    { name: "a job", status: 202, send: stranger("/evaluation-jobs", { identifier, rubricVersion: "2.0" }) },
    {
      name: "a requested link",
      status: 201,
      send: stranger("/auth/magic/request", { email: "asks@example.org" }),
    },
    { name: "a consumed link", status: 201, send: stranger("/auth/magic/consume", { token }) },
    { name: "a saved record", status: 201, send: post("/account/saved-records", { recordId, note: "n" }) },
    { name: "a saved author", status: 201, send: post("/account/saved-authors", { authorSlug: first?.slug }) },
    { name: "a saved repository", status: 201, send: post("/account/saved-repositories", { repository: "Zenodo" }) },
    { name: "a saved search", status: 201, send: post("/account/saved-searches", { query: "search=soil" }) },
    { name: "emails about changes", status: 201, send: () => reader.ask("POST", "/account/change-mails") },
    { name: "a claim", status: 201, send: post("/account/profile-claims", { authorSlug: second?.slug }) },
    {
      name: "a submission",
      status: 201,
      send: post("/account/dataset-submissions", { identifier: "zenodo/66000001" }),
    },
    { name: "a measurement", status: 201, send: post("/account/measurements", { identifier }) },
    {
      name: "a record removed from the saved ones",
      status: 200,
      send: () => reader.ask("DELETE", `/account/saved-records/${savedBefore}`),
    },
    { name: "a sign-out", status: 201, send: () => leaver.ask("POST", "/auth/logout") },
    { name: "an erased account", status: 200, send: () => eraser.ask("DELETE", "/account/me") },
  ];
}

/** One of every write that people and programs can ask a server for, ready to be asked for as often as it is refused. */

import { secretToken } from "../../schemas/public/account/sign-in.ts";
import { digestOfToken, newToken } from "../../server/accounts/sessions.ts";
import type { AccountServer } from "../account/world.ts";
import { ask, type Reply } from "../server/ask.ts";
import { idOf, SPECIAL } from "../server/test-store.ts";

export interface Write {
  readonly name: string;
  /** What it is answered with when it is done. */
  readonly status: number;
  send(): Promise<Reply>;
}

/** All of them, of people who are made for it now; they are done in this order. */
export async function everyWrite({ port, accounts, now, person, researchers }: AccountServer): Promise<Write[]> {
  const [reader, leaver, eraser] = [await person(), await person(), await person()];
  const [first, second] = await researchers();
  const [recordId, savedBefore] = [idOf(SPECIAL.winner), idOf(SPECIAL.oddRepository)];
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
      name: "a link asked for",
      status: 201,
      send: stranger("/auth/magic/request", { email: "asks@example.org" }),
    },
    { name: "a link followed", status: 201, send: stranger("/auth/magic/consume", { token }) },
    { name: "a saved record", status: 201, send: post("/account/saved-records", { recordId, note: "n" }) },
    { name: "a saved author", status: 201, send: post("/account/saved-authors", { authorSlug: first?.slug }) },
    { name: "a claim", status: 201, send: post("/account/profile-claims", { authorSlug: second?.slug }) },
    {
      name: "a submission",
      status: 201,
      send: post("/account/dataset-submissions", { identifier: "zenodo/66000001" }),
    },
    { name: "a measurement", status: 201, send: post("/account/measurements", { identifier }) },
    {
      name: "a record no longer saved",
      status: 200,
      send: () => reader.ask("DELETE", `/account/saved-records/${savedBefore}`),
    },
    { name: "the end of a session", status: 201, send: () => leaver.ask("POST", "/auth/logout") },
    { name: "the end of an account", status: 200, send: () => eraser.ask("DELETE", "/account/me") },
  ];
}

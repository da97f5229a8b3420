/** A small server for tests, with the real rate limits and registration of keys, and a path for each kind of response. */

import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Effects, LogEvent } from "../../pipeline/stage/effects.ts";
import type { AccountTarget } from "../../pipeline/store/account-target.ts";
import { keyRegister, registrationHandlers } from "../../server/accounts/api-keys.ts";
import { type Accounts, isStoreFault, openAccounts } from "../../server/accounts/database.ts";
import { fastify, sendProblem } from "../../server/http/framework.ts";
import { addLimits, trustedProxies } from "../../server/http/limits.ts";
import { DEFAULT_QUOTAS, type QuotaName, type Quotas } from "../../server/http/quotas.ts";
import { getCaller, type RoutedRequest, readRequest } from "../../server/http/read-request.ts";
import { ProblemError, sendResponse } from "../../server/http/response.ts";
import { requestReader } from "../../server/http/routes.ts";

const STATE = { page: null, isStoreFault };

export interface TestAppOptions {
  readonly target: AccountTarget;
  readonly quotas?: Partial<Quotas>;
  readonly redisUrl?: string | null;
  readonly trustProxy?: string;
  readonly now?: Effects["now"];
}

export interface TestApp {
  readonly port: number;
  readonly accounts: Accounts;
  readonly logged: readonly LogEvent[];
  close(): Promise<void>;
}

export async function startTestApp(options: TestAppOptions): Promise<TestApp> {
  const { now = () => new Date(), redisUrl = null, trustProxy = "" } = options;
  const logged: LogEvent[] = [];
  const log = (event: LogEvent) => void logged.push(event);
  const accounts = await openAccounts(options.target, { log });
  const limits = { ...DEFAULT_QUOTAS, ...options.quotas };
  const app = fastify({ logger: false, trustProxy: trustedProxies(trustProxy) || [] });
  app.setErrorHandler((error, _request, reply) => sendProblem(reply, error, STATE));
  app.setNotFoundHandler((_request, reply) =>
    sendProblem(reply, new ProblemError("not-found", "Nothing here."), STATE),
  );
  const added = await addLimits(app, { limits, redisUrl, keys: keyRegister(accounts, log), now, log });
  const charging = (request: FastifyRequest, reply: FastifyReply) => ({
    charge: async (quota: QuotaName) => (await added.charge(request, reply, quota)).remaining,
    countAs: (requests: number) => added.chargeAgain(request, reply, requests - 1),
  });
  const { register } = registrationHandlers({ accounts, quota: limits.registration, now });
  app.post("/api-keys/register", async (request: RoutedRequest, reply) =>
    sendResponse(
      reply,
      await register(requestReader("register")(readRequest(request, charging(request, reply))), reply),
    ),
  );
  app.route({ method: ["GET", "HEAD"], url: "/caller", handler: async (request) => getCaller(request) });
  app.options("/caller", async (_request, reply) => reply.code(204).send());
  app.post("/evaluation", async (request, reply) => {
    await added.charge(request, reply, "evaluation");
    return {};
  });
  app.get("/records/:id", async () => ({}));
  app.get("/rejected", async () => {
    throw new ProblemError("method-not-allowed", "Not so.");
  });
  app.get("/not-modified", async (_request, reply) => reply.code(304).send());
  app.get("/broken", async () => {
    throw new Error("broken on purpose");
  });
  app.get("/stop", { onRequest: () => Promise.reject(new ProblemError("draining", "Elsewhere.")) }, async () => ({}));
  const address = await app.listen({ port: 0, host: "127.0.0.1" });
  return {
    port: Number(new URL(address).port),
    accounts,
    logged,
    async close() {
      await app.close();
      await accounts.close();
    },
  };
}

const registered = z.object({ key: z.string() });

/** Returns the API key in the response to a registration. */
export function keyIn(text: string): string {
  return registered.parse(JSON.parse(text)).key;
}

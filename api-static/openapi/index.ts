/** The API as an OpenAPI 3.1 document, generated from the routes and the schemas. */

import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { ROUTES } from "../routes/index.ts";
import { TAGS } from "../routes/route.ts";
import { listAdditions } from "./additions.ts";
import { API_VERSION, DESCRIPTION, describeOperation, NOT_MODIFIED, SUMMARY, TITLE, takesFields } from "./operation.ts";
import { HEADERS, SHARED_PARAMETERS } from "./parameters.ts";
import { problemExamples, sharedResponses } from "./problems.ts";
import { namedSchemas } from "./schemas.ts";
import type { OpenApi } from "./types.ts";

const [SHARE_VERSION] = PUBLIC_VERSIONS;

/**
 * Returns the OpenAPI document. `contact` is the email address or https URL of the server's operator; null if the operator
 * has set none.
 */
export function openApi(contact: string | null = null): OpenApi {
  return {
    openapi: "3.1.1",
    info: {
      title: TITLE,
      version: API_VERSION,
      "x-share-version": SHARE_VERSION,
      summary: SUMMARY,
      description: DESCRIPTION,
      contact: {
        name: "The operator of this server",
        ...(contact === null ? {} : { [contact.startsWith("https:") ? "url" : "email"]: contact }),
      },
      license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
    },
    // Clients can look for the version here or in `info`.
    "x-share-version": SHARE_VERSION,
    "x-additions": listAdditions(ROUTES.map(describeOperation)),
    servers: [{ url: "/", description: "This server." }],
    security: [{}, { ApiKey: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: paths(),
    components: {
      schemas: namedSchemas(
        ROUTES.flatMap(({ body, bodyKind }) => (body === null || bodyKind !== "json" ? [] : [body])),
        ROUTES.filter(takesFields).flatMap(({ queried, answer }) => queried ?? answer ?? []),
      ),
      parameters: SHARED_PARAMETERS,
      headers: HEADERS,
      examples: problemExamples(ROUTES),
      responses: { NotModified: NOT_MODIFIED, ...sharedResponses(ROUTES) },
      securitySchemes: {
        ApiKey: {
          type: "apiKey",
          in: "header",
          name: "X-API-Key",
          description: "Optional; has its own rate limit. `POST /api-keys/register` returns a key.",
        },
        Session: {
          type: "apiKey",
          in: "cookie",
          name: "__Host-share_session",
          description:
            "The session of the user. `GET /auth/orcid/callback` and `POST /auth/magic/consume` set it. It expires 30 days after its last use. Requests from pages of other origins are rejected (403) by their `Origin` or `Sec-Fetch-Site`. Programs send neither.",
        },
      },
    },
  };
}

/** Returns the operations by path and method. */
function paths(): OpenApi["paths"] {
  const paths = [...new Set(ROUTES.map(({ path }) => path))];
  return Object.fromEntries(
    paths.map((path) => [
      path,
      Object.fromEntries(
        ROUTES.filter((route) => route.path === path).map((route) => [route.method, describeOperation(route)]),
      ),
    ]),
  );
}

/** The API as an OpenAPI 3.1 document, made from the routes and the schemas: nothing in it is kept a second time. */

import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { ROUTES } from "../routes/index.ts";
import { TAGS } from "../routes/route.ts";
import { API_VERSION, DESCRIPTION, NOT_MODIFIED, operationOf, SUMMARY, TITLE, takesFields } from "./operation.ts";
import { HEADERS, SHARED_PARAMETERS } from "./parameters.ts";
import { problemExamples, sharedResponses } from "./problems.ts";
import { namedSchemas } from "./schemas.ts";
import type { OpenApi } from "./types.ts";

const [SHARE_VERSION] = PUBLIC_VERSIONS;

/** Returns the document; `contact` is the email address or https URL of the operator of the server, null if unset. */
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
        name: "Whoever runs the server that this document is from",
        ...(contact === null ? {} : { [contact.startsWith("https:") ? "url" : "email"]: contact }),
      },
      license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
    },
    // A client may look for it beside the version of OpenAPI or beside that of the API.
    "x-share-version": SHARE_VERSION,
    servers: [{ url: "/", description: "The server that this document is from." }],
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
          description: "Optional: raises the rate. `POST /api-keys/register` gives one.",
        },
        Session: {
          type: "apiKey",
          in: "cookie",
          name: "__Host-share_session",
          description:
            "The session of the user who is signed in; set by `GET /auth/orcid/callback` and `POST /auth/magic/consume`, for 30 days from its last use. Requests from pages of other origins are refused (403): by `Origin`, or by `Sec-Fetch-Site`. A program sends neither.",
        },
      },
    },
  };
}

/** Operations by path and method. */
function paths(): OpenApi["paths"] {
  const paths = [...new Set(ROUTES.map(({ path }) => path))];
  return Object.fromEntries(
    paths.map((path) => [
      path,
      Object.fromEntries(
        ROUTES.filter((route) => route.path === path).map((route) => [route.method, operationOf(route)]),
      ),
    ]),
  );
}

/** Valid forms of the site, as its pages send them. */

import { PAGES } from "../../api-static/routes/index.ts";
import type { Route } from "../../api-static/routes/route.ts";
import { RECORD } from "./account-site.ts";

/** Every route that accepts a form. */
export const FORMS: readonly Route[] = PAGES.filter(({ body, bodyKind }) => body !== null && bodyKind === "form");

/** A valid form for each route, by the name of the route. */
export const HONEST_FORMS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "new-check": { identifier: "zenodo/99000001" },
  "check-draft": {
    title: "Invented tides",
    description: "Heights of an invented tide, hour by hour.",
    methods: "",
    keywords: "tides, sea",
    creators: "Carberry, Josiah; 0000-0002-1825-0097",
    contributors: "",
    licence: "cc-by-4.0",
    access: "open",
    references: "",
    related: "",
    grants: "",
    files: "README.md",
    source: "zenodo",
    file: "",
    pasted: "",
  },
  "look-up-list": { identifiers: "10.5072/a\n10.5072/b", file: "", form: "" },
  "ask-link": { email: "asking@example.org", returnTo: "/me" },
  "use-link": { link: "https://share.example/auth/magic#token=x" },
  "sign-out": {},
  "change-account": { do: "save-record", recordId: RECORD, note: "Good." },
  "keep-measurement": { identifier: "zenodo/99000001" },
  "get-key": { name: "Somebody", email: "somebody@example.org", description: "Reading" },
  unsubscribe: {},
  "erase-now": { sure: "yes" },
  "send-report": { page: "/datasets/x", text: "The licence is wrong.", email: "", website: "" },
};

/** Handlers of the views about the service. The help, the guides and the changelog show documents of the repository. */

import { readFile } from "node:fs/promises";
import { sourceNames } from "../../pipeline/sources/pledges.ts";
import { health, serviceStatus } from "../../schemas/public/api/service.ts";
import { GUIDES, guideName } from "../../schemas/public/site/guides.ts";
import { language } from "../../web/languages/translate.ts";
import { aboutView } from "../../web/views/about.ts";
import { changelogView, guideView, helpView } from "../../web/views/help.ts";
import { statusView } from "../../web/views/status.ts";
import { usageTermsView } from "../../web/views/usage-terms.ts";
import { type SiteContext, unless, viewHandlers } from "./page-handler.ts";

const DOCUMENTS = new URL("../../docs/", import.meta.url);
const UNDERSTANDING_SCORES = new URL("understanding-scores.md", DOCUMENTS);
const CHANGELOG = new URL("../../CHANGELOG.md", import.meta.url);

/** Returns the help in the language of the page. `original` is the English document. */
async function readTranslation(original: string): Promise<string> {
  if (language() === "en") return original;
  return readFile(new URL(`understanding-scores.${language()}.md`, DOCUMENTS), "utf8");
}

/** Returns a guide whose examples have the address of this site and, if there is one, the digest of its current release. */
function fillExamples(guide: string, origin: string, digest: string | undefined): string {
  const filled = guide.replaceAll(/https:\/\/share\.example\.org|http:\/\/localhost:8080/g, origin);
  if (digest === undefined) return filled;
  const own = digest.replace(":", "-");
  // The earlier release with which some examples compare is the reader's choice.
  return filled
    .split("\n")
    .map((line) => (/^earlier /i.test(line) ? line : line.replaceAll("sha256-…", own)))
    .join("\n");
}

export function helpHandlers(context: SiteContext) {
  const { active, contact, now, quotas, signIn, face } = context;
  const hasImprint = face.imprint !== null;
  return viewHandlers(context, {
    about: async () => aboutView(contact, hasImprint),
    help: async () => {
      const original = await readFile(UNDERSTANDING_SCORES, "utf8");
      return helpView(await readTranslation(original), contact, original);
    },
    guide: async ({ key }) => {
      const name = guideName.parse(key);
      const guide = await readFile(new URL(GUIDES[name].file, DOCUMENTS), "utf8");
      return guideView(name, fillExamples(guide, signIn.site.origin, active.release?.receipt.releaseDigest));
    },
    changelog: async () => changelogView(await readFile(CHANGELOG, "utf8")),
    "usage-terms": async () =>
      usageTermsView({ licence: active.release?.receipt.license ?? null, limits: quotas, contact, hasImprint }),
    "status-page": async (_request, api) =>
      statusView({
        health: await api.get(health, "health"),
        status: await unless(["no-release"], api.get(serviceStatus, "status")),
        names: sourceNames(),
        now: now(),
      }),
  });
}

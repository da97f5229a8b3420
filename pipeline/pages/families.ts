/** The families of pages that a subject has under some versions: by route, from the table of routes. */

import { ROUTES } from "../../api-static/routes/index.ts";
import type { Subject } from "../../api-static/routes/route.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { pageAddress } from "../packs/pack-names.ts";

export function familiesOf(subject: Exclude<Subject, "release">, versions: readonly PublicVersion[]): string[] {
  const families = ROUTES.filter((route) => route.subject === subject).flatMap((route) =>
    route.pages
      .filter(({ version }) => version !== null && versions.includes(version))
      .map((page) => pageAddress(route, page, "").family),
  );
  return [...new Set(families)];
}

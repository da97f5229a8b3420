/** Texts about sources of which only parts were harvested. */

import { type HarvestScope, scopeText } from "../../schemas/public/harvest-scope.ts";
import { type Html, html } from "../html.ts";
import { language, t } from "../languages/translate.ts";

/** Returns the name of a source for a table, with the parts that were harvested if they are not all. */
export function sourceCell(name: string, scopes: readonly HarvestScope[] = []): Html | string {
  if (scopes.length === 0) return name;
  return html`${name}${scopes.map((scope) => html`<span class="hint">only ${scopeText(name, scope)}</span>`)}`;
}

/** Returns a text that names the datasets which a site covers; null if all sources were harvested completely. */
export function coveredDatasets(
  sources: readonly { readonly name: string; readonly scopes: readonly HarvestScope[] }[],
): string | null {
  if (sources.every(({ scopes }) => scopes.length === 0)) return null;
  const parts = sources.flatMap(({ name, scopes }) =>
    scopes.length === 0 ? [name] : scopes.map((scope) => scopeText(name, scope)),
  );
  const locale = language() === "en" ? "en-GB" : language();
  return t`This site has the datasets of ${new Intl.ListFormat(locale).format(parts)}.`;
}

/** A command as the parser has it, but for one thing: of an option that is mistyped and one that is missing, the first is said. */

import { Command, type ParseOptionsResult } from "commander";
import { nearest } from "../../pipeline/reading/identifiers.ts";

export class ShareCommand extends Command {
  #unknown: string | null = null;

  override parseOptions(parameters: string[]): ParseOptionsResult {
    const parsed = super.parseOptions(parameters);
    this.#unknown = parsed.unknown.find((each) => each.startsWith("--")) ?? null;
    return parsed;
  }

  /** Called by the parser. Whoever mistyped `--as-of` is not helped by hearing that it is missing. */
  missingMandatoryOptionValue({ flags }: { readonly flags: string }): never {
    if (this.#unknown === null) return this.error(`error: required option '${flags}' not specified`);
    const [option = ""] = this.#unknown.split("=");
    const known = this.options.flatMap(({ long, hidden }) =>
      hidden || long === undefined || long === null ? [] : long,
    );
    return this.error(`error: unknown option '${option}' (did you mean ${nearest(option, known)}?)`);
  }
}

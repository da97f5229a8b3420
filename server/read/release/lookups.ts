/** Questions to a release that no page answers: what became of an id, whose slug this is, a label no file can have. */

import { type IdRange, idRangeOf } from "../../../pipeline/identifiers/id-range.ts";
import {
  REPOSITORY_FIGURES,
  type RepositoryFigures,
  repositoryFiguresOf,
} from "../../../pipeline/pages/release-pages.ts";
import type { PublicVersion } from "../../../schemas/public/rubric.ts";
import type { ResearcherIds } from "../../people/hidden/researcher-ids.ts";
import { NOBODY } from "../../people/hidden/standing.ts";
import { TABLES } from "../queries/lists.ts";
import type { Prepared } from "../queries/prepared.ts";

/** What a release knows of a record id. */
export type RecordFate =
  | { readonly fate: "listed" | "unknown" }
  | { readonly fate: "alias"; readonly winner: string }
  | { readonly fate: "tombstone" | "not_dataset"; readonly reason: string | null };

export class Lookups {
  readonly #prepared: Prepared;

  constructor(prepared: Prepared) {
    this.#prepared = prepared;
  }

  async recordFate(id: string): Promise<RecordFate> {
    const [row] = await this.#prepared.rows(
      `select 'alias' as fate, id as detail from alias where alias_id = $id
       union all select kind, reason from unlisted where id = $id
       union all select 'listed', null from ${TABLES.texts("records")} where id = $id
       order by fate limit 1`,
      { id },
    );
    const [fate, text] = row ?? [];
    const detail = typeof text === "string" ? text : null;
    switch (fate) {
      case "alias":
        return { fate, winner: detail ?? "" };
      case "tombstone":
      case "not_dataset":
        return { fate, reason: detail };
      case "listed":
        return { fate };
      default:
        return { fate: "unknown" };
    }
  }

  /** The ids of the record that an id, its own or an alias, leads to: the record's own first, then its aliases. */
  async sameRecord(id: string): Promise<string[]> {
    const rows = await this.#prepared.rows(
      `with winner as (select coalesce((select id from alias where alias_id = $id), $id) as id)
       select id, 0 as place from winner
       union all select alias.alias_id, 1 from alias join winner on winner.id = alias.id
       order by place, id`,
      { id },
    );
    return rows.map(([known]) => String(known));
  }

  /**
   * The right slug of the researcher whose ORCID or id ends this one; null where there is none, or more than one. Who is
   * in `hidden` is not there.
   */
  async slugLike(slug: string, version: PublicVersion, hidden = NOBODY): Promise<string | null> {
    const found = await this.#researchersLike(slug, version, hidden);
    const known = found[0]?.slug;
    // Someone with an ORCID is not known by the digits of their id: a suffix counts only if the right slug ends in it.
    return found.length === 1 && known !== undefined && known.endsWith(idRangeOf(slug)?.suffix ?? "") ? known : null;
  }

  /** The id of the researcher with exactly this slug, whether or not they are hidden. */
  async researcherId(slug: string, version: PublicVersion): Promise<string | null> {
    const found = await this.#researchersLike(slug, version, NOBODY);
    return found.find((researcher) => researcher.slug === slug)?.id ?? null;
  }

  /** Up to two researchers whose id the end of a slug can mean: a slug that means more means no one. */
  async #researchersLike(
    slug: string,
    version: PublicVersion,
    hidden: ResearcherIds,
  ): Promise<{ readonly id: string; readonly slug: string }[]> {
    const asked = idRangeOf(slug);
    if (asked === null) return [];
    // Who is hidden is not looked for: a row that is found, and then kept quiet, takes longer than one that is not there.
    const range = hidden.mayHave(slug) ? besides(asked) : asked;
    const rows = await this.#prepared.rows(
      `select texts.id, texts.slug from ${TABLES.texts("authors")} as texts
       join ${TABLES.figures("authors", version)} as figures on figures.position = texts.position
       where texts.id between $from and $to order by texts.id limit 2`,
      { from: range.from, to: range.to },
    );
    return rows.map(([id, known]) => ({ id: String(id), slug: String(known) }));
  }

  /** What the badge of a repository is made of; null where there is no such label. */
  async repositoryFigures(label: string, version: PublicVersion): Promise<RepositoryFigures | null> {
    const [row] = await this.#prepared.rows(
      `${REPOSITORY_FIGURES} and repository.repository = $label and repository.repository <> ''`,
      { version, label },
    );
    return row === undefined ? null : repositoryFiguresOf(row);
  }
}

/** As wide a range in the same place of the tables, of ids that nobody has. */
function besides({ suffix, from }: IdRange): IdRange {
  return { suffix, from: `${from}!`, to: `${from}!` };
}

/** Reads funding, and counts its funders and awards (rubrics.md, "Evidence"). */

import type { Creator, Funding } from "../../schemas/internal/capture.ts";
import type { Evidence } from "../../schemas/public/evidence.ts";
import { MAX_TEXT } from "../../schemas/public/record-columns.ts";
import type { Vocabularies } from "../vocabularies/index.ts";
import { readOrganisationId, readWebUrl } from "./identifiers.ts";
import { STEERING, safeText } from "./text.ts";

/** One entry on funding, as the payload contains it. A missing field means that the source does not have such a field. */
export interface StatedFunding {
  readonly funder?: string | null;
  readonly funderId?: string | null;
  /** Name or URL of the identifier scheme of `funderId`, such as "Crossref Funder ID". */
  readonly funderScheme?: string | null;
  readonly awardNumber?: string | null;
  readonly awardTitle?: string | null;
  readonly awardUrl?: string | null;
}

/** The funding of one record, and the evidence columns that follow from it. */
export interface FundingRead {
  readonly funding: readonly Funding[];
  readonly evidence: Pick<Evidence, "funder_count" | "award_count">;
}

/** The result for a payload without a field for funding. */
export const NO_FUNDING: FundingRead = { funding: [], evidence: { funder_count: null, award_count: null } };

/**
 * Counts distinct funders and award numbers. Placeholders such as "none" do not count. A funder without a name counts by
 * its identifier.
 */
export function readFunding(stated: readonly StatedFunding[], vocabularies: Vocabularies): FundingRead {
  const funding = stated.map((each) => buildFunding(each, vocabularies)).filter(hasValue);
  for (const { funder, funderId, awardNumber } of funding) {
    const name = funder ?? funderId;
    if (name !== null) vocabularies.note?.("funder_count", name, true);
    if (awardNumber !== null) vocabularies.note?.("award_count", awardNumber, true);
  }
  return {
    funding,
    evidence: {
      funder_count: distinct(funding.map(({ funder, funderId }) => funder ?? funderId)),
      award_count: distinct(funding.map(({ awardNumber }) => awardNumber)),
    },
  };
}

/**
 * An empty entry that replaces a funder who is a person. The name is not published, because it could not be found and
 * removed if this person wants to be hidden.
 */
export const PRIVATE_FUNDER: Funding = {
  funder: null,
  funderId: null,
  awardNumber: null,
  awardTitle: null,
  awardUrl: null,
};

/**
 * Removes funders and award titles that contain the name of a creator, because a creator who is hidden must not be
 * named in any text. Each removed funder still counts.
 */
export function withoutNames(
  funding: readonly Funding[],
  creators: readonly Creator[],
  { names }: Pick<Vocabularies, "names">,
): readonly Funding[] {
  if (funding.length === 0) return funding;
  const people = creators
    .filter(({ person }) => person)
    // Initials do not identify a person.
    .map(({ name }) =>
      names
        .foldName(name)
        .split(" ")
        .filter((word) => word.length > 1),
    )
    .filter((words) => words.length > 1);
  if (people.length === 0) return funding;
  const byFirstWord = Map.groupBy(people, ([first]) => first);
  const isPrivate = (text: string | null) => {
    const words = new Set(text === null ? [] : names.foldText(text).split(" "));
    const candidates = [...words].flatMap((word) => byFirstWord.get(word) ?? []);
    return candidates.some((name) => name.every((word) => words.has(word)));
  };
  const funders = new Set(funding.map(({ funder }) => funder).filter(isPrivate));
  const shown = funding.map((each) => ({
    ...each,
    ...(funders.has(each.funder) ? { funder: null, funderId: null } : {}),
    awardTitle: isPrivate(each.awardTitle) ? null : each.awardTitle,
  }));
  return [
    ...shown.filter((each, i) => hasValue(each) || !hasValue(funding[i] ?? each)),
    ...[...funders].map(() => PRIVATE_FUNDER),
  ];
}

function buildFunding(stated: StatedFunding, vocabularies: Vocabularies): Funding {
  const words = (text: string | null | undefined) =>
    text === null || text === undefined || vocabularies.placeholders.isPlaceholder(text, "any")
      ? null
      : safeText(text, MAX_TEXT).toWellFormed().trim() || null;
  const url = readWebUrl(stated.awardUrl?.trim() ?? null);
  return {
    funder: words(stated.funder),
    funderId: readOrganisationId(stated.funderId ?? null, stated.funderScheme ?? null),
    awardNumber: words(stated.awardNumber),
    awardTitle: words(stated.awardTitle),
    awardUrl: url === null || url.search(STEERING) >= 0 ? null : url,
  };
}

function hasValue(funding: Funding): boolean {
  return Object.values(funding).some((value) => value !== null);
}

function distinct(texts: readonly (string | null)[]): number {
  return new Set(texts.filter((text) => text !== null)).size;
}

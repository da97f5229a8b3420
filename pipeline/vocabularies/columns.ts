/** Lists the vocabulary files and their columns. */

/** The columns of each file. `note` is a remark for people and has no effect. */
export const VOCABULARY_COLUMNS = {
  "access-levels.csv": ["match", "text", "level", "note"],
  "code-hosts.csv": ["host", "note"],
  "contributor-roles.csv": ["role", "scheme", "counts", "note"],
  "country-aliases.csv": ["alias", "alpha3", "note"],
  "country-ambiguous.csv": ["code", "meaning"],
  "country-regions.csv": ["name", "code", "alpha3", "alone", "note"],
  "date-types.csv": ["date_type", "coverage", "note"],
  "degrees.csv": ["text", "position", "note"],
  "file-kinds.csv": ["match", "pattern", "open", "inspectable", "documentation", "code", "manifest", "note"],
  "folding.csv": ["character", "folded", "note"],
  "generic-filenames.csv": ["word", "note"],
  "identifier-types.csv": ["type", "scheme", "note"],
  "licence-aliases.csv": ["match", "text", "spdx_id", "note"],
  "licence-classes.csv": ["pattern", "permissive", "open", "note"],
  "licence-phrases.csv": ["phrase", "meaning", "note"],
  "name-particles.csv": ["particle", "capital", "note"],
  "placeholders.csv": ["match", "text", "scope", "note"],
  "related-types.csv": ["text", "related_type", "note"],
  "relations.csv": ["relation_type", "related_type", "counts_as", "note"],
} as const;

export type VocabularyFile = keyof typeof VOCABULARY_COLUMNS;
/** Names of the files in alphabetical order. */
export const VOCABULARY_FILES: readonly VocabularyFile[] = (Object.keys(VOCABULARY_COLUMNS) as VocabularyFile[]).sort();

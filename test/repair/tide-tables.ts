/** DataCite records of one invented repository, most of which have the same fault in their keywords. */

export const ARCHIVE = "Archive of Invented Seas";

const ABSTRACT =
  "Heights of the tide, measured every ten minutes at an invented gauge over two years. Each file has one month, with the time in UTC, the height above chart datum in metres, and a flag for values that a storm made uncertain. The gauge was levelled twice a year, and the clock was set daily, so that the heights of different months can be compared.";

/**
 * Returns the i-th record. Two of three records have all keywords in one entry, as some platforms export them; the third has
 * one entry for each.
 */
export function tideTable(i: number) {
  return {
    id: `10.1000/tides.${i}`,
    type: "dois",
    attributes: {
      doi: `10.1000/tides.${i}`,
      state: "findable",
      updated: "2026-10-01T00:00:00Z",
      types: { resourceTypeGeneral: "Dataset" },
      titles: [{ title: `Tide table ${i}` }],
      publisher: ARCHIVE,
      publicationYear: 2025,
      creators: [
        {
          name: "Carberry, Josiah",
          nameType: "Personal",
          nameIdentifiers: [{ nameIdentifier: "https://orcid.org/0000-0002-1825-0097", nameIdentifierScheme: "ORCID" }],
        },
      ],
      contributors: [],
      subjects:
        i % 3 === 0
          ? ["tides", "sea level", "North Sea"].map((subject) => ({ subject }))
          : [{ subject: "tides; sea level; North Sea" }],
      descriptions: [{ description: ABSTRACT, descriptionType: "Abstract" }],
      rightsList: [
        {
          rights: "CC BY 4.0",
          rightsIdentifier: "cc-by-4.0",
          rightsUri: "https://creativecommons.org/licenses/by/4.0/",
        },
      ],
      relatedIdentifiers: [],
      fundingReferences: [],
      dates: [],
      formats: [],
      geoLocations: [],
    },
  };
}

// The short vocabularies: placeholders, access levels, contributor roles, code hosts, types of identifiers and dates.
import { describe, expect, it } from "vitest";
import { loadVocabularies } from "../../pipeline/vocabularies/index.ts";
import { memoise } from "../../pipeline/vocabularies/read-table.ts";
import { readVocabularyRows } from "./rows-of.ts";

const { placeholders, accessLevels, roles, codeHosts, identifierTypes, dateTypes } = await loadVocabularies();

describe("each row of placeholders.csv", async () => {
  const rows = (await readVocabularyRows("placeholders.csv")).map((cell) => ({
    match: cell("match"),
    text: cell("text"),
    scope: cell("scope"),
  }));
  const extended = {
    exact: (text: string) => text,
    prefix: (text: string) => `${text}zz`,
    contains: (text: string) => `zz${text}zz`,
  };

  it.each(rows)(
    "the row with the text $text ($match) is recognised as a placeholder in the scope $scope",
    ({ match, text, scope }) => {
      const form = match === "exact" ? extended.exact : match === "prefix" ? extended.prefix : extended.contains;
      const seen = `  ${form(text).toUpperCase().replaceAll(" ", " \n ")} `;
      expect(placeholders.isPlaceholder(seen, scope === "term" ? "term" : "name")).toBe(true);
      if (scope === "any") expect(placeholders.isPlaceholder(seen, "term")).toBe(true);
      if (scope === "any") expect(placeholders.isPlaceholder(seen, "any")).toBe(true);
    },
  );

  it.each(rows.filter(({ scope }) => scope === "name"))(
    "the text $text is a placeholder only as a name",
    ({ text }) => {
      expect(placeholders.isPlaceholder(text, "any")).toBe(false);
    },
  );
});

describe("recognising placeholders", () => {
  const cases: [string, boolean, boolean][] = [
    ["(:unav)", true, true],
    ["(:Unkn) Unknown", true, true],
    [":(unav)", true, true],
    ["TODO: ", true, true],
    ["N/A", true, true],
    ["", true, true],
    [" \t", true, true],
    ["Anonymous", false, true],
    ["NN", false, true],
    ["Study Director", false, true],
    ["Bayer Study Director", false, true],
    ["Pfizer CT.gov Call Center", false, true],
    ["\\N", true, true],
    ["Not Sure", true, true],
    ["tides.csv has no associated licence.  Please contact the archive for advice.", true, true],
    ["A description containing additional information about the resource. Use English.", true, true],
    ["Specify the origin of the data contained in the resource", true, true],
    ["N", false, false],
    ["Not Sure Foundation", false, false],
    ["tides.csv has an associated licence.", false, false],
    ["A description of the resource", false, false],
    ["Unknown Soldier Memorial", false, false],
    ["Nonell, Anna", false, false],
    ["National Institutes of Health Clinical Trials Unit", false, false],
    ["AT", false, false],
    ["description", false, false],
    ["Anulli, Fabio", false, false],
  ];
  it.each(cases)("the text %j is a placeholder as a value: %j, and as a name: %j", (text, any, name) => {
    expect([placeholders.isPlaceholder(text, "any"), placeholders.isPlaceholder(text, "name")]).toEqual([any, name]);
  });
});

describe("each row of access-levels.csv", async () => {
  const rows = (await readVocabularyRows("access-levels.csv")).map((cell) => ({
    match: cell("match"),
    text: cell("text"),
    level: cell("level"),
  }));

  it.each(rows.filter(({ match }) => match === "exact"))(
    "the text $text is read as the access level $level",
    ({ text, level }) => {
      expect(accessLevels.findLevel(` ${text.toUpperCase()}. `)).toBe(level);
      expect(accessLevels.findLevel(text.replaceAll(" ", "_"))).toBe(level);
      expect(accessLevels.findLevel(`${text} with conditions`)).toBeNull();
    },
  );

  it.each(rows.filter(({ match }) => match === "url"))(
    "the URL $text is read as the access level $level",
    ({ text, level }) => {
      for (const scheme of ["http", "https"]) expect(accessLevels.findLevel(`${scheme}://${text}`)).toBe(level);
    },
  );

  it.each(rows.filter(({ text }) => text.includes("*")))(
    "the constraint $text is read as the access level $level",
    ({ text, level }) => {
      expect(
        accessLevels.levelOfConstraints(text.replace("*", "members of the invented Rain Team").toUpperCase()),
      ).toBe(level);
      expect(accessLevels.levelOfConstraints(text.replace("*", ""))).toBeNull();
      expect(accessLevels.levelOfConstraints(`not ${text}`)).toBeNull();
      expect(accessLevels.findLevel(text)).toBeNull();
    },
  );

  it.each(rows.filter(({ match, text }) => match === "constraint" && !text.includes("*")))(
    "the constraint $text is read as the access level $level",
    ({ text, level }) => {
      expect(accessLevels.levelOfConstraints(` ${text.toUpperCase()}. `)).toBe(level);
      expect(accessLevels.findLevel(text)).toBeNull();
      expect(accessLevels.levelOfConstraints(`${text} but one`)).toBeNull();
      expect(accessLevels.levelOfConstraints("restricted")).toBe("restricted");
    },
  );
});

describe("reading access levels", () => {
  const cases: [string, string | null][] = [
    ["info:eu-repo/semantics/openAccess", "open"],
    ["http://purl.org/coar/access_right/c_abf2", "open"],
    ["http://purl.org/coar/access_right/c_14cb", "metadata_only"],
    ["embargoed", "embargoed"],
    ["Free access - all rights reserved", null],
    ["https://creativecommons.org/licenses/by/4.0/", null],
    ["CC0", null],
    ["In Copyright", null],
    ["", null],
  ];
  it.each(cases)("the text %j has the access level %j", (text, level) => {
    expect(accessLevels.findLevel(text)).toBe(level);
  });
});

describe("each row of contributor-roles.csv", async () => {
  const rows = (await readVocabularyRows("contributor-roles.csv")).map((cell) => ({
    role: cell("role"),
    counts: cell("counts"),
  }));

  it.each(rows)("the contributor role $role counts: $counts", ({ role, counts }) => {
    for (const form of [role, role.toUpperCase(), role.replace(/(?=[A-Z])/g, " "), role.replaceAll(" ", "-")]) {
      expect(roles.counts(form)).toBe(counts === "yes");
    }
  });

  it.each([
    ["https://credit.niso.org/contributor-roles/formal-analysis/", true],
    ["https://credit.niso.org/contributor-roles/writing-review-editing", true],
    ["data curator", true],
    ["Juggler", false],
    ["", false],
  ])("the contributor role %j counts: %j", (role, counts) => {
    expect(roles.counts(role)).toBe(counts);
  });
});

describe("each row of code-hosts.csv", async () => {
  const hosts = (await readVocabularyRows("code-hosts.csv")).map((cell) => cell("host"));

  it.each(hosts)("a URL on %s is on a code host", (pattern) => {
    const host = pattern.replace("*", "example.org");
    expect(codeHosts.isCodeHost(`https://${host.toUpperCase()}/wells/model`)).toBe(true);
    expect(codeHosts.isCodeHost(`${host}/wells/model.git`)).toBe(true);
    expect(codeHosts.isCodeHost(`https://example.org/${host}/model`)).toBe(false);
    if (!pattern.includes("*")) {
      expect(codeHosts.isCodeHost(`http://sub.${host}:8080/wells`)).toBe(true);
      expect(codeHosts.isCodeHost(`https://un${host}/wells`)).toBe(false);
    }
  });

  it.each([
    ["git@github.com:wells/model.git", true],
    ["git+ssh://git@gitlab.com/wells/model", true],
    ["git://example.org/model", false],
    ["https://gitlab.uni-wells.example/model", true],
    ["https://user:word@github.com/wells", true],
    ["https://github.com.example.org/wells", false],
    ["https://doi.org/10.5281/zenodo.1", false],
    ["10.5281/zenodo.1", false],
    ["https://git.io", false],
    ["", false],
  ])("the URL %j is on a code host: %j", (url, isHost) => {
    expect(codeHosts.isCodeHost(url)).toBe(isHost);
  });
});

describe("each row of identifier-types.csv", async () => {
  const rows = (await readVocabularyRows("identifier-types.csv")).map((cell) => ({
    type: cell("type"),
    scheme: cell("scheme"),
  }));

  it.each(rows)("the identifier type $type has the scheme $scheme", ({ type, scheme }) => {
    expect(identifierTypes.findScheme(type.toLowerCase())).toBe(scheme === "" ? null : scheme);
  });

  it("identifier-types.csv has exactly the five schemes of the contracts", () => {
    const types = ["DOI", "PMID", "arXiv", "Handle", "URL", "ISSN", "ZZZ", ""];
    const schemes = ["doi", "pmid", "arxiv", "handle", "url", null, null, null];
    expect(types.map((type) => identifierTypes.findScheme(type))).toEqual(schemes);
  });
});

describe("each row of date-types.csv", async () => {
  const rows = (await readVocabularyRows("date-types.csv")).map((cell) => ({
    type: cell("date_type"),
    coverage: cell("coverage"),
  }));

  it.each(rows)("the date type $type means coverage: $coverage", ({ type, coverage }) => {
    for (const form of [type, type.toLowerCase()]) expect(dateTypes.isCoverage(form)).toBe(coverage === "yes");
  });

  it("the date of publication never counts as coverage", () => {
    for (const type of ["Issued", "Available", "ZZZ", ""]) expect(dateTypes.isCoverage(type)).toBe(false);
  });
});

describe("holding results with memoise", () => {
  it("memoise computes a result only once, even a null result, as long as it holds the result", () => {
    const asked: string[] = [];
    const answer = memoise((text) => {
      asked.push(text);
      return text === "b" ? null : text;
    }, 2);
    expect(["a", "b", "a", "b", "c", "a"].map(answer)).toEqual(["a", null, "a", null, "c", "a"]);
    expect(asked).toEqual(["a", "b", "c", "a"]);
  });
});

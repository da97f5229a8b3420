/**
 * Converts a schema.org Dataset in JSON-LD to DataCite's attributes. Reads plain schema.org, the root dataset of an
 * RO-Crate (1.1, "Root Data Entity"), Croissant (1.0), and codemeta.json of a dataset. Each property is read once, and
 * references to other nodes of `@graph` are followed one step. The amount of text is limited.
 */

import {
  readDoi,
  readIsni,
  readOrcid,
  readOrganisationId,
  readOrganisationPid,
  readWebUrl,
} from "../../reading/identifiers.ts";
import { asList, asObject, asText, at, firstText, type Json, oneOrMany, type Reader } from "../../reading/reader.ts";
import { readDate } from "../../reading/text.ts";

/** A fact for which some formats have no field. */
export type Fact = "access" | "coverage" | "methods" | "subjects";

/** Facts for which schema.org has no field, so their absence means unknown. */
const CANNOT_STATE: readonly Fact[] = ["access", "methods"];

/** True if the attributes come from a format that has no field for this fact. */
export function cannotState(reader: Reader, fact: Fact): boolean {
  return asList(reader.raw("cannotState")).includes(fact);
}

/**
 * Limit of characters and values that are read. A small file could otherwise cause much work, if many people refer to one
 * organisation with a long name.
 */
const MAX_WEIGHT = 5 * 1024 * 1024;

const LOOK_UP = 4;
const PERSON = 100;

/** The subject of a JSON-LD document: a dataset (with DataCite's attributes), or something else (with its types). */
export type JsonLdSubject =
  | { readonly kind: "dataset"; readonly attributes: Json }
  | { readonly kind: "other"; readonly types: readonly string[] }
  | { readonly kind: "unclear"; readonly problem: string };

/** Cached results, because a document is examined several times: for its source, its content and its errors. */
const described = new WeakMap<object, JsonLdSubject | null>();

export function schemaOrgIn(document: unknown): JsonLdSubject | null {
  if (typeof document !== "object" || document === null) return null;
  const found = described.has(document) ? (described.get(document) ?? null) : describedIn(document);
  described.set(document, found);
  return found;
}

function describedIn(document: object): JsonLdSubject | null {
  try {
    const graph = new Graph(document);
    const root = graph.root();
    if (root === null) return null;
    if (root === "several")
      return { kind: "unclear", problem: "describes several datasets; give a file that describes one of them" };
    const types = readTypes(root);
    return types.some(isDataset)
      ? { kind: "dataset", attributes: buildAttributes(root, graph) }
      : { kind: "other", types };
  } catch (error) {
    if (error instanceof TooMuch)
      return {
        kind: "unclear",
        problem: "refers to more text and values than one record may have; remove what does not describe the dataset",
      };
    throw error;
  }
}

/**
 * Returns the object of the only dataset in a JSON-LD document, which the caller may change. Returns null if there is not
 * exactly one.
 */
export function datasetNode(document: Json): Json | null {
  const isDescribed = schemaOrgIn(document)?.kind === "dataset";
  const root = isDescribed ? new Graph(document).root() : null;
  return root === "several" ? null : root;
}

class TooMuch extends Error {}

const isDataset = (type: string) => type.toLowerCase() === "dataset";

const PREFIX = /^(?:https?:\/\/schema\.org\/|schema:|sc:)/;
/** Prefixes that the properties of schema.org can have. */
export const PREFIXES = ["", "schema:", "sc:", "https://schema.org/", "http://schema.org/"];

/** Returns the types of a node without their prefix. If there is a context, `type` means `@type` (codemeta 3.0). */
function readTypes(node: Json): string[] {
  const stated = node["@type"] ?? (Object.hasOwn(node, "@context") ? node.type : undefined);
  return oneOrMany(stated).flatMap((type) => asText(type)?.replace(PREFIX, "") ?? []);
}

function readId(node: unknown): string | null {
  return asText(at(node, "@id"));
}

class Graph {
  readonly #top: readonly Json[];
  readonly #byId = new Map<string, Json>();
  /** The prefixes that occur in this document. */
  readonly #prefixes: readonly string[];
  #left = MAX_WEIGHT;

  constructor(document: unknown) {
    const nodes: readonly unknown[] = Array.isArray(document) ? document : [document];
    this.#top = nodes
      .flatMap((node) => (Array.isArray(at(node, "@graph")) ? asList(at(node, "@graph")) : [node]))
      .map(asObject)
      .filter((node) => node !== null);
    for (const node of this.#top) {
      const id = readId(node);
      if (id !== null && !this.#byId.has(id)) this.#byId.set(id, node);
    }
    const keys = this.#top.flatMap((node) => Object.keys(node));
    this.#prefixes = PREFIXES.filter((prefix) => prefix === "" || keys.some((key) => key.startsWith(prefix)));
  }

  value(node: unknown, name: string): unknown {
    this.weigh(LOOK_UP);
    const object = asObject(node);
    if (object === null) return undefined;
    for (const prefix of this.#prefixes) {
      if (Object.hasOwn(object, `${prefix}${name}`)) return object[`${prefix}${name}`];
    }
    return undefined;
  }

  /**
   * Returns the dataset of the document: the one that the descriptor of an RO-Crate names, otherwise the only dataset that
   * is not part of another.
   */
  root(): Json | "several" | null {
    const typed = this.#top.filter((node) => readTypes(node).length > 0);
    const [first] = typed;
    if (first === undefined) return null;
    const descriptor = typed.find((node) => /(?:^|\/)ro-crate-metadata\.json(?:ld)?$/.test(readId(node) ?? ""));
    const described = this.#byId.get(readId(this.value(descriptor, "about")) ?? "");
    if (described !== undefined) return described;
    const datasets = typed.filter((node) => readTypes(node).some(isDataset));
    const parts = new Set(datasets.flatMap((node) => oneOrMany(this.value(node, "hasPart")).map(readId)));
    const [root, another] = datasets.filter((node) => readId(node) === null || !parts.has(readId(node)));
    return another === undefined ? (root ?? first) : "several";
  }

  /** Returns the values of properties. Follows references to other nodes and opens lists. Each node is returned once. */
  values(node: unknown, ...names: readonly string[]): unknown[] {
    const found = new Set<unknown>();
    for (const each of names.flatMap((name) => this.#listed(this.value(node, name)))) {
      for (const item of this.#listed(at(each, "@list") ?? at(each, "@set") ?? each)) {
        const id = readId(item);
        found.add((id === null ? undefined : this.#byId.get(id)) ?? item);
      }
    }
    return [...found];
  }

  text(from: unknown, ...names: readonly string[]): string | null {
    const values = names.length === 0 ? [from] : names.map((name) => this.#listed(this.value(from, name))[0]);
    const text = firstText(...values.flatMap((each) => [each, at(each, "@value")]));
    this.weigh(text?.length ?? 0);
    return text;
  }

  /**
   * Adds `weight`, a number of characters or values, to the work that was done for this document.
   * @throws TooMuch if the sum exceeds the limit
   */
  weigh(weight: number): void {
    this.#left -= weight;
    if (this.#left < 0) throw new TooMuch();
  }

  #listed(stated: unknown): readonly unknown[] {
    const list = oneOrMany(stated);
    this.weigh(list.length);
    return list;
  }

  identifiers(node: unknown): string[] {
    const stated = this.values(node, "identifier", "sameAs", "url");
    const texts = stated.map((each) => this.text(each) ?? this.text(each, "value", "@id", "url"));
    return [readId(node), ...texts].filter((text) => text !== null);
  }
}

function buildAttributes(root: Json, graph: Graph): Json {
  const identifiers = graph.identifiers(root);
  const published = graph.text(root, "datePublished");
  return {
    cannotState: CANNOT_STATE,
    doi: identifiers.map(readDoi).find((doi) => doi !== null) ?? null,
    url: identifiers.find((text) => readWebUrl(text) !== null) ?? null,
    types: { resourceTypeGeneral: "Dataset" },
    titles: makeTitles(graph.text(root, "name", "headline")),
    publisher: readPublisher(root, graph),
    publicationYear: readDate(published)?.slice(0, 4) ?? null,
    creators: graph
      .values(root, graph.value(root, "creator") === undefined ? "author" : "creator")
      .flatMap((agent) => readAgent(agent, graph)),
    contributors: CONTRIBUTORS.flatMap(([name, role]) => readContributors(root, name, role, graph)),
    subjects: readSubjects(root, graph),
    dates: readDates(root, published, graph),
    formats: readFormats(root, graph),
    version: graph.text(root, "version"),
    rightsList: graph.values(root, "license").flatMap((licence) => readRights(licence, graph)),
    descriptions: readDescriptions(root, graph),
    geoLocations: graph.values(root, "spatialCoverage").flatMap((place) => readPlaces(place, graph)),
    fundingReferences: readStatedFunding(root, graph),
    relatedIdentifiers: RELATIONS.flatMap(([name, relation]) =>
      graph.values(root, name).flatMap((work) => readRelated(work, relation, graph)),
    ),
    container: { title: readVenue(root, graph) },
  };
}

function makeTitles(title: string | null): Json[] {
  return title === null ? [] : [{ title }];
}

function readPublisher(root: Json, graph: Graph): string | null {
  const [publisher] = graph.values(root, "publisher");
  return graph.text(publisher) ?? graph.text(publisher, "name");
}

function readAgent(agent: unknown, graph: Graph): Json[] {
  graph.weigh(PERSON);
  const types = readTypes(asObject(agent) ?? {});
  const firstName = graph.text(agent, "givenName");
  const family = graph.text(agent, "familyName");
  const name = graph.text(agent) ?? graph.text(agent, "name", "legalName") ?? (family === null ? firstName : null);
  const identifiers = graph.identifiers(agent);
  if (name === null && family === null && identifiers.length === 0) return [];
  const nameType = types.includes("Person") ? "Personal" : types.includes("Organization") ? "Organizational" : null;
  const nameIdentifiers = identifiers.flatMap((text) => makeNameIdentifier(text));
  const affiliation = graph.values(agent, "affiliation").flatMap((each) => readAffiliation(each, graph));
  return [{ name, nameType, givenName: firstName, familyName: family, nameIdentifiers, affiliation }];
}

function makeNameIdentifier(text: string): Json[] {
  const scheme = readOrcid(text) !== null ? "ORCID" : readIsni(text) !== null ? "ISNI" : readOrganisationScheme(text);
  return scheme === null ? [] : [{ nameIdentifier: text, nameIdentifierScheme: scheme }];
}

function readOrganisationScheme(text: string): string | null {
  return readOrganisationPid(text, null)?.split(":")[0]?.toUpperCase() ?? null;
}

/** Returns an organisation with its identifier. Plain text has no identifier and is returned unchanged. */
function readAffiliation(organisation: unknown, graph: Graph): (string | Json)[] {
  const text = graph.text(organisation);
  if (text !== null) return [text];
  const identifier = graph.identifiers(organisation).find((each) => readOrganisationScheme(each) !== null) ?? null;
  const name = graph.text(organisation, "name", "legalName");
  if (name === null && identifier === null) return [];
  const affiliationIdentifierScheme = identifier === null ? null : readOrganisationScheme(identifier);
  return [{ name: name ?? identifier, affiliationIdentifier: identifier, affiliationIdentifierScheme }];
}

const CONTRIBUTORS = [
  ["contributor", "Other"],
  ["editor", "Editor"],
  ["producer", "Producer"],
  ["contactPoint", "ContactPerson"],
  ["maintainer", "DataManager"],
] as const;

/**
 * Reads contributors. In JSON-LD, an object of type Role may stand between the dataset and a person; it contains what the
 * person did.
 */
function readContributors(root: Json, name: string, type: string, graph: Graph): Json[] {
  return graph.values(root, name).flatMap((stated) => {
    const role = graph.text(stated, "roleName");
    const [within = stated] = graph.values(stated, name);
    return readAgent(within, graph).map((agent) => ({ ...agent, contributorType: role ?? type }));
  });
}

/** Reads subjects. Splits text at commas; a DefinedTerm also has a scheme. */
function readSubjects(root: Json, graph: Graph): (string | Json)[] {
  const terms = graph.values(root, "about").filter((term) => readTypes(asObject(term) ?? {}).includes("DefinedTerm"));
  return [...graph.values(root, "keywords"), ...terms].flatMap((keyword): (string | Json)[] => {
    const text = graph.text(keyword);
    if (text !== null) return text.split(",").filter((subject) => subject.trim() !== "");
    const [set] = graph.values(keyword, "inDefinedTermSet");
    return [
      {
        subject: graph.text(keyword, "name", "termCode"),
        subjectScheme: graph.text(set) ?? graph.text(set, "name", "@id"),
        valueUri: graph.identifiers(keyword).find((uri) => readWebUrl(uri) !== null) ?? null,
        classificationCode: graph.text(keyword, "termCode"),
      },
    ];
  });
}

function readDates(root: Json, published: string | null, graph: Graph): Json[] {
  const coverage = graph.values(root, "temporalCoverage").map((period) => {
    const ends = [graph.text(period, "startDate"), graph.text(period, "endDate")];
    return graph.text(period) ?? (ends.every((end) => end === null) ? null : ends.join("/"));
  });
  return [
    { date: published, dateType: "Issued" },
    { date: graph.text(root, "dateCreated"), dateType: "Created" },
    { date: graph.text(root, "dateModified"), dateType: "Updated" },
    ...coverage.map((date) => ({ date, dateType: "Coverage" })),
  ].filter(({ date }) => date !== null);
}

function readFormats(root: Json, graph: Graph): string[] {
  const files = graph.values(root, "distribution", "hasPart");
  const stated = [root, ...files].flatMap((file) => graph.values(file, "encodingFormat", "fileFormat"));
  return [...new Set(stated.map((format) => graph.text(format)).filter((format) => format !== null))];
}

function readRights(licence: unknown, graph: Graph): Json[] {
  const text = graph.text(licence);
  if (text !== null) return [readWebUrl(text) === null ? { rights: text } : { rightsUri: text }];
  const rights = graph.text(licence, "name");
  const rightsUri =
    graph.identifiers(licence).find((uri) => readWebUrl(uri) !== null) ?? graph.text(licence, "license");
  return rights === null && rightsUri === null ? [] : [{ rights, rightsUri }];
}

function readDescriptions(root: Json, graph: Graph): Json[] {
  const readTexts = (...names: readonly string[]) =>
    graph.values(root, ...names).map((each) => graph.text(each) ?? graph.text(each, "name", "description"));
  return [
    ...readTexts("description", "abstract").map((description) => ({ description, descriptionType: "Abstract" })),
    ...readTexts("measurementTechnique", "measurementMethod").map((description) => ({
      description,
      descriptionType: "Methods",
    })),
  ].filter(({ description }) => description !== null);
}

/** Returns the parts of a place: each geometry, as a point or as text, then its name. */
function readPlaces(place: unknown, graph: Graph): Json[] {
  const name = graph.text(place) ?? graph.text(place, "name", "address");
  return graph
    .values(place, "geo")
    .map((geo): Json => {
      const latitude = graph.text(geo, "latitude");
      if (latitude === null) return { geoLocationPolygon: graph.text(geo, "box", "polygon", "line", "circle") };
      return { geoLocationPoint: { pointLatitude: latitude, pointLongitude: graph.text(geo, "longitude") } };
    })
    .concat(name === null ? [] : [{ geoLocationPlace: name }]);
}

function readStatedFunding(root: Json, graph: Graph): Json[] {
  const readName = (funder: unknown) => graph.text(funder) ?? graph.text(funder, "name", "legalName");
  const readFunder = (funder: unknown): Json => ({
    funderName: readName(funder),
    funderIdentifier: graph.identifiers(funder).find((text) => readOrganisationId(text, null) !== null) ?? null,
  });
  const grants = graph.values(root, "funding").map((grant) => {
    const [funder] = graph.values(grant, "funder", "sponsor");
    const identifiers = graph.values(grant, "identifier").map((each) => graph.text(each) ?? graph.text(each, "value"));
    return {
      ...readFunder(funder),
      awardNumber: identifiers[0] ?? readName(grant),
      awardTitle: identifiers[0] === undefined ? null : graph.text(grant, "name"),
      awardUri: graph.text(grant, "url"),
    };
  });
  return [...grants, ...graph.values(root, "funder").map(readFunder)];
}

const RELATIONS = [
  ["citation", "References"],
  ["isBasedOn", "IsDerivedFrom"],
  ["isPartOf", "IsPartOf"],
  ["hasPart", "HasPart"],
  ["subjectOf", "IsReferencedBy"],
  ["predecessorOf", "IsPreviousVersionOf"],
  ["successorOf", "IsNewVersionOf"],
] as const;

const RELATED_TYPES = new Map([
  ["ScholarlyArticle", "JournalArticle"],
  ["Dataset", "Dataset"],
  ["SoftwareSourceCode", "Software"],
  ["SoftwareApplication", "Software"],
]);

/** Reads a related work. Works without an identifier, such as the files of a crate, are left out. */
function readRelated(work: unknown, relationType: string, graph: Graph): Json[] {
  const stated = graph.text(work);
  const texts = stated === null ? graph.identifiers(work) : [stated];
  const doi = texts.map((text) => readDoi(text) ?? doiWithin(text)).find((each) => each !== null);
  const identifier = doi ?? texts.find((text) => readWebUrl(text) !== null);
  if (identifier === undefined) return [];
  const type = readTypes(asObject(work) ?? {}).find((each) => RELATED_TYPES.has(each));
  return [
    {
      relationType,
      relatedIdentifier: identifier,
      relatedIdentifierType: doi === undefined ? "URL" : "DOI",
      resourceTypeGeneral: type === undefined ? null : (RELATED_TYPES.get(type) ?? null),
    },
  ];
}

/** Returns the DOI in the text of a citation; null if there is none. */
function doiWithin(text: string): string | null {
  const found = /\b10\.\d{4,9}\/[^\s"<>]+/.exec(text.slice(0, MAX_CITATION_LENGTH))?.[0];
  return found === undefined ? null : readDoi(found.replace(/[.,;)\]]$/, ""));
}

const MAX_CITATION_LENGTH = 2000;

function readVenue(root: Json, graph: Graph): string | null {
  const venues = ["Periodical", "PublicationVolume", "PublicationIssue", "CreativeWorkSeries", "Book"];
  const within = graph.values(root, "isPartOf");
  const venue = within.find((work) => readTypes(asObject(work) ?? {}).some((type) => venues.includes(type)));
  return graph.text(venue, "name");
}

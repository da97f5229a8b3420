// InvenioRDM's form has its values in Formik, whose state this page imitates. In InvenioRDM, a component beside the form calls
// useFormikContext() and sets `metadata` at each change.

const element = document.querySelector("share-check");
const form = document.querySelector("form");

form.addEventListener("input", () => {
  const value = (name) => form.elements[`metadata.${name}`].value;
  element.metadata = {
    access: { record: "public", files: "public" },
    files: { enabled: true, entries: {} },
    metadata: {
      title: value("title"),
      publication_date: value("publication_date"),
      description: value("description"),
      resource_type: "dataset",
      creators: [
        {
          person_or_org: {
            type: "personal",
            name: value("creators.0.person_or_org.name"),
            identifiers: [
              { scheme: "orcid", identifier: value("creators.0.person_or_org.identifiers.0.identifier") },
            ].filter(({ identifier }) => identifier !== ""),
          },
          role: "",
          affiliations: [],
        },
      ],
      rights: value("rights.0.id") === "" ? [] : [{ id: value("rights.0.id") }],
      subjects: value("subjects")
        .split(",")
        .map((subject) => ({ subject: subject.trim() })),
      funding: [
        { funder: { name: value("funding.0.funder.name") }, award: { number: value("funding.0.award.number") } },
      ],
      related_identifiers: [
        {
          scheme: "doi",
          identifier: value("related_identifiers.0.identifier"),
          relation_type: "issupplementto",
          resource_type: "publication-article",
        },
      ].filter(({ identifier }) => identifier !== ""),
      references: [{ reference: value("references.0.reference") }],
    },
  };
});

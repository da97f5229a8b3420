/** Stands in for the parser of YAML in the element, which only receives objects. */

export function parseDocument(): never {
  throw new Error("the element does not read YAML");
}

/** Replaces the YAML parser in the bundle of the element, which only receives objects. */

export function parseDocument(): never {
  throw new Error("the element share-check does not read YAML; pass JSON or an object");
}

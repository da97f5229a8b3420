/** Anchors of the parts of the reference page. */

export const anchorOf = {
  tag: (name: string) => `tag-${name.toLowerCase()}`,
  operation: (operationId: string) => `op-${operationId}`,
  problem: (type: string) => `problem-${type}`,
  schema: (name: string) => `schema-${name}`,
  header: (name: string) => `header-${name.toLowerCase()}`,
} as const;

/** The last segment of a reference: the name of a component. */
export function nameIn($ref: string): string {
  return $ref.slice($ref.lastIndexOf("/") + 1);
}

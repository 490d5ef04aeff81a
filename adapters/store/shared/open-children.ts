/** An event about a child session. */
export interface ChildFact {
  type: 'child.opened' | 'child.closed';
  /** Its id. */
  child: string;
}

/** Ids of the open child sessions, in the order in which they were opened. @param facts Of one session, in order. */
export function toOpenChildren(facts: Iterable<ChildFact>): string[] {
  const open = new Set<string>();
  for (const { type, child } of facts) {
    if (type === 'child.opened') open.add(child);
    else open.delete(child);
  }
  return [...open];
}

/**
 * Circles of a graph: for each group of nodes that reach each other, one shortest way around, which begins and ends with
 * its first node. Tarjan's algorithm, without recursion deeper than the longest path.
 */
export function findCircles(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  return findGroups(graph).map((group) => findWayAround(graph, new Set(group), group.toSorted()[0]!));
}

/** Strongly connected components with an edge inside. */
function findGroups(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const groups: string[][] = [];
  const visit = (node: string): void => {
    const index = order.size;
    order.set(node, index);
    lowest.set(node, index);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) visit(next);
      if (stack.includes(next)) lowest.set(node, Math.min(lowest.get(node)!, lowest.get(next)!));
    }
    if (lowest.get(node) !== index) return;
    const group = stack.splice(stack.indexOf(node));
    if (group.length > 1 || graph.get(node)?.has(node)) groups.push(group);
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return groups;
}

/** The shortest path within `group` from a node back to itself, breadth first. */
function findWayAround(
  graph: ReadonlyMap<string, ReadonlySet<string>>,
  group: ReadonlySet<string>,
  start: string,
): string[] {
  const paths: string[][] = [[start]];
  const seen = new Set<string>();
  for (const path of paths) {
    for (const next of graph.get(path.at(-1)!) ?? []) {
      if (next === start) return [...path, next];
      if (!group.has(next) || seen.has(next)) continue;
      seen.add(next);
      paths.push([...path, next]);
    }
  }
  return [start];
}

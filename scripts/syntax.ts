/** A node of a syntax tree (ESTree), with the position of its text. */
export interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

/** The replacement of the text from `start` to `end`. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

/** Calls `visit` with each node, from the outside in, and with its ancestors, the nearest first. */
export function visit(
  node: Node,
  onNode: (node: Node, parents: readonly Node[]) => void,
  parents: readonly Node[] = [],
): void {
  onNode(node, parents);
  const around = [node, ...parents];
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, onNode, around);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}

/** True for code that runs later than the code around it. */
export function isFunction({ type }: Node): boolean {
  return type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression';
}

/** True if an identifier is a value, not the name of a member, a property, a label or an export. */
export function isReference(node: Node, parent: Node): boolean {
  if (parent.type === 'MemberExpression') return parent['object'] === node || parent['computed'] === true;
  if (parent.type === 'Property' || parent.type === 'MethodDefinition' || parent.type === 'PropertyDefinition')
    return parent['value'] === node || parent['computed'] === true;
  return !parent.type.endsWith('Specifier') && !parent.type.startsWith('Label');
}

/** How often each name is declared in a program, in any scope. */
export function countDeclarations(program: Node): Map<string, number> {
  const counts = new Map<string, number>();
  const add = (pattern: unknown): void => {
    if (!isNode(pattern)) return;
    visit(pattern, (node) => {
      if (node.type === 'Identifier') counts.set(node['name'] as string, (counts.get(node['name'] as string) ?? 0) + 1);
    });
  };
  visit(program, (node) => {
    if (isFunction(node)) for (const parameter of node['params'] as Node[]) add(parameter);
    if (isFunction(node) || node.type.startsWith('Class') || node.type === 'VariableDeclarator') add(node['id']);
    if (node.type === 'CatchClause') add(node['param']);
  });
  return counts;
}

/** @throws Error when two edits overlap. Two edits at one position keep their order. */
export function applyEdits(code: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, text } of edits.toSorted((a, b) => a.start - b.start)) {
    if (start < at) throw new Error(`two edits overlap: ${code.slice(start, start + 60)}`);
    parts.push(code.slice(at, start), text);
    at = end;
  }
  return parts.join('') + code.slice(at);
}

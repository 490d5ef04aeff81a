/** A node of a syntax tree (ESTree), with the place of its text. */
export interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

/** Text that takes the place of what stands from `start` to `end`. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

/** Calls `look` with each node, from the outside in, and with those around it, the nearest first. */
export function visit(
  node: Node,
  look: (node: Node, parents: readonly Node[]) => void,
  parents: readonly Node[] = [],
): void {
  look(node, parents);
  const around = [node, ...parents];
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, look, around);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}

/** True for what runs later than the text around it. */
export function isFunction({ type }: Node): boolean {
  return type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression';
}

/** True where an identifier stands for a value: not for the name of a member, a property, a label or an export. */
export function isReference(node: Node, parent: Node): boolean {
  if (parent.type === 'MemberExpression') return parent['object'] === node || parent['computed'] === true;
  if (parent.type === 'Property' || parent.type === 'MethodDefinition' || parent.type === 'PropertyDefinition')
    return parent['value'] === node || parent['computed'] === true;
  return !parent.type.endsWith('Specifier') && !parent.type.startsWith('Label');
}

/** How often each name is declared in a program, in whatever scope. */
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

/** @throws Error when two edits overlap. Of two at one place the first stays in front. */
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

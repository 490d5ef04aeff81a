import type { Node as AcornNode } from 'acorn';

/** A node of a program with the fields that this folder reads. */
export interface Node extends AcornNode {
  arguments?: Node[];
  argument?: Node | null;
  async?: boolean;
  await?: boolean;
  body?: Node | Node[];
  callee?: Node;
  computed?: boolean;
  declarations?: (Node & { id: Node; init: Node | null })[];
  elements?: (Node | null)[];
  expression?: boolean;
  generator?: boolean;
  id?: Node | null;
  kind?: string;
  left?: Node;
  name?: string;
  object?: Node;
  operator?: string;
  optional?: boolean;
  params?: Node[];
  property?: Node;
  right?: Node;
}

export function listParts(node: Node): Node[] {
  return Object.values(node)
    .flatMap((child: unknown) => child)
    .filter((child) => isNode(child));
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}

/** True if the node or a part of it is of one of the types. */
export function hasType(node: Node, types: ReadonlySet<string>): boolean {
  return types.has(node.type) || listParts(node).some((part) => hasType(part, types));
}

export const FUNCTIONS: ReadonlySet<string> = new Set([
  'ArrowFunctionExpression',
  'FunctionExpression',
  'FunctionDeclaration',
]);

export interface Emitter {
  /** The text of the program. */
  code: string;
  /** The metered text of a node. */
  emit: (node: Node) => string;
  /** A name that nothing else has. */
  name: (prefix: string) => string;
}

/** The text of a node, with its parts as `emit` gives them. */
export function emitParts(node: Node, { code, emit }: Pick<Emitter, 'code' | 'emit'>): string {
  let text = '';
  let at = node.start;
  for (const part of listParts(node).toSorted((a, b) => a.start - b.start)) {
    // A name that is both the key and the value of a property.
    if (part.start < at) continue;
    text += code.slice(at, part.start) + (isQuasi(node, part) ? emitParts(part, { code, emit }) : emit(part));
    at = part.end;
  }
  return text + code.slice(at, node.end);
}

/** The template of a tag is no text. */
function isQuasi({ type }: Node, part: Node): boolean {
  return type === 'TaggedTemplateExpression' && part.type === 'TemplateLiteral';
}

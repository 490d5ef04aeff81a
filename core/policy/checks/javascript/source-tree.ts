/** A node of the syntax tree of `@babel/parser`. */
export interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}

export function childOf(node: Node | undefined, key: string): Node | undefined {
  const value = node?.[key];
  return isNode(value) ? value : undefined;
}

export function childrenOf(node: Node | undefined, key: string): Node[] {
  const value = node?.[key];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

export function allChildren(node: Node): Node[] {
  return Object.entries(node).flatMap(([key, value]) =>
    key === 'loc' || key.endsWith('Comments')
      ? []
      : Array.isArray(value)
        ? value.filter(isNode)
        : isNode(value)
          ? [value]
          : [],
  );
}

/** A node and everything below it, without the bodies of functions if `isOutside` is true for them. */
export function* walk(node: Node, isOutside: (node: Node) => boolean = () => false): Generator<Node> {
  const open = [node];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    yield next;
    if (next === node || !isOutside(next)) open.push(...allChildren(next));
  }
}

export function isFunction({ type }: Node): boolean {
  return /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression|ObjectMethod|ClassMethod|ClassPrivateMethod)$/.test(
    type,
  );
}

export function isClass({ type }: Node): boolean {
  return type === 'ClassDeclaration' || type === 'ClassExpression';
}

/** The node without casts of TypeScript and parentheses. */
export function plain(node: Node | undefined): Node | undefined {
  return node &&
    /^(?:TSAsExpression|TSSatisfiesExpression|TSNonNullExpression|TSTypeAssertion|ParenthesizedExpression)$/.test(
      node.type,
    )
    ? plain(childOf(node, 'expression'))
    : node;
}

/** The name of an identifier, the text of a string, or a property that is not computed. */
export function nameOf(node: Node | undefined): string | undefined {
  if (node?.type === 'Identifier') return node['name'] as string;
  if (node?.type === 'StringLiteral') return node['value'] as string;
  return undefined;
}

/** The property of `a.b` and `a['b']`. */
export function propertyOf(member: Node): string | undefined {
  const property = childOf(member, 'property');
  return member['computed'] === true && property?.type !== 'StringLiteral' ? undefined : nameOf(property);
}

/** Parses JavaScript and TypeScript; undefined for a text that is neither. The text is untrusted. */
export async function parseSource(text: string, path: string): Promise<Node | undefined> {
  // Loaded with the first test file that changed.
  const { parse } = await import('@babel/parser');
  const isTypeScript = /\.[cm]?tsx?$/.test(path);
  try {
    const { program } = parse(text, {
      sourceType: 'unambiguous',
      allowReturnOutsideFunction: true,
      allowAwaitOutsideFunction: true,
      plugins: [
        ...(isTypeScript ? (['typescript', 'decorators'] as const) : []),
        ...(/\.[cm]?ts$/.test(path) ? [] : (['jsx'] as const)),
      ],
    });
    return program as unknown as Node;
  } catch {
    // Not this language, or nested too deeply.
    return undefined;
  }
}

/** The syntax of an assertion, independent of its format. */
export function textOf(node: Node): string {
  const { type, start: _, end: _end, loc: _loc, extra: _extra, ...rest } = node;
  return `${type}(${Object.entries(rest)
    .map(([key, value]) => {
      if (key.endsWith('Comments')) return '';
      if (Array.isArray(value)) return value.map((each) => (each === null ? '-' : textOf(each as Node))).join(',');
      if (typeof value === 'object' && value !== null) return 'type' in value ? textOf(value as Node) : '';
      return String(value);
    })
    .join(';')})`;
}

/** Characters of one kind. `kind`: a scope of highlight.js such as `keyword`; '' for plain text. */
export interface CodePiece {
  kind: string;
  text: string;
}

/** One line of code, without its line feed. */
export type CodeLine = readonly CodePiece[];

/** A node of the syntax tree, with the properties in use. */
export interface SyntaxNode {
  type: string;
  value?: string;
  properties?: { className?: unknown };
  children?: readonly SyntaxNode[];
}

/** Converts nested spans to lines of flat pieces. The innermost kind wins. */
export function toCodeLines(nodes: readonly SyntaxNode[]): CodeLine[] {
  const lines: CodePiece[][] = [[]];
  const walk = (children: readonly SyntaxNode[], kind: string) => {
    for (const node of children) {
      if (node.type === 'text') {
        (node.value ?? '').split('\n').forEach((text, at) => {
          if (at > 0) lines.push([]);
          if (text !== '') lines.at(-1)!.push({ kind, text });
        });
      } else walk(node.children ?? [], toKind(node) || kind);
    }
  };
  walk(nodes, '');
  return lines;
}

function toKind({ properties }: SyntaxNode): string {
  const names = properties?.className;
  if (!Array.isArray(names)) return '';
  const name = names.find((it): it is string => typeof it === 'string' && it.startsWith('hljs-'));
  return name?.slice('hljs-'.length) ?? '';
}

/** Languages with one name, which is also their file ending. */
const PLAIN = ['css', 'go', 'java', 'json', 'less', 'lua', 'makefile', 'php', 'r', 'scss', 'sql', 'swift'];

/** Further names and file endings of the other languages. */
const NAMES = {
  bash: ['sh', 'shell', 'zsh'],
  c: ['h'],
  cpp: ['cc', 'hpp'],
  csharp: ['cs'],
  diff: ['patch'],
  ini: ['toml'],
  javascript: ['cjs', 'js', 'jsx', 'mjs'],
  kotlin: ['kt'],
  markdown: ['md'],
  objectivec: ['m'],
  perl: ['pl'],
  python: ['py'],
  ruby: ['rb'],
  rust: ['rs'],
  typescript: ['mts', 'ts', 'tsx'],
  vbnet: ['vb'],
  xml: ['htm', 'html', 'svg'],
  yaml: ['yml'],
};
const LANGUAGES = new Map([
  ...PLAIN.map((name) => [name, name] as const),
  ...Object.entries(NAMES).flatMap(([language, names]) =>
    [language, ...names].map((name) => [name, language] as const),
  ),
]);

/** The language of a fence (`ts`, `typescript`) or of a file name; '' if unknown. */
export function toLanguage(name: string): string {
  const word = name.trim().split(/\s/)[0]!.toLowerCase();
  const ending = word.split('/').at(-1)!.split('.').at(-1)!;
  return LANGUAGES.get(ending) ?? '';
}

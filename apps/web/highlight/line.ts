/** Characters of one kind. `kind`: a scope of highlight.js such as `keyword`; '' for plain text. */
export interface Piece {
  kind: string;
  text: string;
}

/** One line of code, without its line feed. */
export type Line = readonly Piece[];

/** A node of the syntax tree, with the properties in use. */
export interface Node {
  type: string;
  value?: string;
  properties?: { className?: unknown };
  children?: readonly Node[];
}

/** Converts nested spans to lines of flat pieces. The innermost kind wins. */
export function toLines(nodes: readonly Node[]): Line[] {
  const lines: Piece[][] = [[]];
  const walk = (children: readonly Node[], kind: string) => {
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

function toKind({ properties }: Node): string {
  const names = properties?.className;
  if (!Array.isArray(names)) return '';
  const name = names.find((it): it is string => typeof it === 'string' && it.startsWith('hljs-'));
  return name?.slice('hljs-'.length) ?? '';
}

/** Further names and file endings of each language. */
const NAMES = {
  bash: ['sh', 'shell', 'zsh'],
  c: ['h'],
  cpp: ['cc', 'hpp'],
  csharp: ['cs'],
  css: [],
  diff: ['patch'],
  go: [],
  ini: ['toml'],
  java: [],
  javascript: ['cjs', 'js', 'jsx', 'mjs'],
  json: [],
  kotlin: ['kt'],
  less: [],
  lua: [],
  makefile: [],
  markdown: ['md'],
  objectivec: ['m'],
  perl: ['pl'],
  php: [],
  python: ['py'],
  r: [],
  ruby: ['rb'],
  rust: ['rs'],
  scss: [],
  sql: [],
  swift: [],
  typescript: ['mts', 'ts', 'tsx'],
  vbnet: ['vb'],
  xml: ['htm', 'html', 'svg'],
  yaml: ['yml'],
};
const LANGUAGES = new Map(
  Object.entries(NAMES).flatMap(([language, names]) => [language, ...names].map((name) => [name, language] as const)),
);

/** The language of a fence (`ts`, `typescript`) or of a file name; '' if unknown. */
export function toLanguage(name: string): string {
  const word = name.trim().split(/\s/)[0]!.toLowerCase();
  const ending = word.split('/').at(-1)!.split('.').at(-1)!;
  return LANGUAGES.get(ending) ?? '';
}

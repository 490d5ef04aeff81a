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

const LANGUAGES: Record<string, string> = {
  bash: 'bash',
  c: 'c',
  cc: 'cpp',
  cjs: 'javascript',
  cpp: 'cpp',
  cs: 'csharp',
  css: 'css',
  diff: 'diff',
  go: 'go',
  h: 'c',
  hpp: 'cpp',
  htm: 'xml',
  html: 'xml',
  ini: 'ini',
  java: 'java',
  js: 'javascript',
  json: 'json',
  jsx: 'javascript',
  kt: 'kotlin',
  less: 'less',
  lua: 'lua',
  m: 'objectivec',
  makefile: 'makefile',
  md: 'markdown',
  mjs: 'javascript',
  mts: 'typescript',
  patch: 'diff',
  php: 'php',
  pl: 'perl',
  py: 'python',
  r: 'r',
  rb: 'ruby',
  rs: 'rust',
  scss: 'scss',
  sh: 'bash',
  shell: 'bash',
  sql: 'sql',
  svg: 'xml',
  swift: 'swift',
  toml: 'ini',
  ts: 'typescript',
  tsx: 'typescript',
  vb: 'vbnet',
  xml: 'xml',
  yaml: 'yaml',
  yml: 'yaml',
  zsh: 'bash',
};

/** The language of a fence (`ts`, `typescript`) or of a file name; '' if unknown. */
export function toLanguage(name: string): string {
  const word = name.trim().split(/\s/)[0]!.toLowerCase();
  const ending = word.split('/').at(-1)!.split('.').at(-1)!;
  const known = LANGUAGES[ending];
  if (known !== undefined) return known;
  return Object.values(LANGUAGES).includes(ending) ? ending : '';
}

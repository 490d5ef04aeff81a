/** What a change of style alters. */
export const STYLE_KINDS = [
  'layout',
  'quotes',
  'commas',
  'semicolons',
  'comments',
  'keywords',
  'types',
  'parentheses',
  'imports',
  'names',
] as const;
export type StyleKind = (typeof STYLE_KINDS)[number];

const WORDS: Readonly<Record<StyleKind, string>> = {
  layout: 'whitespace and line breaks',
  quotes: 'quotes',
  commas: 'trailing commas',
  semicolons: 'semicolons',
  comments: 'comments or docstrings',
  keywords: 'declaration keywords',
  types: 'the notation of types',
  parentheses: 'optional parentheses',
  imports: 'the order of imports',
  names: 'names',
};

export function describeKinds(kinds: readonly StyleKind[]): string {
  return kinds.map((kind) => WORDS[kind]).join(', ');
}

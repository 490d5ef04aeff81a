/** What a comparison by tokens needs to know of a language. */
export interface Language {
  name: string;
  /** What starts a comment that ends with its line. */
  lineComments: readonly string[];
  blockComment?: readonly [start: string, end: string];
  /** Characters that enclose strings. */
  quotes: string;
  /** True if strings in different quotes are equal. */
  hasQuoteStyles: boolean;
  /** `free`: line ends have no meaning. `indented`: they and the indentation have. */
  lines: 'free' | 'significant' | 'indented';
}

const C_COMMENTS = { lineComments: ['//'], blockComment: ['/*', '*/'] } as const;
const HASH = { lineComments: ['#'] } as const;

const JAVASCRIPT: Language = { name: 'js', ...C_COMMENTS, quotes: `'"\``, hasQuoteStyles: true, lines: 'free' };
/** Single quotes enclose one character. */
const C_LIKE: Language = { name: 'c', ...C_COMMENTS, quotes: '"', hasQuoteStyles: false, lines: 'free' };

const LANGUAGES: readonly { endings: string; language: Language }[] = [
  { endings: 'js jsx mjs cjs', language: JAVASCRIPT },
  { endings: 'ts tsx mts cts', language: { ...JAVASCRIPT, name: 'ts' } },
  { endings: 'py pyi', language: { name: 'py', ...HASH, quotes: `'"`, hasQuoteStyles: true, lines: 'indented' } },
  { endings: 'go', language: { ...C_LIKE, name: 'go', quotes: '"`' } },
  { endings: 'java c h cc cpp hpp cs rs', language: C_LIKE },
  { endings: 'kt kts swift scala', language: { ...C_LIKE, name: 'kt', lines: 'significant' } },
  { endings: 'json jsonc', language: { ...C_LIKE, name: 'json' } },
  { endings: 'yaml yml', language: { name: 'yaml', ...HASH, quotes: `'"`, hasQuoteStyles: true, lines: 'indented' } },
  { endings: 'toml', language: { name: 'toml', ...HASH, quotes: `'"`, hasQuoteStyles: true, lines: 'significant' } },
  { endings: 'rb', language: { name: 'rb', ...HASH, quotes: `'"`, hasQuoteStyles: true, lines: 'significant' } },
  { endings: 'sh bash', language: { name: 'sh', ...HASH, quotes: `'"`, hasQuoteStyles: true, lines: 'significant' } },
  {
    endings: 'css scss',
    language: {
      name: 'css',
      lineComments: [],
      blockComment: ['/*', '*/'],
      quotes: `'"`,
      hasQuoteStyles: true,
      lines: 'free',
    },
  },
  {
    endings: 'sql',
    language: {
      name: 'sql',
      lineComments: ['--'],
      blockComment: ['/*', '*/'],
      quotes: `'"`,
      hasQuoteStyles: false,
      lines: 'free',
    },
  },
];

const BY_ENDING: ReadonlyMap<string, Language> = new Map(
  LANGUAGES.flatMap(({ endings, language }) => endings.split(' ').map((ending) => [ending, language] as const)),
);

/** Undefined for a language that cannot be compared by tokens, such as Markdown. */
export function findLanguage(path: string): Language | undefined {
  return BY_ENDING.get(path.slice(path.lastIndexOf('.') + 1).toLowerCase());
}

/** Text for people, in which spaces and line ends have little meaning. */
export function isMarkdown(path: string): boolean {
  return /\.(?:md|mdx|markdown)$/i.test(path);
}

import { isRecord } from '@klaus/core/protocol';

/** A formatter that reads a text from standard input and writes the formatted text. It needs no file to change. */
export interface FormatterKind {
  /** Its name, which is also that of the program. */
  readonly name: string;
  /** Endings of the files that it formats. */
  readonly endings: readonly string[];
  /** Folders of programs, relative to a folder of the project. */
  readonly folders: readonly string[];
  /** What configures it: names of files, or a test of the text of one, such as a table of `pyproject.toml`. */
  readonly configured: readonly (string | { readonly file: string; readonly has: (text: string) => boolean })[];
  /** True: only if no folder configures one of the others. Default false. */
  readonly isLast?: true;
  /** True: it starts in the folder of the file, because it searches there for its options. Default false. */
  readonly startsAtFile?: true;
  /** @param path Relative to the folder that configures it. @param config The text of the file that configures it. */
  readonly toArguments: (path: string, config: string) => readonly string[];
  /** Arguments with which it ends at once, if it runs. Default: `--version`. */
  readonly probe?: readonly string[];
  /** Exit codes with which its output is valid. Default: 0. */
  readonly valid?: readonly number[];
  /** The text in its output; undefined: there is none. Default: the output. */
  readonly readOutput?: (output: string, text: string) => string | undefined;
}

const NODE = ['node_modules/.bin'];
const PYTHON = ['.venv/bin', 'venv/bin'];
const SCRIPTS = ['.js', '.mjs', '.cjs', '.jsx', '.ts', '.mts', '.cts', '.tsx'];
const DATA = ['.json', '.jsonc', '.json5', '.yaml', '.yml'];
const STYLES = ['.css', '.scss', '.less'];
const PAGES = ['.html', '.vue', '.md', '.mdx', '.graphql', '.gql'];
const WEB = [...SCRIPTS, ...DATA, ...STYLES, ...PAGES];

const dependsOn = (name: string) => ({
  file: 'package.json',
  has: (text: string): boolean => {
    const { dependencies, devDependencies } = parse(text);
    return [dependencies, devDependencies].some((each) => isRecord(each) && Object.hasOwn(each, name));
  },
});
const table = (name: string) => ({
  file: 'pyproject.toml',
  has: (text: string): boolean => new RegExp(`^\\s*\\[${name.replaceAll('.', '\\.')}[.\\]]`, 'm').test(text),
});
const variants = (stem: string, endings: readonly string[]): string[] => endings.map((ending) => stem + ending);

const MODULES = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts'];

const oxfmt = {
  name: 'oxfmt',
  endings: WEB,
  folders: NODE,
  toArguments: (path: string) => [`--stdin-filepath=${path}`],
};
const prettier = { ...oxfmt, name: 'prettier' };
const dprint = {
  name: 'dprint',
  endings: [...WEB, '.toml'],
  folders: NODE,
  configured: ['dprint.json', 'dprint.jsonc', '.dprint.json', '.dprint.jsonc'],
  toArguments: (path: string) => ['fmt', `--stdin=${path}`],
};
const biome = {
  name: 'biome',
  endings: [...SCRIPTS, '.json', '.jsonc', '.css', '.graphql', '.gql', '.html', '.vue'],
  folders: NODE,
  toArguments: (path: string) => ['format', `--stdin-file-path=${path}`],
};
const ruff = {
  name: 'ruff',
  endings: ['.py', '.pyi'],
  folders: PYTHON,
  toArguments: (path: string) => ['format', '--no-cache', '--force-exclude', `--stdin-filename=${path}`, '-'],
};
const rustfmt = {
  name: 'rustfmt',
  endings: ['.rs'],
  folders: [],
  startsAtFile: true as const,
  // Without an edition, that of Cargo.
  toArguments: (_path: string, config: string) => ['--emit', 'stdout', '--edition', findEdition(config) ?? '2015'],
};

/** The known formatters, by preference. The first one that the nearest folder configures formats a file. */
export const FORMATTERS: readonly FormatterKind[] = [
  { ...oxfmt, configured: variants('.oxfmtrc', ['.json', '.jsonc']) },
  {
    ...prettier,
    configured: [
      ...variants('.prettierrc', ['', '.json', '.json5', '.yaml', '.yml', '.toml', ...MODULES]),
      ...variants('prettier.config', MODULES),
      { file: 'package.json', has: (text) => Object.hasOwn(parse(text), 'prettier') },
    ],
  },
  dprint,
  { ...biome, configured: variants('biome', ['.json', '.jsonc']) },
  { ...ruff, configured: [table('tool.ruff.format'), ...ruffFiles((text) => /^\s*\[format[.\]]/m.test(text))] },
  {
    name: 'black',
    endings: ['.py', '.pyi'],
    folders: PYTHON,
    configured: [table('tool.black')],
    toArguments: (path) => ['-q', `--stdin-filename=${path}`, '-'],
  },
  { ...ruff, configured: [table('tool.ruff'), ...ruffFiles(() => true)] },
  {
    name: 'gofmt',
    endings: ['.go'],
    folders: [],
    configured: ['go.mod'],
    toArguments: () => [],
    // It has no option for this, and formats an empty text.
    probe: [],
  },
  // A member of a workspace can inherit its edition.
  { ...rustfmt, configured: [{ file: 'Cargo.toml', has: (text) => findEdition(text) !== undefined }] },
  {
    name: 'clang-format',
    endings: ['.c', '.h', '.cc', '.cpp', '.cxx', '.hh', '.hpp', '.m', '.mm', '.proto'],
    folders: [],
    configured: ['.clang-format', '_clang-format'],
    toArguments: (path) => [`--assume-filename=${path}`],
  },
  { ...rustfmt, isLast: true, configured: ['Cargo.toml'] },
  { ...oxfmt, isLast: true, configured: [dependsOn('oxfmt')] },
  { ...prettier, isLast: true, configured: [dependsOn('prettier')] },
  { ...biome, isLast: true, configured: [dependsOn('@biomejs/biome')] },
  {
    name: 'eslint',
    isLast: true,
    endings: SCRIPTS,
    folders: NODE,
    configured: variants('eslint.config', MODULES),
    toArguments: (path) => ['--fix-dry-run', '--format=json', '--stdin', `--stdin-filename=${path}`],
    valid: [0, 1],
    readOutput: readEslint,
  },
];

function ruffFiles(has: (text: string) => boolean) {
  return ['ruff.toml', '.ruff.toml'].map((file) => ({ file, has }));
}

/** `edition = "2021"`, of a package or of the packages of a workspace. */
function findEdition(text: string): string | undefined {
  return /^\s*edition\s*=\s*["'](20\d\d)["']/m.exec(text)?.[1];
}

/** ESLint leaves out the text if it would change nothing. */
function readEslint(output: string, text: string): string | undefined {
  const found: unknown = JSON.parse(output);
  const [first] = Array.isArray(found) ? (found as unknown[]) : [];
  if (!isRecord(first)) return undefined;
  return typeof first.output === 'string' ? first.output : text;
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

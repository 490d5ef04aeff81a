const EXTENSIONS =
  'ts|tsx|js|jsx|mjs|cjs|mts|cts|py|pyi|go|rs|java|kt|rb|php|c|h|cc|cpp|hpp|cs|swift|scala|sh|bash|sql|json|jsonc|yaml|yml|toml|ini|cfg|conf|env|md|mdx|txt|html|css|scss|vue|svelte|xml|gradle|proto|graphql|tf|lock|mod|sum|csv';
const PATH = new RegExp(
  `(?<![\\w/.-])(?:\\.{0,2}/)?(?:[\\w@.*-]+/)*[\\w@.*-]*\\w\\.(?:${EXTENSIONS})(?![\\w-]|\\.\\w)`,
  'g',
);
const BARE =
  /(?<![\w/.-])(?:[\w@.-]+\/)*(?:Dockerfile|Makefile|Gemfile|Procfile|LICENSE|README|CHANGELOG|\.gitignore|\.env|\.npmrc|\.eslintrc|\.prettierrc|\.editorconfig)\b/g;
const FOLDER = /(?<![\w/.-])(?:\.{0,2}\/)?(?:[\w@.-]+\/)+(?![\w*.-])|(?<![\w/.-])(?:[\w@.-]+\/)*\*\*?(?:\/\*\S*)?/g;

/** What a text names: files by path or name, and folders with a final `/`. */
export interface NamedPaths {
  files: readonly string[];
  folders: readonly string[];
}

export function findNamedPaths(text: string): NamedPaths {
  // Addresses are no paths.
  const plain = text.replaceAll(/\b[a-z]+:\/\/\S+/gi, ' ');
  const all = [...(plain.match(PATH) ?? []), ...(plain.match(BARE) ?? [])].map((path) => path.replace(/^\.?\//, ''));
  const files = [...new Set(all)].filter((path) => !path.includes('*'));
  const folders = [...(plain.match(FOLDER) ?? []), ...all.filter((path) => path.includes('*'))]
    .map((path) => path.replace(/^\.?\//, '').replace(/\*.*$/, ''))
    .filter((path) => path.includes('/') && path !== '/');
  return { files, folders: [...new Set(folders)] };
}

/** True if `path` is the file that a text names by its path, the end of its path, or its name. */
export function isNamed(path: string, { files }: Pick<NamedPaths, 'files'>): boolean {
  return files.some((file) => path === file || path.endsWith(`/${file}`) || file.endsWith(`/${path}`));
}

export function isInNamedFolder(path: string, { folders }: Pick<NamedPaths, 'folders'>): boolean {
  return folders.some((folder) => path.startsWith(folder) || path.includes(`/${folder}`));
}

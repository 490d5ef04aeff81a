import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, matchesGlob } from 'node:path';
import { isUnit } from './projects.ts';

/** One test file. */
export interface Suite {
  /** Relative to the root, with forward slashes. */
  file: string;
  /** Folders and files that it covers, relative to the root. A test next to its source covers its folder. */
  covers: readonly string[];
  /** It belongs to the project `unit`, which always runs. */
  isUnit: boolean;
  /** It shows a promise about the security of the kernel, so it always runs. */
  isSecurity: boolean;
}

/** Parts that no other part needs. Their promises are tested when they change, and by turns. */
const EXTENSIONS = [
  'adapters/{lsp,mcp,objects,runners,scheduler,telemetry}/**',
  'adapters/sandboxes/{docker,kubernetes}/**',
  'adapters/store/postgres/**',
  'adapters/tools/{deploy,terraform}/**',
  'apps/{acp,claude-code,debug,debug-cli,web}/**',
  'test/{acp,acp-agents,ai-sdk,claude-code,cluster,container,debug,deploy,kubernetes,lsp,mcp}/**',
  'test/{runners,supervisor,terraform,verification,web,wrap}/**',
  'test/escape/sample-docker.test.ts',
  'test/server/sign-in-*.test.ts',
];

/** The page whose tables of promises name their tests. */
const PROMISES = 'docs/security.md';

const COVERS = /^\/\/ Covers (?<paths>[^:]+): (?<what>.+)\.$/;

/** Every test file of the repository. */
function listTestFiles(root: string): string[] {
  return globSync('{core,adapters,sdk,apps,scripts,test,bench}/**/*.test.{ts,tsx}', {
    cwd: root,
    exclude: (path) => /node_modules|scripts\/fixtures|apps\/cli\/demo\/project/.test(path),
  }).toSorted();
}

/**
 * Every suite, in the order of its path. What a test below `test/` covers is in its first line:
 * `// Covers core/agent/loop, sdk: what it shows.`
 *
 * @throws Error for a file without such a line, and for a path that does not exist.
 */
export function readSuites(root: string): Suite[] {
  const promised = readPromised(root);
  return listTestFiles(root).map((file) => ({
    file,
    covers: file.startsWith('test/') ? readCovers(root, file) : [dirname(file)],
    isUnit: isUnit(file),
    isSecurity: promised(file) && !EXTENSIONS.some((pattern) => matchesGlob(file, pattern)),
  }));
}

function readCovers(root: string, file: string): string[] {
  const [line = ''] = readFileSync(join(root, file), 'utf8').split('\n', 1);
  const paths = COVERS.exec(line)?.groups?.['paths']?.split(', ');
  if (!paths) throw new Error(`${file}: the first line must be "// Covers PATH, PATH: what the file shows."`);
  const missing = paths.filter((path) => !existsSync(join(root, path)));
  if (missing.length > 0) throw new Error(`${file} covers ${missing.join(', ')}, which does not exist`);
  return paths;
}

/** Whether the page about security names a test file, or a module of cases in its folder. */
function readPromised(root: string): (file: string) => boolean {
  const page = readFileSync(join(root, PROMISES), 'utf8');
  const named = [...page.matchAll(/`([\w./-]+\.ts)`/g)].map(([, path]) => path!);
  const files = new Set(named);
  const folders = new Set(named.filter((path) => !path.endsWith('.test.ts')).map(dirname));
  return (file) => files.has(file) || folders.has(dirname(file));
}

import { existsSync, readFileSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, matchesGlob, posix, relative } from 'node:path';
import { findCircles } from './circles.ts';
import { listSources, readImports, SKIPPED } from './imports.ts';

interface Layer {
  /** Folder, or a pattern whose `*` matches one folder: two folders of one layer never import each other. */
  folder: string;
  /** Folders and files that may be imported, as patterns. */
  imports: readonly string[];
  /** Allowed packages, `node:` for all modules of Node.js; all, if undefined. */
  packages?: readonly string[];
}

/** The direction of every import, lowest layer first. A folder belongs to the first layer that matches it. */
export const LAYERS: readonly Layer[] = [
  { folder: 'core/protocol', imports: [], packages: ['zod'] },
  {
    folder: 'core/policy',
    imports: ['core/protocol'],
    packages: ['zod', 'diff', 'unbash', 're2js', 'smol-toml', '@babel/parser'],
  },
  { folder: 'core/reviewers', imports: ['core/protocol', 'core/policy'], packages: ['zod', 'diff'] },
  {
    folder: 'core/agent',
    imports: ['core/protocol', 'core/policy', 'core/reviewers'],
    packages: ['zod', 'jsonc-parser'],
  },
  { folder: 'core/conversation', imports: ['core/protocol'], packages: ['diff'] },
  { folder: 'core', imports: [], packages: [] },
  { folder: 'adapters/system', imports: [] },
  { folder: 'adapters/*', imports: ['core/*', 'adapters/system'] },
  { folder: 'sdk', imports: ['core/*', 'adapters/*'] },
  { folder: 'apps/server/contract', imports: ['core/protocol'], packages: ['zod'] },
  {
    folder: 'apps/server/client',
    imports: ['core/protocol', 'apps/server/contract'],
    packages: ['eventsource-parser'],
  },
  { folder: 'apps/server', imports: ['sdk', 'apps/server/contract'] },
  { folder: 'apps/web', imports: ['core/protocol', 'core/conversation', 'apps/server/contract', 'apps/server/client'] },
  { folder: 'apps/terminal/screen', imports: [] },
  { folder: 'apps/terminal', imports: ['sdk', 'apps/terminal/screen'] },
  { folder: 'apps/acp', imports: ['sdk'] },
  { folder: 'apps/claude-code', imports: ['sdk'] },
  {
    folder: 'apps/cli',
    imports: [
      'sdk',
      'apps/*/main.ts',
      'apps/claude-code/*/main.ts',
      'apps/server/contract',
      'apps/server/client',
      'apps/server/observability/*.ts',
      'apps/server/runs/shutdown-times.ts',
      'apps/server/runs/webhook-message.ts',
    ],
  },
  { folder: 'apps/debug/contract', imports: [], packages: ['zod'] },
  {
    folder: 'apps/debug',
    imports: ['apps/debug/contract'],
    packages: ['node:', '@modelcontextprotocol/server', 'acorn', 'ajv', 're2js', 'zod', 'zod-to-json-schema', 'vitest'],
  },
  { folder: 'apps/debug-cli', imports: ['sdk', 'apps/debug/contract'] },
  { folder: 'apps/*', imports: ['sdk'] },
  { folder: 'examples', imports: ['sdk'] },
  { folder: '{test,bench,scripts}', imports: ['**'] },
];

/** The layer of a path, and its folder itself, such as `adapters/store` for `adapters/*`. */
function findLayer(path: string) {
  for (const layer of LAYERS) {
    const folder = path.split('/').slice(0, layer.folder.split('/').length).join('/');
    if (matchesGlob(folder, layer.folder)) return { layer, folder };
  }
  return undefined;
}

/** The rule. Undefined when `from` may import `target`, a path or the name of a package. */
function judge(from: string, target: { path: string } | { package: string }): string | undefined {
  const place = findLayer(from);
  // Configuration in the root belongs to no layer and may name its tools.
  if (!place) return from.includes('/') ? 'is in no layer of scripts/layers.ts' : undefined;
  const { layer, folder } = place;
  if ('package' in target) {
    // Tests need vitest and may use packages that the code under test may not.
    const isAllowed = layer.packages?.some(
      (name) => name === target.package || (name === 'node:' && target.package.startsWith(name)),
    );
    if (!layer.packages || isAllowed === true || from.endsWith('.test.ts')) return undefined;
    return `imports ${target.package}, but ${folder} imports ${layer.packages.join(', ') || 'no package'} alone`;
  }
  const other = findLayer(target.path)?.folder;
  if (other === folder) return undefined;
  if (layer.imports.some((allowed) => [other ?? '', target.path].some((it) => matchesGlob(it, allowed))))
    return undefined;
  return `imports ${target.path}, but ${folder} imports ${layer.imports.join(', ') || 'no other folder'} alone`;
}

interface Manifest {
  name?: string;
  exports?: Record<string, string>;
  [dependencies: string]: unknown;
}

/** Packages of this repository by name, with their folders. */
function findPackages(root: string): Map<string, { folder: string; manifest: Manifest }> {
  const level = (below: string) =>
    readdirSync(join(root, below), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !SKIPPED.has(entry.name) && !entry.name.startsWith('.'))
      .map((entry) => posix.join(below, entry.name));
  const folders = level('').flatMap((folder) => [folder, ...level(folder)]);
  const packages = new Map<string, { folder: string; manifest: Manifest }>();
  for (const folder of folders) {
    const file = join(root, folder, 'package.json');
    if (!existsSync(file)) continue;
    const manifest: Manifest = JSON.parse(readFileSync(file, 'utf8'));
    if (manifest.name) packages.set(manifest.name, { folder, manifest });
  }
  return packages;
}

type Packages = ReturnType<typeof findPackages>;

/** The target of a specifier: a path below the root, or a package by name. */
function resolveImport(root: string, packages: Packages, site: { from: string; specifier: string }) {
  const { from, specifier } = site;
  if (specifier.startsWith('.') || specifier.startsWith('/') || specifier.startsWith('file:')) {
    const plain = specifier.replace(/^file:\/\//, '').replace(/[?#].*$/, '');
    const absolute = plain.startsWith('/') ? plain : join(root, posix.dirname(from), plain);
    const path = relative(root, existsSync(absolute) ? realpathSync(absolute) : absolute);
    const installed = path.lastIndexOf('node_modules/');
    if (installed < 0) return { path };
    return resolveImport(root, packages, { from, specifier: path.slice(installed + 'node_modules/'.length) });
  }
  if (isBuiltin(specifier)) return { package: specifier.startsWith('node:') ? specifier : `node:${specifier}` };
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  const own = packages.get(name);
  if (!own) return { package: name };
  const inside = `.${specifier.slice(name.length)}`;
  return { path: posix.join(own.folder, own.manifest.exports?.[inside] ?? inside) };
}

function judgeManifest(packages: Packages, name: string, dependency: string): string | undefined {
  const from = packages.get(name)!;
  const to = packages.get(dependency);
  const layers = LAYERS.filter((layer) => layer.folder.split('/')[0] === from.folder.split('/')[0]);
  const place = layers.filter(
    (layer) => matchesGlob(from.folder, layer.folder) || layer.folder.startsWith(`${from.folder}/`),
  );
  const allowed = to
    ? place.some((layer) =>
        layer.imports.some((it) =>
          it.split('/').every((part, at) => matchesGlob(to.folder.split('/')[at] ?? part, part)),
        ),
      )
    : place.some((layer) => !layer.packages || layer.packages.includes(dependency));
  return allowed ? undefined : `depends on ${dependency}, which no folder of ${from.folder} may import`;
}

/** Source files of one folder, tests and fixtures not counted. */
const FOLDER_LIMIT = 25;
const COUNTED = /(?<!\.test|\.fixture)\.[cm]?tsx?$/;
/** Folders whose files are cases and fixtures, found by their names. */
const UNLIMITED = /^(?:test|bench)(?:\/|$)/;

function findLargeFolders(sources: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const path of sources.filter((it) => COUNTED.test(it))) {
    const folder = posix.dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([folder, count]) => count > FOLDER_LIMIT && !UNLIMITED.test(folder))
    .map(([folder, count]) => `${folder} holds ${count} source files, more than ${FOLDER_LIMIT}`);
}

/** The number of checked modules and imports, and one line per violation. */
export interface LayerReport {
  modules: number;
  imports: number;
  violations: string[];
}

/** Checks every manifest and every import below `root`, circles between files, and the size of folders. */
export function checkLayers(root: string): LayerReport {
  const real = realpathSync(root);
  const packages = findPackages(real);
  const sources = listSources(real);
  const graph = new Map<string, Set<string>>(sources.map((path) => [path, new Set()]));
  const report: LayerReport = { modules: sources.length, imports: 0, violations: [] };
  for (const [name, { folder, manifest }] of packages) {
    for (const key of ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']) {
      for (const dependency of Object.keys(manifest[key] ?? {})) {
        const reason = judgeManifest(packages, name, dependency);
        if (reason) report.violations.push(`${folder}/package.json ${reason}`);
      }
    }
  }
  for (const from of sources) {
    for (const { specifier, line } of readImports(join(real, from))) {
      report.imports += 1;
      const free = findLayer(from)?.layer.imports.includes('**') || !from.includes('/');
      const target = specifier === null ? undefined : resolveImport(real, packages, { from, specifier });
      if (target?.path !== undefined && graph.has(target.path)) graph.get(from)?.add(target.path);
      const reason = target ? judge(from, target) : !free && 'imports a computed name, which cannot be checked';
      if (reason) report.violations.push(`${from}:${line} ${reason}`);
    }
  }
  const circles = findCircles(graph).map((circle) => `import circle: ${circle.join(' → ')}`);
  report.violations.push(...circles, ...findLargeFolders(sources));
  if (report.imports === 0)
    report.violations.push(`found ${report.modules} modules and no import below ${real}: nothing was checked`);
  return report;
}

/** The layers that exist below `root`, highest first, as text for ARCHITECTURE.md. */
export function drawLayers(root: string): string {
  const present = new Set(listSources(root).map((path) => findLayer(path)?.layer));
  const rows = LAYERS.filter(
    (it) => present.has(it) && it.folder !== 'core' && !it.imports.includes('**'),
  ).toReversed();
  const width = Math.max(...rows.map((layer) => layer.folder.length));
  return rows
    .map(({ folder, imports, packages }) => {
      const targets = imports.join(', ') || 'no other folder';
      const notes = [packages && `packages: ${packages.join(', ')}`, folder.includes('/*') && 'never each other'];
      const note = notes.filter(Boolean).join('; ');
      return `${folder.padEnd(width)}  →  ${targets}${note && `   (${note})`}`;
    })
    .join('\n');
}

const SECTION = /<!-- layers -->[\s\S]*?<!-- \/layers -->/;

/** A page with the current diagram between its markers. Undefined if it has no markers. */
export function putDiagram(page: string, root: string): string | undefined {
  if (!SECTION.test(page)) return undefined;
  return page.replace(SECTION, () => `<!-- layers -->\n\`\`\`text\n${drawLayers(root)}\n\`\`\`\n<!-- /layers -->`);
}

function checkDiagram(file: string, root: string): string | undefined {
  if (!existsSync(file)) return 'ARCHITECTURE.md does not exist';
  const page = readFileSync(file, 'utf8');
  const fresh = putDiagram(page, root);
  if (fresh === undefined) return 'ARCHITECTURE.md has no <!-- layers --> and <!-- /layers -->';
  return fresh === page ? undefined : 'the diagram in ARCHITECTURE.md is stale: npm run layers -- --write';
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..');
  const page = join(root, 'ARCHITECTURE.md');
  if (process.argv.includes('--diagram')) console.log(drawLayers(root));
  else {
    if (process.argv.includes('--write')) {
      const text = readFileSync(page, 'utf8');
      writeFileSync(page, putDiagram(text, root) ?? text);
    }
    const { modules, imports, violations } = checkLayers(root);
    const stale = checkDiagram(page, root);
    if (stale) violations.push(stale);
    for (const violation of violations) console.error(violation);
    console.log(`${modules} modules, ${imports} imports, ${violations.length} violations`);
    process.exitCode = violations.length > 0 ? 1 : 0;
  }
}

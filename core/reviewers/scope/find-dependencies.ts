import type { ChangedFile } from '../changes/changed-file.ts';
import { toChangedLines } from './changed-lines.ts';

/** A line of a manifest that names a package with its version. */
const ENTRIES: readonly (readonly [RegExp, RegExp])[] = [
  [
    /(?:^|\/)(?:package|composer)\.json$/,
    /^\s*"((?:@[\w.-]+\/)?[\w./-]+)":\s*"(?:[\^~>=<]|\d|workspace:|npm:|git|file:|\*|latest)[^"]*",?\s*$/,
  ],
  [/(?:^|\/)requirements[\w-]*\.txt$/, /^\s*([\w.-]+)(?:\[[\w,-]+\])?\s*(?:[=<>~!]=?.*)?$/],
  [
    /(?:^|\/)(?:pyproject\.toml|Pipfile)$/,
    /^\s*(?:"([\w.-]+)(?:\[[\w,-]+\])?\s*[=<>~!][^"]*",?|([\w.-]+)\s*=\s*(?:"[\^~>=<*\d][^"]*"|\{\s*version.*))\s*$/,
  ],
  [/(?:^|\/)Cargo\.toml$/, /^\s*([\w-]+)\s*=\s*(?:"[\^~>=<]?\d[^"]*"|\{\s*(?:version|git|path).*)\s*$/],
  [/(?:^|\/)go\.mod$/, /^\s*(?:require\s+)?([\w.-]+\.[\w.-]+\/\S+)\s+v\d\S*(?:\s*\/\/.*)?$/],
  [/(?:^|\/)Gemfile$/, /^\s*gem\s+['"]([\w-]+)['"]/],
];

/** Fields with a version that are no packages. */
const OTHER = new Set([
  'version',
  'node',
  'npm',
  'python',
  'rust-version',
  'edition',
  'requires-python',
  'packageManager',
  'name',
  'line-length',
  'target-version',
  'python_version',
  'minversion',
  'fail_under',
]);

/** Packages that a change adds to manifests, and those whose version it changes. */
export function findDependencies(changes: readonly ChangedFile[]): {
  added: string[];
  changed: string[];
  isVersion: boolean;
} {
  const added: string[] = [];
  const changed: string[] = [];
  let isVersion = false;
  for (const file of changes) {
    const entry = ENTRIES.find(([path]) => path.test(file.path))?.[1];
    if (!entry || file.kind === 'created') continue;
    const lines = toChangedLines(file);
    const toNames = (all: readonly string[]) => all.flatMap((line) => toName(entry, line));
    const before = toNames(lines.removed);
    for (const name of toNames(lines.added)) (before.includes(name) ? changed : added).push(name);
    isVersion ||= lines.added.some((line) => /^\s*"?version"?\s*[:=]\s*"\d/.test(line));
  }
  return { added, changed, isVersion };
}

function toName(entry: RegExp, line: string): string[] {
  const found = entry.exec(line);
  const name = found?.[1] ?? found?.[2];
  return name === undefined || OTHER.has(name) ? [] : [name];
}

import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { readImports } from '../imports.ts';

/** Code that only tests use. */
function isSupport(path: string): boolean {
  return /^test\/|(?:^|\/)fixtures\/|\.fixture\.ts$/.test(path);
}

/** Whether one of the changed files is code for tests that a test file imports, directly or through other such code. */
export function findSupportUse(root: string, changed: ReadonlySet<string>): (file: string) => boolean {
  const known = new Map<string, readonly string[]>();
  const listImports = (file: string): readonly string[] => {
    const present = known.get(file);
    if (present) return present;
    const paths = readImports(join(root, file))
      .map(({ specifier }) => specifier)
      .filter((specifier) => specifier?.startsWith('.') === true)
      .map((specifier) => posix.join(posix.dirname(file), specifier!))
      .filter((path) => isSupport(path) && /\.tsx?$/.test(path) && existsSync(join(root, path)));
    known.set(file, paths);
    return paths;
  };
  return (file) => {
    const pending = [file];
    const seen = new Set(pending);
    for (const path of pending) {
      if (changed.has(path)) return true;
      for (const next of listImports(path)) {
        if (seen.has(next)) continue;
        seen.add(next);
        pending.push(next);
      }
    }
    return false;
  };
}

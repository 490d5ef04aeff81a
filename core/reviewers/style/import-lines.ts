import type { Language } from '../changes/language.ts';

const IMPORTS: Readonly<Record<string, RegExp>> = {
  js: /^(?:import\b(?!\s*\()|(?:const|let|var)\s[^=]+=\s*require\(|export\s[^=(]*\sfrom\s)/,
  ts: /^(?:import\b(?!\s*\()|(?:const|let|var)\s[^=]+=\s*require\(|export\s[^=(]*\sfrom\s)/,
  py: /^(?:import|from)\s+[\w.]+/,
  go: /^\s*(?:import\s+)?(?:[\w.]+\s+)?"[^"\s]+"$/,
  c: /^(?:import|use|using|#include)\s/,
  kt: /^import\s/,
  rb: /^require(?:_relative)?\s/,
  css: /^@(?:import|use)\s/,
};

/** True if each line that is not empty is an import, and there is one. */
export function areImports(lines: readonly string[], { name }: Language): boolean {
  const filled = lines.filter((line) => line.trim() !== '');
  return filled.length > 0 && filled.every((line) => IMPORTS[name]?.test(line.trimEnd()) ?? false);
}

/** The imports in a form that is the same in any order and style. */
export function toImportKeys(lines: readonly string[]): string[] {
  return lines
    .filter((line) => line.trim() !== '')
    .map(toKey)
    .toSorted();
}

function toKey(line: string): string {
  const plain = line.trim().replaceAll(/['"`]/g, '"').replace(/;$/, '').replaceAll(/\s+/g, ' ');
  const sort = (names: string) =>
    names
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean)
      .toSorted()
      .join(',');
  return plain
    .replace(/\{([^}]*)\}/, (_, names: string) => `{${sort(names)}}`)
    .replace(/^(from \S+ import )\(?([^()#]+)\)?$/, (_, head: string, names: string) => head + sort(names));
}

const MEMBER = /^\s*(?:type\s+)?[\w$]+(?:\s+as\s+[\w$]+)?,?$/;
const OPENS = /^(?:(?:import|export)\s(?:[^{}]*)\{|from\s+[\w.]+\s+import\s+\()\s*$/;

/** True if the lines before `at` open a list of imported names that is still open. */
export function isInsideImport(lines: readonly string[], at: number): boolean {
  for (let i = at - 1; i >= 0; i--) {
    if (OPENS.test(lines[i]!)) return true;
    if (!MEMBER.test(lines[i]!)) return false;
  }
  return false;
}

export function areMembers(lines: readonly string[]): boolean {
  return lines.length > 0 && lines.every((line) => MEMBER.test(line));
}

export function toMemberKeys(lines: readonly string[]): string[] {
  return lines.map((line) => line.trim().replace(/,$/, '')).toSorted();
}

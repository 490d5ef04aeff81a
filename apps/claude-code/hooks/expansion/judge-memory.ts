import { dirname, join } from 'node:path';
import { isBelow, listEntries } from '@klaus/sdk/guard';
import { visitFolders } from '../project/visit-folders.ts';
import { toClaudeFolder } from '../install/settings-file.ts';
import type { GuardFinding, JudgeCall, JudgeContext } from '../judge-context.ts';
import { readText, type SearchedPlace } from './find-named-files.ts';
import { findMentions } from './judge-expansion.ts';

/** Files whose text comes into the conversation, with the files that they import, when Claude Code works in their folder. */
const MEMORY = ['CLAUDE.md', 'CLAUDE.local.md', 'AGENTS.md', '.claude/CLAUDE.md'];
const RULES = '.claude/rules';
/** What a folder with such files contains. */
const NAMES = /^(?:\.claude|CLAUDE\.md|CLAUDE\.local\.md|AGENTS\.md)$/i;
/** Claude Code follows imports five times. */
const MAX_IMPORTS = 6;
const MAX_DEPTH = 8;

/** Absolute paths of the instruction files of the user, of the project, and of the folders above and below it. */
export function findMemory({ root, cwd }: SearchedPlace): string[] {
  const user = toClaudeFolder({ env: process.env });
  const folders = new Set<string>();
  for (const start of [root, cwd]) for (let at = start; at !== dirname(at); at = dirname(at)) folders.add(at);
  visitFolders(root, (folder, entries) => {
    if (entries.some(({ name }) => NAMES.test(name))) folders.add(folder);
  });
  return [join(user, 'CLAUDE.md'), ...listMarkdown(join(user, 'rules')), ...[...folders].flatMap(listMemory)].filter(
    (path) => readText(path) !== undefined,
  );
}

/** Absolute paths of those in the folders between the project and a file. */
export function findMemoryOf(path: string, { root }: Pick<SearchedPlace, 'root'>): string[] {
  const found: string[] = [];
  for (let at = dirname(path); isBelow(at, root) && at !== dirname(at); at = dirname(at)) found.push(...listMemory(at));
  return found;
}

/**
 * Judges which files the instructions import, directly or through other files. Returns each that is not allowed.
 *
 * @param judge Judges a read alone.
 */
export async function judgeMemory(
  files: readonly string[],
  context: JudgeContext,
  judge: JudgeCall,
): Promise<GuardFinding[]> {
  const seen = new Set<string>();
  const follow = async (path: string, depth: number): Promise<GuardFinding[]> => {
    if (seen.has(path) || depth > MAX_IMPORTS) return [];
    seen.add(path);
    const findings: GuardFinding[] = [];
    for (const mentioned of findMentions(readText(path) ?? '', dirname(path))) {
      if (seen.has(mentioned) || readText(mentioned) === undefined) continue;
      const found = await judge({ kind: 'read', path: mentioned, reads: 'file' }, context);
      if (found.verdict !== 'allow') findings.push({ ...found, reason: `${path}: ${found.reason}` });
      else findings.push(...(await follow(mentioned, depth + 1)));
    }
    return findings;
  };
  const findings: GuardFinding[] = [];
  for (const path of files) findings.push(...(await follow(path, 0)));
  return findings;
}

function listMemory(folder: string): string[] {
  return [...MEMORY.map((name) => join(folder, name)), ...listMarkdown(join(folder, RULES))];
}

function listMarkdown(folder: string, depth = 0): string[] {
  if (depth > MAX_DEPTH) return [];
  return listEntries(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (/\.md$/i.test(entry.name)) return [path];
    return entry.isDirectory() || entry.isSymbolicLink() ? listMarkdown(path, depth + 1) : [];
  });
}

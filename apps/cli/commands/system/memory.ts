import type { KnowledgeEntry } from '@klaus/sdk';
import { EXIT } from '../../program/exit-codes.ts';
import { openKlaus } from '../../session/open-klaus.ts';
import { toPrintable } from '@klaus/sdk/printable';
import { outputWidth, toTable } from '../../output/table.ts';
import { UsageError } from '../../program/report-error.ts';
import { err, out } from '../../output/sink.ts';

export interface MemoryOptions {
  cwd?: string;
  global?: true;
}

export interface MemoryGetOptions extends MemoryOptions {
  raw?: true;
}

export interface MemorySetOptions extends MemoryOptions {
  category?: string;
}

export interface MemoryListOptions extends MemorySetOptions {
  json?: true;
}

/** `klaus memory list`. */
export async function list(options: MemoryListOptions): Promise<number> {
  await using klaus = await openKlaus({ cwd: options.cwd });
  const { category } = options;
  const scope = options.global ? 'global' : undefined;
  return print(await klaus.memory().list({ category, scope, limit: Number.MAX_SAFE_INTEGER }), options);
}

/** `klaus memory search WORDS`. */
export async function search(words: readonly string[], options: MemoryListOptions): Promise<number> {
  await using klaus = await openKlaus({ cwd: options.cwd });
  return print(await klaus.memory().search(words.join(' '), { limit: 100 }), options);
}

/** `klaus memory get KEY`: the value alone on standard output. */
export async function get(key: string, options: MemoryGetOptions): Promise<number> {
  await using klaus = await openKlaus({ cwd: options.cwd });
  const entry = await klaus.memory().get(key, options.global ? 'global' : undefined);
  if (!entry) throw missing(key);
  if (options.raw) out.raw(`${entry.value}\n`);
  else out.write(`${out.isTTY ? toPrintable(entry.value) : entry.value}\n`);
  return EXIT.done;
}

/** `klaus memory set KEY VALUE`. */
export async function set(note: { key: string; value: string }, options: MemorySetOptions): Promise<number> {
  await using klaus = await openKlaus({ cwd: options.cwd });
  const { category } = options;
  const entry = await klaus.memory().set({ ...note, category, scope: options.global ? 'global' : 'project' });
  if (entry.value !== note.value.trim()) err.write('klaus: a secret in it was taken out\n');
  return EXIT.done;
}

/** `klaus memory delete KEY`. */
export async function forget(key: string, options: MemoryOptions): Promise<number> {
  await using klaus = await openKlaus({ cwd: options.cwd });
  if (!(await klaus.memory().remove(key, options.global ? 'global' : 'project'))) throw missing(key);
  return EXIT.done;
}

function missing(key: string): UsageError {
  return new UsageError(`Nothing is noted as ${key}.`, 'klaus memory list shows what is.');
}

function print(entries: readonly KnowledgeEntry[], { json }: { json?: true }): number {
  if (json === true) {
    for (const entry of entries) out.json(entry);
    return EXIT.done;
  }
  if (entries.length === 0) {
    err.write('Nothing is noted. klaus memory set KEY VALUE notes something.\n');
    return EXIT.done;
  }
  const rows = entries.map(({ key, category, scope, session, updatedAt, value }) => [
    key,
    category,
    scope,
    session ?? 'user',
    new Date(updatedAt).toISOString().slice(0, 10),
    value,
  ]);
  out.write(toTable([['KEY', 'CATEGORY', 'SCOPE', 'BY', 'CHANGED', 'NOTE'], ...rows], outputWidth()));
  return EXIT.done;
}

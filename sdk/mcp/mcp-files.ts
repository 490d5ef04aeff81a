import { hash } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { KlausError } from '@klaus/core/protocol';
import { z } from 'zod';
import { readFileText } from '../config/file-text.ts';

export type McpSource = 'project' | 'user';

/** Entries of a file as they are written, by the name of the server. */
export type McpEntries = Readonly<Record<string, unknown>>;

const fileSchema = z.looseObject({ mcpServers: z.record(z.string(), z.unknown()).default({}) });
const answerSchema = z.object({ folder: z.string(), name: z.string(), hash: z.string() });

export interface McpPlace {
  /** State folder, absolute. */
  home: string;
  /** Folder of the project, absolute. */
  folder: string;
}

/** The file with the servers: `.mcp.json` of the project, or `mcp.json` of the state folder. */
export function toMcpFile({ home, folder }: McpPlace, from: McpSource): string {
  return from === 'project' ? join(folder, '.mcp.json') : join(home, 'mcp.json');
}

/** The entries of a file; none if it does not exist. @throws KlausError `config` for an unreadable file. */
export function readEntries(place: McpPlace, from: McpSource): McpEntries {
  return readStateFile(toMcpFile(place, from), fileSchema, { mcpServers: {} }).mcpServers;
}

/** Adds, replaces or removes (`undefined`) an entry. All other content of the file does not change. */
export function writeEntry(place: McpPlace, from: McpSource, [name, entry]: readonly [string, unknown]): void {
  const path = toMcpFile(place, from);
  const file = readStateFile(path, fileSchema, { mcpServers: {} });
  const { [name]: _, ...others } = file.mcpServers;
  writeStateFile(
    path,
    { ...file, mcpServers: entry === undefined ? others : { ...others, [name]: entry } },
    from === 'user',
  );
}

/** SHA-256 of an entry, in any order of its fields. */
export function toEntryHash(entry: unknown): string {
  return hash('sha256', JSON.stringify(sort(entry)), 'hex');
}

/** The files with the answers of the user about entries of projects, which hold as long as an entry stays the same. */
const ANSWERS = { trusted: 'mcp-trust.json', declined: 'mcp-declined.json' } as const;
type EntryAnswer = keyof typeof ANSWERS;

/** True if this is the user's answer about this entry of the project. */
export function hasAnswer(
  answer: EntryAnswer,
  { home, folder }: McpPlace,
  [name, entry]: readonly [string, unknown],
): boolean {
  const wanted = toEntryHash(entry);
  return readAnswers(home, answer).some((one) => one.folder === folder && one.name === name && one.hash === wanted);
}

/** True if the user trusts this entry of the project. */
export function isTrusted(place: McpPlace, name: string, entry: unknown): boolean {
  return hasAnswer('trusted', place, [name, entry]);
}

/** Stores that the user trusts an entry of the project. */
export function trustEntry(place: McpPlace, name: string, entry: unknown): void {
  storeAnswer('trusted', place, [name, entry]);
}

/** Stores the user's answer about an entry of the project. */
export function storeAnswer(
  answer: EntryAnswer,
  { home, folder }: McpPlace,
  [name, entry]: readonly [string, unknown],
): void {
  const others = readAnswers(home, answer).filter((one) => one.folder !== folder || one.name !== name);
  const stored = [...others, { folder, name, hash: toEntryHash(entry) }];
  writeStateFile(join(home, ANSWERS[answer]), { [answer]: stored }, true);
}

function readAnswers(home: string, answer: EntryAnswer): z.infer<typeof answerSchema>[] {
  const schema = z.object({ [answer]: z.array(answerSchema).default([]) });
  return readStateFile(join(home, ANSWERS[answer]), schema, {})[answer] ?? [];
}

/** @throws KlausError `config` for an unreadable file. */
export function readStateFile<T>(path: string, schema: z.ZodType<T>, absent: T): T {
  const text = readFileText(path);
  if (text === undefined) return absent;
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new KlausError('config', `${path} cannot be read.`, { hint: 'Correct the file, or remove it.', cause });
  }
}

/** Writes a file at once. */
export function writeStateFile(path: string, content: unknown, isPrivate: boolean): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(content, undefined, 2)}\n`, { mode: isPrivate ? 0o600 : 0o644 });
  renameSync(draft, path);
}

function sort(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sort);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, sort(each)]));
}

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
const trustSchema = z.object({
  trusted: z.array(z.object({ folder: z.string(), name: z.string(), hash: z.string() })).default([]),
});

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

/** True if the user trusts this entry of the project. */
export function isTrusted({ home, folder }: McpPlace, name: string, entry: unknown): boolean {
  const wanted = toEntryHash(entry);
  return readTrust(home).some((one) => one.folder === folder && one.name === name && one.hash === wanted);
}

/** Stores that the user trusts an entry of the project, as long as it stays the same. */
export function trustEntry({ home, folder }: McpPlace, name: string, entry: unknown): void {
  const others = readTrust(home).filter((one) => one.folder !== folder || one.name !== name);
  writeStateFile(
    join(home, 'mcp-trust.json'),
    { trusted: [...others, { folder, name, hash: toEntryHash(entry) }] },
    true,
  );
}

function readTrust(home: string): z.infer<typeof trustSchema>['trusted'] {
  return readStateFile(join(home, 'mcp-trust.json'), trustSchema, { trusted: [] }).trusted;
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

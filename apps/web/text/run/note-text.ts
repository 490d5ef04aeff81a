import type { Hunk } from '@klaus/core/protocol';
import type { Text } from '../en.ts';
import { formatBytes } from '../format.ts';

/** The description of a change without lines, in the language of the page; undefined for one with lines. */
export function toNoteText(
  { note, path }: Pick<Hunk, 'note' | 'path'>,
  { approval: { notes } }: Text,
): string | undefined {
  if (note === undefined) return undefined;
  const said = note.startsWith(`${path}: `) ? note.slice(path.length + 2) : note;
  const size = (bytes: string | undefined) => formatBytes(Number(bytes));
  const [, before, after] = /^another content, (\d+) bytes become (\d+)$/.exec(said) ?? [];
  if (before !== undefined) return notes.content(size(before), size(after));
  const [, created, mode] = /^a new file of (\d+) bytes, mode (\d+)$/.exec(said) ?? [];
  if (created !== undefined) return notes.created(size(created), mode!);
  const [, removed] = /^removes a file of (\d+) bytes/.exec(said) ?? [];
  if (removed !== undefined) return notes.deleted(size(removed));
  const [, from, to] = /^mode (\d+) becomes (\d+)$/.exec(said) ?? [];
  if (from !== undefined) return notes.mode(from, to!);
  if (said === 'a new folder') return notes.folder;
  const [, target] = /^a new symbolic link to (.+)$/s.exec(said) ?? [];
  return target === undefined ? said : notes.link(target);
}

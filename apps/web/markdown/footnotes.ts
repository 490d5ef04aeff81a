import { lexBlocks, type NoteTextToken } from './parser.ts';

/** The Markdown of a footnote in a text; undefined if it is missing. */
export function findFootnote(source: string, label: string): string | undefined {
  const start = source.search(
    new RegExp(`^\\[\\^${label.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)}\\]:`, 'm'),
  );
  if (start < 0) return undefined;
  const [first] = lexBlocks(source.slice(start)) as NoteTextToken[];
  return first?.type === 'noteText' ? first.raw.replace(/^\[\^[^\]]+\]:[ \t]*/, '').trim() : undefined;
}

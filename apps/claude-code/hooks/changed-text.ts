import { statSync } from 'node:fs';
import { readForeignFileSync } from '@klaus/sdk/foreign-file';
import { toChangedFile } from '@klaus/sdk/guard';
import type { ClaudeCall } from './claude-tool.ts';

const MAX_BYTES = 1_048_576;

export interface ChangedText {
  before: string;
  after: string;
  /** The change as reviewers see it. @param path Relative to the project. */
  file(path: string): ReturnType<typeof toChangedFile>;
}

/** The text of a file before and after a write. Undefined if it is not known, or too large. */
export function readChange({ path, edit }: Extract<ClaudeCall, { kind: 'write' }>): ChangedText | undefined {
  if (!edit) return undefined;
  const before = readText(path);
  if (before === null) return undefined;
  const after = edit.name === 'write_file' ? String(edit.input['content']) : apply(before ?? '', edit.input['edits']);
  return after === undefined
    ? undefined
    : { before: before ?? '', after, file: (name) => toChangedFile(name, before, after) };
}

/** Undefined for a file that does not exist, null for one that cannot be read. */
function readText(path: string): string | undefined | null {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return undefined;
  try {
    return readForeignFileSync(path, { max: MAX_BYTES }).text;
  } catch {
    return null;
  }
}

function apply(text: string, edits: unknown): string | undefined {
  let changed = text;
  for (const { old, new: added, all } of edits as { old: string; new: string; all: boolean }[]) {
    if (!changed.includes(old)) return undefined;
    changed = all ? changed.replaceAll(old, () => added) : changed.replace(old, () => added);
  }
  return changed;
}

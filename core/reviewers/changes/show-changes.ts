import { toHunks } from '../../policy/index.ts';
import type { ChangedFile } from './changed-file.ts';

/** The changes as a unified diff without positions in the old file, for a prompt. */
export function showChanges(changes: readonly ChangedFile[]): string {
  return changes.map(showFile).join('\n');
}

function showFile({ path, kind, from, hunks }: ChangedFile): string {
  const head = `--- ${kind}: ${from === undefined ? path : `${from} → ${path}`}`;
  const parts = hunks.map(({ line, before, after }) => {
    const join = (lines: readonly string[]) => lines.map((each) => `${each}\n`).join('');
    const lines = toHunks(join(before), join(after), { path, context: 3 }).flatMap((hunk) => hunk.lines);
    return [`@@ line ${line} @@`, ...lines].join('\n');
  });
  return [head, ...parts].join('\n');
}

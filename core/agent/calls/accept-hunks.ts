import { toChangeHunks } from '../../policy/index.ts';
import { describeRejected } from '../../protocol/changes/describe-rejected.ts';
import type { FileChange, HunkAnswer } from '../../protocol/index.ts';
import { selectPart, toDiffText, type ChangePart } from '../workspace/change-parts.ts';
import type { ReadyCall } from './judged-call.ts';
import type { Ids } from '../ports/ids.ts';
import type { Intent } from '../ports/tool.ts';
import type { FileEdit } from '../ports/workspace.ts';

/** A call with only the hunks that the user accepted, which are applied in one step. */
export function acceptHunks(
  ready: ReadyCall,
  { parts, answer, ids }: { parts: readonly ChangePart[]; answer: HunkAnswer; ids: Ids },
): ReadyCall {
  const edits: FileEdit[] = [];
  const changes: FileChange[] = [];
  const shown: ChangePart[] = [];
  for (const part of parts) {
    const { path } = part.row;
    const edit = ready.intent.edits?.find((candidate) => candidate.path === path);
    const change = ready.intent.changes?.find((candidate) => candidate.path === path);
    const selected = selectPart(part, answer, (text, current) => ready.context.restoreSecrets(text, current));
    if (!edit || !change || selected.kept === 'none') continue;
    if (selected.kept === 'all') {
      shown.push(part);
      edits.push(edit);
      changes.push(change);
      continue;
    }
    const content =
      selected.content === 'after' ? edit.content : selected.content === 'before' ? part.before : selected.content;
    if (!content) continue;
    const after = ids.digest(new TextDecoder('utf-8', { ignoreBOM: true }).decode(content));
    shown.push({ ...part, after: content, hunks: toChangeHunks(part.row, { ...part, after: content }) });
    edits.push({ ...edit, content, mode: selected.mode });
    changes.push({ ...change, after: selected.content === 'after' ? change.after : after });
  }
  const hunks = parts.flatMap((part) => part.hunks);
  const result = [toResult(changes), describeRejected(hunks, answer)].filter((text) => text !== '').join('\n');
  const intent: Intent = { ...ready.intent, edits, changes, diff: toDiffText(shown), result };
  return { ...ready, intent };
}

function toResult(changes: readonly FileChange[]): string {
  if (changes.length === 0) return 'Nothing was changed.';
  return changes.map(({ kind, path }) => `${kind[0]!.toUpperCase()}${kind.slice(1)} ${path} in part.`).join('\n');
}

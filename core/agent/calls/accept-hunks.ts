import { toChangeHunks } from '../../policy/index.ts';
import { describeRejected } from '../../protocol/changes/describe-rejected.ts';
import type { FileChange, HunkAnswer } from '../../protocol/index.ts';
import { selectPart, toDiffText, type ChangePart } from '../workspace/change-parts.ts';
import type { ReadyCall } from './judged-call.ts';
import type { Intent } from '../ports/tool.ts';
import type { FileEdit } from '../ports/workspace.ts';

export interface AcceptedHunks {
  parts: readonly ChangePart[];
  answer: HunkAnswer;
  /** Lower-case SHA-256 of a text. */
  digest: (text: string) => string;
}

/** A call as a human let it pass: only the hunks that were accepted, all of them in one step. */
export function acceptHunks(ready: ReadyCall, { parts, answer, digest }: AcceptedHunks): ReadyCall {
  const edits: FileEdit[] = [];
  const changes: FileChange[] = [];
  const shown: ChangePart[] = [];
  for (const part of parts) {
    const { path } = part.row;
    const edit = ready.intent.edits?.find((candidate) => candidate.path === path);
    const change = ready.intent.changes?.find((candidate) => candidate.path === path);
    const kept = selectPart(part, answer, (text, current) => ready.context.restoreSecrets(text, current));
    if (!edit || !change || kept.kept === 'none') continue;
    if (kept.kept === 'all') {
      shown.push(part);
      edits.push(edit);
      changes.push(change);
      continue;
    }
    const content = kept.content === 'after' ? edit.content : kept.content === 'before' ? part.before : kept.content;
    if (!content) continue;
    const after = digest(new TextDecoder('utf-8', { ignoreBOM: true }).decode(content));
    shown.push({ ...part, after: content, hunks: toChangeHunks(part.row, { before: part.before, after: content }) });
    edits.push({ ...edit, content, mode: kept.mode });
    changes.push({ ...change, after: kept.content === 'after' ? change.after : after });
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

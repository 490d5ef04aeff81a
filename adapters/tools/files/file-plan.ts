import { formatPatch, structuredPatch } from 'diff';
import { toHunks } from '@klaus/core/policy';
import { renderHunk, type Access, type FileChange } from '@klaus/core/protocol';
import type { FileEdit, Intent, ResolvedPath, ToolContext, ToolOutput } from '@klaus/core/agent';
import { shortenHunk } from './form/long-lines.ts';
import { encodeText, toHash, type TextForm } from './text-file.ts';
import { checkSaved, showWritten } from './unsaved-text.ts';

export interface FilePlan {
  path: ResolvedPath;
  /** The present content; null for a new file. `text` is undefined for binary content. */
  before: (TextForm & { hash: string; text: string | undefined }) | null;
  /** The new text; null deletes. */
  after: string | null;
  mode?: number;
  /** Of a new file. Default: UTF-8, and the line ends of `after`. */
  form?: TextForm & { text?: string | undefined };
}

/** Most edits for which a diff is computed, because its cost is quadratic. */
const MAX_EDIT_LENGTH = 4_000;

/**
 * The intent of a tool that writes files.
 *
 * @param verb First word of the title: `edit` gives `edit src/sum.js (+1 −1)`.
 */
export function toIntent(verb: string, plans: readonly FilePlan[]): Intent {
  const edits: FileEdit[] = [];
  const changes: FileChange[] = [];
  const diffs: string[] = [];
  let added = 0;
  let removed = 0;
  for (const plan of plans) {
    const { path, before, after, mode } = plan;
    if (before === null && after === null) continue;
    const form = plan.form ?? before ?? { encoding: 'utf-8' };
    const content =
      after === null ? null : encodeText(after, { ...form, ...(before ? { text: before.text } : {}) }, path.relative);
    const hash = content === null ? null : toHash(content);
    if (before !== null && before.hash === hash && mode === undefined) continue;
    edits.push({ path: path.relative, content, before: before?.hash ?? null, mode, encoding: form.encoding });
    const kind = before === null ? 'created' : after === null ? 'deleted' : 'modified';
    changes.push({ path: path.relative, kind, before: before?.hash ?? null, after: hash });
    const diff = toDiff(plan);
    diffs.push(diff.text);
    added += diff.added;
    removed += diff.removed;
  }
  const access = plans.map(({ path }): Access => ({ kind: 'fs', path: path.absolute, right: 'w' }));
  const names = plans.length === 1 ? plans[0]!.path.relative : `${plans.length} files`;
  const counts = `(+${added} −${removed})`;
  const result = toResultText(changes, counts);
  return { title: `${verb} ${names} ${counts}`, access, edits, changes, diff: diffs.join(''), result };
}

function toDiff(plan: FilePlan): { text: string; added: number; removed: number } {
  const name = plan.path.relative;
  const from = plan.before === null ? '/dev/null' : `a/${name}`;
  const to = plan.after === null ? '/dev/null' : `b/${name}`;
  const old = plan.before === null ? '' : plan.before.text;
  if (old === undefined) return { text: `--- ${from}\n+++ ${to}\nBinary file.\n`, added: 0, removed: 0 };
  const next = plan.after ?? '';
  const patch = structuredPatch(from, to, old, next, '', '', { context: 3, maxEditLength: MAX_EDIT_LENGTH });
  if (!patch) {
    // All lines from the first that differs to the last.
    const hunks = toHunks(old, next, { path: name });
    const count = (sign: string): number =>
      hunks.flatMap(({ lines }) => lines).filter((it) => it.startsWith(sign)).length;
    const text = `--- ${from}\n+++ ${to}\n${hunks.map((hunk) => `${renderHunk(hunk)}\n`).join('')}`;
    return { text, added: count('+'), removed: count('-') };
  }
  const lines = patch.hunks.flatMap((hunk) => hunk.lines);
  const hunks = patch.hunks.map((hunk) => ({ ...hunk, lines: shortenHunk(hunk.lines) }));
  return {
    text: formatPatch({ ...patch, hunks }, { includeIndex: false, includeUnderline: false, includeFileHeaders: true }),
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
  };
}

const WORDS: Readonly<Record<FileChange['kind'], string>> = {
  created: 'Created',
  modified: 'Changed',
  deleted: 'Deleted',
};

/** The result for the model after these changes; `counts` such as `(+1 −2)` follows a single file. */
function toResultText(changes: readonly FileChange[], counts: string): string {
  if (changes.length === 0) return 'Nothing to do: the content is the same.';
  const lines = changes.map((change) => `${WORDS[change.kind]} ${change.path}`);
  return lines.length === 1 ? `${lines[0]} ${counts}` : lines.join('\n');
}

/** Applies the edits that the gate has approved. */
export async function applyEdits(context: ToolContext, intent: Intent): Promise<ToolOutput> {
  const edits = intent.edits ?? [];
  await checkSaved(context, edits);
  const changes = edits.length === 0 ? [] : await context.workspace.apply(edits);
  await showWritten(context, edits);
  return { text: intent.result ?? '', changes };
}

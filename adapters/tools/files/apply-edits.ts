import type { FileChange } from '@klaus/core/protocol';
import type { Intent, ToolContext, ToolOutput } from '@klaus/core/agent';

const WORDS: Readonly<Record<FileChange['kind'], string>> = {
  created: 'Created',
  modified: 'Changed',
  deleted: 'Deleted',
};

/** What the model is told once these changes are in place; `counts` such as `(+1 −2)` stands behind a single file. */
export function toResultText(changes: readonly FileChange[], counts: string): string {
  if (changes.length === 0) return 'Nothing to do: the content is the same already.';
  const lines = changes.map((change) => `${WORDS[change.kind]} ${change.path}`);
  return lines.length === 1 ? `${lines[0]} ${counts}` : lines.join('\n');
}

/** Applies the edits that were judged, never others. */
export async function carryOut(context: ToolContext, intent: Intent): Promise<ToolOutput> {
  const edits = intent.edits ?? [];
  const changes = edits.length === 0 ? [] : await context.workspace.apply(edits);
  return { text: intent.result ?? '', changes };
}

import { join } from 'node:path';
import type { FileEdit, Intent, ToolContext } from '@klaus/core/agent';

/**
 * Adds the other names (hard links) of changed files, which then stay names of them: the gate decides about each. A file
 * with a name outside of the workspace is not shared with it any more.
 */
export async function keepLinks({ workspace }: Pick<ToolContext, 'workspace'>, intent: Intent): Promise<Intent> {
  const edits: FileEdit[] = [];
  const access = [...intent.access];
  const changes = [...(intent.changes ?? [])];
  const notes: string[] = [];
  for (const edit of intent.edits ?? []) {
    const links = edit.before === null || edit.content === null ? [] : await findLinks(workspace, edit, notes);
    edits.push(links.length === 0 ? edit : { ...edit, links });
    const change = intent.changes?.find(({ path }) => path === edit.path);
    for (const path of links) {
      access.push({ kind: 'fs', path: path.startsWith('/') ? path : join(workspace.root, path), right: 'w' });
      if (change) changes.push({ ...change, path });
    }
  }
  if (edits.every(({ links }) => links === undefined) && notes.length === 0) return intent;
  return { ...intent, edits, access, changes, result: [intent.result, ...notes].join('\n') };
}

async function findLinks(workspace: ToolContext['workspace'], edit: FileEdit, notes: string[]): Promise<string[]> {
  const state = await workspace.stat(edit.path);
  if (state?.links === undefined) return [];
  const { names, isShared } = await workspace.otherNames(edit.path);
  if (!isShared) {
    notes.push(`${edit.path} is also ${names.join(', ')}, which changed with it.`);
    return names;
  }
  notes.push(`${edit.path} had other names outside of the workspace (hard links), which keep the old content.`);
  return [];
}

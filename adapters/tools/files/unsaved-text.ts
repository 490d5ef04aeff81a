import { join } from 'node:path';
import { decodeContent } from '@klaus/core/policy';
import type { FileEdit, ToolContext } from '@klaus/core/agent';
import { toolFailed } from '../tool-failed.ts';
import { decodeFile } from './form/decode-file.ts';
import { findFileRules } from './form/file-rules.ts';
import { toLf } from './form/line-ends.ts';
import { MAX_FILE_BYTES } from './text-file.ts';

type Buffered = Pick<ToolContext, 'buffers' | 'encodings' | 'workspace'>;

/**
 * The text of a file with unsaved changes of the user's editor; undefined if it is the text on disk.
 *
 * @param path Relative to the workspace.
 */
export async function readUnsaved(
  { buffers, encodings, workspace }: Buffered,
  path: string,
): Promise<string | undefined> {
  const text = await buffers?.read(join(workspace.root, path));
  if (text === undefined) return undefined;
  const state = await workspace.stat(path);
  // A new buffer without text is not yet a file.
  if (!state) return text === '' ? undefined : text;
  if (state.kind !== 'file' || state.size > MAX_FILE_BYTES) return undefined;
  const bytes = await workspace.read(path, { maxBytes: MAX_FILE_BYTES });
  const saved = await decodeFile(bytes, await findFileRules(workspace, path, encodings));
  if (saved === undefined || toPlain(saved.text) === toPlain(text)) return undefined;
  return text;
}

/** Editors keep line breaks and a byte-order mark outside of the text. */
function toPlain(text: string): string {
  return toLf(text).replace(/^\uFEFF/, '');
}

/**
 * An edit of a file with unsaved changes would overwrite them, on disk or in the editor. Including them instead would
 * write text that no approval has shown.
 *
 * @throws KlausError `tool.failed` for the first file that has unsaved changes.
 */
export async function checkSaved(context: Buffered, edits: readonly FileEdit[]): Promise<void> {
  if (!context.buffers) return;
  for (const { path } of edits) {
    if ((await readUnsaved(context, path)) === undefined) continue;
    throw toolFailed(`${path} has unsaved changes in the user's editor. Nothing was changed.`, {
      hint: 'Ask the user to save or discard them, then try again.',
      retryable: true,
    });
  }
}

/** Shows the editor the text of the written files. */
export async function showWritten({ buffers, workspace }: Buffered, edits: readonly FileEdit[]): Promise<void> {
  if (!buffers) return;
  for (const { path, content } of edits) {
    const decoded = content === null ? undefined : decodeContent(content);
    // An editor could save another encoding as UTF-8.
    if (decoded?.encoding === 'utf-8') await buffers.written(join(workspace.root, path), decoded.text);
  }
}

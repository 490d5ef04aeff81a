import { headOf } from '@klaus/core/cut-text';
import { formatPatch, structuredPatch } from 'diff';
import type { ToolContext } from '@klaus/core/agent';
import { KlausError } from '@klaus/core/protocol';
import { toShownLines } from './form/line-ends.ts';
import { MAX_FILE_BYTES } from './text-file.ts';

/** Characters of a replaced text, or of a difference, in a result. */
const MAX_SHOWN = 4_000;
/** Most edits for which a difference is computed, because its cost is quadratic. */
const MAX_EDIT_LENGTH = 2_000;

interface Present {
  /** Relative to the workspace. */
  path: string;
  hash: string;
  /** Undefined for binary content. */
  text: string | undefined;
}

/**
 * Compares a file that is about to be replaced with what the model was shown of it.
 *
 * @returns What the result says about a text that the model has not seen; '' if it has seen all of it.
 * @throws KlausError `workspace.conflict` with the difference if the file has changed since.
 */
export async function checkShown(context: ToolContext, present: Present): Promise<string> {
  const { path, hash, text } = present;
  const shown = context.lastShown(path);
  if (shown && shown.hash !== hash) throw toConflict(path, await describeDifference(context, present, shown.seq));
  if (shown && !shown.part) return '';
  if (text === '') return '';
  const what = shown ? 'was read in part only' : 'was not read before';
  if (text === undefined) return `${path} ${what}. Its content is binary or too large to be shown.`;
  return `${path} ${what}. The replaced text:\n${cut(toShownLines(text))}`;
}

async function describeDifference(context: ToolContext, present: Present, seq: number | undefined): Promise<string> {
  const { path, text } = present;
  const shown = seq === undefined ? undefined : await context.recall.read(seq, { max: 2 * MAX_FILE_BYTES });
  if (!shown || shown.text.length < shown.length || text === undefined) return '';
  // The result may end with a note on the encoding, and names secrets by placeholders.
  const old = context.restoreSecrets(shown.text.replace(/\n\[the file is in [^\n]*\]$/, ''), text);
  if (/^\d+\t/.test(old)) return '';
  const patch = structuredPatch(path, path, old, toShownLines(text), '', '', {
    context: 2,
    maxEditLength: MAX_EDIT_LENGTH,
  });
  return patch
    ? cut(formatPatch(patch, { includeIndex: false, includeUnderline: false, includeFileHeaders: false }))
    : '';
}

function toConflict(path: string, difference: string): KlausError {
  const what = difference === '' ? '' : ` The difference:\n${difference}`;
  return new KlausError('workspace.conflict', `${path} has changed since you read it, so nothing was written.${what}`, {
    hint: 'Read the file again, and keep the changes of others.',
    retryable: true,
  });
}

function cut(text: string): string {
  const end = text.replace(/\n$/, '');
  return end.length <= MAX_SHOWN ? end : `${headOf(end, MAX_SHOWN)}\n[… ${end.length - MAX_SHOWN} more characters]`;
}

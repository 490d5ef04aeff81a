import { readFileSync } from 'node:fs';
import type { HunkAnswer, Scope } from '@klaus/sdk';
import { UsageError } from '../program/report-error.ts';
import type { ShowOptions } from '../program/run-options.ts';
import type { ServerOptions } from '../program/server-option.ts';

/** Options of a yes or no. */
export interface AnswerOptions extends ShowOptions, ServerOptions {
  note?: string;
  hunks?: readonly string[];
  rejectHunks?: readonly string[];
  /** `id=file`. */
  edit?: readonly string[];
  scope?: Scope;
}

/**
 * The hunks that the options name; nothing where the whole change is meant.
 *
 * @param all Ids of the hunks of the question.
 * @throws UsageError for a hunk that there is none of.
 */
export function toHunkAnswer(
  all: readonly string[],
  { hunks, rejectHunks, edit }: AnswerOptions,
): { hunks?: HunkAnswer } {
  if (!hunks && !rejectHunks && !edit) return {};
  if (hunks && rejectHunks) throw new UsageError('--hunks and --reject-hunks exclude each other.');
  for (const id of rejectHunks ?? []) {
    if (!all.includes(id)) throw new UsageError(`There is no hunk ${id}.`, `Hunks: ${all.join(', ')}.`);
  }
  const accepted = hunks ?? all.filter((hunk) => !(rejectHunks ?? []).includes(hunk));
  const edited = (edit ?? []).map((pair) => {
    const at = pair.indexOf('=');
    return { id: pair.slice(0, at), text: readFileSync(pair.slice(at + 1), 'utf8') };
  });
  return { hunks: { accepted: [...accepted], ...(edited.length > 0 ? { edited } : {}) } };
}

import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { toHome } from '@klaus/sdk/home';
import { toLine, toPrintable } from '@klaus/sdk/printable';
import { openStates } from '../client/session-states.ts';
import { toFolder } from '../client/open-klaus.ts';
import { toShortPath } from '../output/short-path.ts';
import { CliError } from '../program/cli-error.ts';
import { type Options, toGivenServer } from '../program/options.ts';
import { openQuestions } from '../prompt/open-questions.ts';
import type { Choice, Questions } from '../prompt/questions.ts';
import { isLargeFolder } from './large-folder.ts';

/** Most folders of earlier sessions that are offered. */
const MAX_FOLDERS = 5;

/** Choices that are no folder. */
const OTHER = 'other';
const HERE = 'here';

/**
 * At a start in a terminal in a folder in which agents must not work, such as the home folder, or that is very large: asks
 * where to work.
 *
 * @returns The options, with the chosen folder.
 * @throws CliError `cancelled`.
 */
export async function withFolder<T extends Options>(options: T): Promise<T> {
  if (toGivenServer(options) !== undefined || options.allowAnyWorkspace) return options;
  const { findRefusal } = await import('@klaus/sdk');
  const klausHome = toHome(process.env, process.cwd());
  const toReason = (folder: string): string | undefined => findRefusal(realpathSync(folder), { klausHome });
  const present = toFolder(options.cwd ?? process.cwd());
  const refusal = toReason(present);
  if (refusal === undefined && !isLargeFolder(present)) return options;
  const known = await listWorkspaces();
  if (refusal === undefined && known.includes(present)) return options;
  const reason =
    refusal ??
    `${present} has very many files, and is not a Git repository. Klaus can undo changes in it only after it has stored all of them.`;
  using questions = await openQuestions('Folder');
  questions.warn(toPrintable(reason));
  const folders = known.filter((folder) => isFolder(folder) && toReason(folder) === undefined).slice(0, MAX_FOLDERS);
  const chosen = await questions.select('Where should Klaus work?', toChoices(folders));
  const folder = chosen === OTHER ? await askFolder(questions, toReason) : folders[Number(chosen)];
  if (chosen === undefined || (chosen !== HERE && folder === undefined)) {
    questions.cancel('Nothing was started.');
    throw new CliError('cancelled', 'No folder was chosen.', { hint: 'Start klaus in the folder of a project.' });
  }
  if (folder === undefined) {
    questions.end({ title: 'All files below this folder can be read and changed' });
    return refusal === undefined ? options : { ...options, allowAnyWorkspace: true };
  }
  questions.end({ title: toPrintable(toShortPath(folder)) });
  return { ...options, cwd: folder };
}

function toChoices(folders: readonly string[]): Choice<string>[] {
  return [
    ...folders.map((folder, at) => ({ value: String(at), label: toLine(toShortPath(folder), 200) })),
    { value: OTHER, label: 'Another folder' },
    { value: HERE, label: 'Here', hint: 'all files below it can be read and changed' },
  ];
}

/** Folders of the latest sessions. */
async function listWorkspaces(): Promise<string[]> {
  using states = await openStates();
  return [...new Set((states?.list({ limit: 200 }) ?? []).map(({ workspace }) => workspace))];
}

function askFolder(
  questions: Questions,
  toReason: (folder: string) => string | undefined,
): Promise<string | undefined> {
  return questions
    .text('Path of the folder', (text) => {
      const folder = toAbsolute(text);
      return isFolder(folder) ? toReason(folder) : 'There is no such folder.';
    })
    .then((text) => text && toAbsolute(text));
}

function toAbsolute(text: string): string {
  return resolve(text.replace(/^~(?=$|\/)/, process.env['HOME'] ?? '~'));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

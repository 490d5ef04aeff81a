import { KlausError } from '@klaus/core/protocol';
import { runGit, type GitContext } from '../git.ts';
import { findRepository } from '../repository.ts';
import type { GitText, GitTextOptions } from './git-text.ts';
import { runDiff, runText } from './run-diff.ts';

export interface GitCommit {
  /** The complete object id. */
  hash: string;
  /** The first line of the message. */
  subject: string;
  author: string;
  /** ISO 8601. */
  at: string;
}

const FIELDS = ['%H', '%s', '%an', '%aI'];

/**
 * The latest commits, the newest first. In a folder of a repository: those that change it. Empty before the first commit.
 *
 * @throws KlausError `tool.failed`.
 */
export async function listCommits(context: GitContext, { limit }: { limit: number }): Promise<GitCommit[]> {
  const repository = await findRepository(context);
  const head = await runGit(context, ['git', 'rev-parse', '--verify', '-q', 'HEAD'], { repository });
  if (head.exitCode !== 0) return [];
  const format = `--format=${FIELDS.join('%x00')}`;
  const within = repository.top === context.workspace.root ? [] : ['.'];
  const command = [
    'git',
    '--no-pager',
    'log',
    '--no-show-signature',
    '--no-color',
    '-z',
    `--max-count=${limit}`,
    format,
  ];
  const { text } = await runText(context, [...command, '--', ...within], { repository });
  const values = text.split('\0');
  const commits: GitCommit[] = [];
  for (let at = 0; at + FIELDS.length <= values.length; at += FIELDS.length) {
    const [hash = '', subject = '', author = '', time = ''] = values.slice(at, at + FIELDS.length);
    commits.push({ hash, subject, author, at: time });
  }
  return commits;
}

/**
 * The message and the diff of a commit; of a merge, against its first parent.
 *
 * @param hash At least four hexadecimal digits of its id.
 * @throws KlausError `usage` if there is no such commit, `tool.failed`.
 */
export async function readCommit(context: GitContext, hash: string, options: GitTextOptions): Promise<GitText> {
  const missing = new KlausError('usage', `There is no commit ${JSON.stringify(hash.slice(0, 100))}.`);
  if (!/^[0-9a-f]{4,64}$/.test(hash)) throw missing;
  const repository = await findRepository(context);
  const command = ['git', 'rev-parse', '--verify', '-q', '--end-of-options', `${hash}^{commit}`];
  const found = await runGit(context, command, { repository });
  const id = found.stdout.trim();
  if (found.exitCode !== 0 || !/^[0-9a-f]{40,64}$/.test(id)) throw missing;
  const show = ['git', '--no-pager', '-c', 'core.bigFileThreshold=8m', 'show', '--no-color', '--no-show-signature'];
  const format = '--format=commit %H%nAuthor: %an%nDate: %aI%n%n%B';
  // Git prints no message for a commit whose files are all left out.
  const { text: message, isCut } = await runText(context, [...show, '--no-patch', format, id], { repository });
  const diff = await runDiff(context, {
    ...options,
    repository,
    command: [...show, '-m', '--first-parent', '--format=', id],
  });
  const size = message.length + diff.size;
  const isTooLong = isCut || size > options.maxChars || diff.text === null;
  return { ...diff, size, text: isTooLong ? null : `${message}${diff.text}` };
}

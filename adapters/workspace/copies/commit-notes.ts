import type { CommitOptions } from './commit-work.ts';
import type { CopyRecord } from './copy-record.ts';
import { git, tryGit } from './git.ts';

/**
 * The rules of Git that commits of a working copy do not follow, as sentences.
 *
 * @param range.from Commit of the branch before. @param range.to The new one.
 */
export async function describeCommits(
  { path, repository }: Pick<CopyRecord, 'path' | 'repository'>,
  { from, to, author }: { from: string; to: string } & Pick<CommitOptions, 'author'>,
): Promise<string[]> {
  const headers = (await git(path, ['rev-list', '--header', `${from}..${to}`])).split('\0').filter(Boolean);
  if (headers.length === 0) return [];
  const unsigned = headers.filter((header) => !/^gpgsig/m.test(header.split('\n\n', 1)[0]!)).length;
  const invented = headers.filter((header) => header.includes(`\ncommitter ${author.name} <${author.email}> `)).length;
  const [signs, encoding, template, hooks, identity] = await Promise.all([
    read(repository, 'commit.gpgSign', ['--bool']),
    read(repository, 'i18n.commitEncoding'),
    read(repository, 'commit.template'),
    read(repository, 'core.hooksPath'),
    read(repository, 'user.email'),
  ]);
  return [
    ...(signs === 'true' && unsigned > 0
      ? [`Not signed, although commit.gpgSign is set: ${unsigned} of ${headers.length} commits.`]
      : []),
    ...(invented > 0 && identity === undefined
      ? [`The identity is ${author.name} <${author.email}>: none is configured (user.name, user.email).`]
      : []),
    ...(encoding !== undefined && !/^utf-?8$/i.test(encoding)
      ? [`Messages are in UTF-8, although i18n.commitEncoding is ${encoding}.`]
      : []),
    ...(template === undefined ? [] : [`commit.template, ${template}, was not used.`]),
    ...(hooks === undefined ? [] : [`The hooks of core.hooksPath, ${hooks}, did not run.`]),
  ];
}

/** The last value of a setting that Klaus has not given itself; undefined without one. */
async function read(folder: string, name: string, type: readonly string[] = []): Promise<string | undefined> {
  const listed = await tryGit(folder, ['config', '--null', '--show-scope', ...type, '--get-all', name]);
  const fields = listed?.split('\0') ?? [];
  let value: string | undefined;
  for (let at = 0; at + 1 < fields.length; at += 2) if (fields[at] !== 'command') value = fields[at + 1];
  return value;
}

import { join } from 'node:path';
import { readForeignFileSync } from '@klaus/adapters/system';
import { isKlausError } from '@klaus/core/protocol';
import type { Workspace } from '@klaus/core/agent';
import { readGitSettings } from '@klaus/core/policy';
import { findRepository, type Repository } from '../repository.ts';
import { withoutUser } from './host-git.ts';

/** What is known about the repository of a workspace without running Git. */
export interface RepositoryFacts {
  /** Null for a detached HEAD. */
  branch: string | null;
  /** True if tools can commit: its Git data is in the workspace. */
  writable: boolean;
  /** `origin`, else the first one. */
  remote: {
    name: string;
    /** Without a user. */ url: string;
    /** A page that opens a pull request. */ compare: string | null;
  } | null;
}

/** Bytes of a file of Git that are read. */
const MAX_BYTES = 1_000_000;

/** Undefined for a workspace without a repository. No program of the repository runs. */
export async function readRepositoryFacts(workspace: Workspace): Promise<RepositoryFacts | undefined> {
  let repository: Repository;
  try {
    repository = await findRepository({ workspace });
  } catch (error) {
    if (isKlausError(error)) return undefined;
    throw error;
  }
  const { gitDir, commonDir, inside } = repository;
  const branch = /^ref: refs\/heads\/(.+)$/m.exec(read(join(gitDir, 'HEAD')))?.[1]?.trim() ?? null;
  const { kept } = readGitSettings(read(join(commonDir, 'config')));
  const remotes = [...kept.matchAll(/^\[remote "(.+)"\]\n(?:\t.*\n)*?\turl = (.+)$/gim)];
  const [, name, url] = remotes.find(([, it]) => it === 'origin') ?? remotes[0] ?? [];
  const remote =
    name === undefined || url === undefined
      ? null
      : { name, url: withoutUser(url), compare: branch === null ? null : toCompareAddress(url, branch) };
  return { branch, writable: inside, remote };
}

function read(path: string): string {
  try {
    return readForeignFileSync(path, { max: MAX_BYTES, part: 'head' }).text;
  } catch {
    return '';
  }
}

/** The page of GitHub or GitLab that opens a pull request for a branch; null for other servers. */
export function toCompareAddress(url: string, branch: string): string | null {
  const [, host, path] =
    /^(?:https?|ssh):\/\/(?:[^/@\s]+@)?([\w.-]+)(?::\d+)?\/([\w./~-]+?)(?:\.git)?\/?$/.exec(url) ??
    /^(?:[\w.-]+@)([\w.-]+):([\w./~-]+?)(?:\.git)?\/?$/.exec(url) ??
    [];
  if (host === undefined || path === undefined || path.split('/').includes('..')) return null;
  const name = encodeURIComponent(branch);
  if (/^(?:www\.)?github\./.test(host)) return `https://${host}/${path}/compare/${name}?expand=1`;
  if (!host.startsWith('gitlab.')) return null;
  return `https://${host}/${path}/-/merge_requests/new?merge_request%5Bsource_branch%5D=${name}`;
}

import { isUtf8 } from 'node:buffer';
import { existsSync } from 'node:fs';
import { extname } from 'node:path';
import { type Klaus, KlausError, type TreeChange, type WorkspaceFiles } from '@klaus/sdk';
import { checkSeen } from '../access/seen-folders.ts';
import type { FileEntry, RouteOf } from '../contract/index.ts';
import type { Context, Parsed, PartialHandlers } from '../http/handler.ts';
import { findSession } from './sessions.ts';

/** Most bytes of a file that are sent. */
const MAX_BYTES = 2 * 1_024 * 1_024;
/** Most sessions that are searched for workspaces. */
const MAX_SESSIONS = 10_000;

const IMAGES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
};

type WorkspaceQuery = Parsed<RouteOf<'file'>>['query'];

/** The workspace that a request names: that of a session, a registered one, or the configured one. */
export async function openWorkspace(
  context: Context,
  { session, workspace }: Pick<WorkspaceQuery, 'session' | 'workspace'>,
): Promise<WorkspaceFiles> {
  if (session !== undefined) return openRecorded(context, (await findSession(context, session)).workspace);
  // First: whether another folder has sessions stays unknown.
  const folder = workspace ?? (context.seen.isComplete ? undefined : context.workspaces.configured);
  if (folder !== undefined) checkSeen(context.seen, folder);
  if (workspace !== undefined && !listWorkspaces(context).has(workspace)) {
    throw new KlausError('workspace.outside', `${workspace} is not the workspace of any session.`, {
      hint: '`GET /api/workspaces` lists them.',
    });
  }
  const isRecorded = folder !== undefined && listSessionWorkspaces(context.klaus).includes(folder);
  return isRecorded ? openRecorded(context, folder) : context.klaus.files(folder);
}

/** The path in a log is a real one. @throws KlausError `workspace.missing` if a symbolic link has replaced the folder. */
async function openRecorded({ klaus }: Context, folder: string): Promise<WorkspaceFiles> {
  const files = await klaus.files(folder);
  if (files.root === folder) return files;
  throw new KlausError('workspace.missing', `A symbolic link has replaced the folder ${folder}.`);
}

/** The workspace of each session. A folder occurs once for each of its sessions. */
export function listSessionWorkspaces(klaus: Klaus): string[] {
  return klaus.store.view
    .sessions({ limit: MAX_SESSIONS })
    .flatMap(({ workspace }) => (workspace === '' ? [] : [workspace]));
}

function listWorkspaces({ klaus, projects, workspaces }: Context): Map<string, number> {
  const found = new Map<string, number>();
  for (const workspace of listSessionWorkspaces(klaus)) found.set(workspace, (found.get(workspace) ?? 0) + 1);
  for (const path of [workspaces.configured, ...projects.list()]) if (!found.has(path)) found.set(path, 0);
  return found;
}

export const fileHandlers = {
  workspaces: (_given, context) => ({
    workspaces: [...listWorkspaces(context)]
      .filter(([path]) => context.workspaces.allowsKnown(path))
      .map(([path, sessions]) => ({ path, sessions, exists: existsSync(path) })),
  }),

  async files({ query }, context) {
    const files = await openWorkspace(context, query);
    const changes = await changesOf(context, query.session);
    const entries = (await files.list(query.path)).map(({ modifiedAt, ...entry }): FileEntry => ({
      ...entry,
      modifiedAt: new Date(modifiedAt).toISOString(),
      change: changeOf(changes, entry),
    }));
    return { root: files.root, path: query.path, entries };
  },

  async findFiles({ query }, context) {
    const files = await openWorkspace(context, query);
    return { paths: await files.find(query.q, { limit: query.limit }) };
  },

  async file({ params, query }, context) {
    const files = await openWorkspace(context, query);
    const { path, size, content } = await files.read(params.path, { maxBytes: MAX_BYTES });
    const mediaType = IMAGES[extname(path).toLowerCase()] ?? 'text/plain';
    const empty = { path, size, content: '', encoding: 'none' as const, truncated: false, hidden: false };
    if (content === null) return { ...empty, mediaType, hidden: true };
    const truncated = content.length < size;
    if (mediaType !== 'text/plain') {
      if (truncated) return { ...empty, mediaType, truncated };
      return { ...empty, mediaType, encoding: 'base64', content: Buffer.from(content).toString('base64') };
    }
    // The last character may be cut: a truncated file is sent up to its last line break.
    const bytes = truncated ? content.subarray(0, content.lastIndexOf(10) + 1 || content.length) : content;
    if (!isUtf8(bytes) || bytes.includes(0)) return { ...empty, mediaType: 'application/octet-stream', truncated };
    const text = await files.redact(new TextDecoder().decode(bytes));
    return { ...empty, mediaType, encoding: 'utf8', content: text, truncated };
  },
} satisfies PartialHandlers;

/** What the session changed; empty if no snapshots were stored. */
async function changesOf(context: Context, session: string | undefined): Promise<readonly TreeChange[]> {
  if (session === undefined) return [];
  const { id } = await findSession(context, session);
  return (await context.klaus.handle(id).turnChanges('all')).changes;
}

function changeOf(
  changes: readonly TreeChange[],
  { path, type }: Pick<FileEntry, 'path' | 'type'>,
): FileEntry['change'] {
  const own = changes.find((change) => change.path === path);
  if (own) return own.kind;
  return type === 'directory' && changes.some((change) => change.path.startsWith(`${path}/`)) ? 'modified' : null;
}

import { isUtf8 } from 'node:buffer';
import { existsSync, realpathSync } from 'node:fs';
import { extname } from 'node:path';
import { type Klaus, KlausError, type TreeChange, type WorkspaceFiles } from '@klaus/sdk';
import type { FileEntry } from '../contract/index.ts';
import type { Context, Handlers } from '../http/handler.ts';
import { findRow } from './sessions.ts';

/** Bytes of a file that are sent. */
const MAX_BYTES = 2 * 1_024 * 1_024;
/** Sessions that are looked through for workspaces. */
const SESSIONS = 10_000;

const IMAGES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
};

interface Place {
  session?: string | undefined;
  workspace?: string | undefined;
}

/** The workspace that a request names: that of a session, a registered one, or the configured one. */
async function openPlace(context: Context, { session, workspace }: Place): Promise<WorkspaceFiles> {
  if (session !== undefined) return context.klaus.files((await findRow(context, session)).workspace);
  if (workspace !== undefined && !listWorkspaces(context).has(workspace)) {
    throw new KlausError('workspace.outside', `${workspace} is no workspace of any session.`, {
      hint: 'GET /api/workspaces lists them.',
    });
  }
  return context.klaus.files(workspace);
}

/** Workspaces of sessions, once for each session. */
export function knownWorkspaces(klaus: Klaus): string[] {
  return klaus.store.view
    .sessions({ limit: SESSIONS })
    .flatMap(({ workspace }) => (workspace === '' ? [] : [workspace]));
}

function listWorkspaces({ klaus }: Context): Map<string, number> {
  const found = new Map<string, number>();
  for (const workspace of knownWorkspaces(klaus)) found.set(workspace, (found.get(workspace) ?? 0) + 1);
  const configured = klaus.configuration.get('workspace');
  const own = existsSync(configured) ? realpathSync(configured) : configured;
  if (!found.has(own)) found.set(own, 0);
  return found;
}

export const fileHandlers: Handlers<'workspaces' | 'files' | 'findFiles' | 'file'> = {
  workspaces: (_given, context) => ({
    workspaces: [...listWorkspaces(context)]
      .filter(([path]) => context.places.allowsKnown(path))
      .map(([path, sessions]) => ({ path, sessions, exists: existsSync(path) })),
  }),

  async files({ query }, context) {
    const files = await openPlace(context, query);
    const changes = await changesOf(context, query.session);
    const entries = (await files.list(query.path)).map(({ modifiedAt, ...entry }): FileEntry => ({
      ...entry,
      modifiedAt: new Date(modifiedAt).toISOString(),
      change: changeOf(changes, entry),
    }));
    return { root: files.root, path: query.path, entries };
  },

  async findFiles({ query }, context) {
    const files = await openPlace(context, query);
    return { paths: await files.find(query.q, { limit: query.limit }) };
  },

  async file({ params, query }, context) {
    const files = await openPlace(context, query);
    const { path, size, content } = await files.read(params.path, { maxBytes: MAX_BYTES });
    const mediaType = IMAGES[extname(path).toLowerCase()] ?? 'text/plain';
    const empty = { path, size, content: '', encoding: 'none' as const, truncated: false, hidden: false };
    if (content === null) return { ...empty, mediaType, hidden: true };
    const truncated = content.length < size;
    if (mediaType !== 'text/plain') {
      if (truncated) return { ...empty, mediaType, truncated };
      return { ...empty, mediaType, encoding: 'base64', content: Buffer.from(content).toString('base64') };
    }
    // A character may be cut at the end of what was read.
    const whole = truncated ? content.subarray(0, content.lastIndexOf(10) + 1 || content.length) : content;
    if (!isUtf8(whole) || whole.includes(0)) return { ...empty, mediaType: 'application/octet-stream', truncated };
    const text = await files.redact(new TextDecoder().decode(whole));
    return { ...empty, mediaType, encoding: 'utf8', content: text, truncated };
  },
};

/** What the session changed since it began; nothing where no state was kept. */
async function changesOf(context: Context, session: string | undefined): Promise<readonly TreeChange[]> {
  if (session === undefined) return [];
  const { id } = await findRow(context, session);
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

import { headOf } from '@klaus/sdk/cut-text';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { KlausError } from '@klaus/sdk';
import { canAllowFolders, checkCanAllowFolders } from '../access/can-allow-folders.ts';
import { isPublicOnly } from '../access/check-network.ts';
import { isLocal } from '../access/request-guard.ts';
import type { CloneView, ProjectView } from '../contract/index.ts';
import type { Context, Exchange, PartialHandlers } from '../http/handler.ts';
import { listFolders } from '../projects/list-folders.ts';
import { toSessionViews } from '../streams/session-view.ts';

/** Most sessions that are counted, the latest first. */
const MAX_SESSIONS = 10_000;

function listProjects(context: Context): ProjectView[] {
  const { klaus, workspaces, projects } = context;
  const own = workspaces.configured;
  const found = new Map<string, ProjectView>();
  const at = (path: string, isAdded = false): ProjectView => {
    const known = found.get(path);
    if (known) return known;
    const counts = { sessions: 0, running: 0, needsYou: 0, usd: 0, updatedAt: null };
    const project = { path, exists: existsSync(path), ...counts, isDefault: path === own, isRemovable: isAdded };
    found.set(path, project);
    return project;
  };
  const rows = klaus.store.view.sessions({ limit: MAX_SESSIONS }).filter(({ workspace }) => workspace !== '');
  for (const { workspace, project: folder = workspace, state, ...view } of toSessionViews(context, rows)) {
    const project = at(folder);
    project.usd = project.usd === null || view.usd === null ? null : project.usd + view.usd;
    project.updatedAt ??= view.updatedAt;
    if (view.archived || (view.parent !== null && view.forkedFrom === null)) continue;
    project.sessions += 1;
    if (state === 'running' || state === 'queued') project.running += 1;
    if (state === 'needs-you') project.needsYou += 1;
  }
  at(own);
  for (const path of projects.list().toReversed()) at(path, true);
  return [...found.values()]
    .filter(({ path }) => workspaces.allowsKnown(path))
    .toSorted((a, b) => ((a.updatedAt ?? '') < (b.updatedAt ?? '') ? 1 : -1));
}

export const projectHandlers = {
  projects: (_given, context) => ({ projects: listProjects(context) }),

  async folders({ query }, context, exchange) {
    const { configured } = context.workspaces;
    const canAllow = await canAllowFolders(context, exchange);
    const path = query.path ?? (canAllow ? dirname(configured) : configured);
    checkAbsolute(path);
    return listFolders({ path, workspaces: context.workspaces, isLocal: isLocal(exchange.request), canAllow });
  },

  async addProject({ body }, context, exchange) {
    const { projects, log } = context;
    checkAbsolute(body.path);
    const { path, exists, allow } = await findNew(context, exchange, { path: body.path, isAllowed: body.allow });
    if (!exists) {
      if (!body.create) {
        throw new KlausError('workspace.missing', `The folder ${body.path} does not exist on the server.`, {
          hint: 'Send `create: true` to create it.',
        });
      }
      createFolder(path);
    }
    allow();
    projects.add(path);
    log.info(exists ? 'project added' : 'project created', { path });
    return { path, created: !exists };
  },

  forgetProject({ query: { path } }, { projects, allowed, seen }) {
    if (seen.sees(path) && projects.remove(path)) return { path, wasAllowed: allowed.remove(path) };
    throw new KlausError('usage', `There is no added project ${headOf(path, 200)}.`, {
      hint: 'A folder with sessions is in the list as long as it has them.',
    });
  },

  clones: (_given, { clones, seen }) => ({ clones: clones.list().filter(({ path }) => seen.sees(path)) }),

  async startClone({ body }, context, exchange) {
    const { klaus, workspaces, clones, log } = context;
    const { request, identity } = exchange;
    const { parseCloneSource } = await import('@klaus/sdk/clone');
    const from = { isLocal: isLocal(request) };
    const source = parseCloneSource(body.url);
    // Else a client could read any repository of the machine.
    const url = source.protocol === 'file' ? workspaces.check(source.url, from) : source.url;
    checkAbsolute(body.parent);
    const name = body.name ?? source.name;
    if (name === '.' || name === '..' || /[/\\\0]/.test(name)) {
      throw new KlausError('usage', 'The name of the folder is not valid.', { hint: 'Use a name without slashes.' });
    }
    const { path, allow } = await findNew(context, exchange, { path: join(body.parent, name), isAllowed: body.allow });
    if (!isFolder(dirname(path))) {
      throw new KlausError('workspace.missing', `The folder ${body.parent} does not exist on the server.`, {
        hint: 'Choose an existing folder.',
      });
    }
    allow();
    log.info('clone started', { path, protocol: source.protocol });
    const limits = isPublicOnly(identity!)
      ? {
          privateHosts: klaus.configuration.get('server.privateHosts'),
          lendsCredentials: klaus.configuration.get('server.lendCredentials'),
        }
      : undefined;
    return clones.start({ ...source, url }, path, limits);
  },

  clone: ({ params }, context) => findClone(context, params.id),

  cancelClone: ({ params }, context) => context.clones.cancel(findClone(context, params.id).id),
} satisfies PartialHandlers;

/**
 * Checks the folder of a new project.
 *
 * @param given.isAllowed True if the sender allows the folder with this request. Default false.
 * @returns `allow` stores that, for a folder that was not allowed.
 * @throws KlausError as `AllowedWorkspaces.checkNew`, Refusal 403 for a sender who may not allow folders.
 */
async function findNew(context: Context, exchange: Exchange, given: { path: string; isAllowed?: boolean }) {
  const { workspaces, allowed, log } = context;
  const from = { isLocal: isLocal(exchange.request) };
  if (given.isAllowed !== true) return { ...workspaces.checkNew(given.path, from), allow: () => {} };
  await checkCanAllowFolders(context, exchange);
  const found = workspaces.checkAllowable(given.path);
  const allow = (): void => {
    allowed.add(found.path);
    log.info('folder allowed', { path: found.path });
  };
  return { ...found, allow: isInside(workspaces, found.path) ? () => {} : allow };
}

function isInside(workspaces: Context['workspaces'], path: string): boolean {
  try {
    workspaces.checkNew(path);
    return true;
  } catch {
    return false;
  }
}

/** @throws KlausError `usage` for an unknown one, and for one in a folder that the sender may not see. */
function findClone({ clones, seen }: Context, id: string): CloneView {
  const clone = clones.get(id);
  if (seen.sees(clone.path)) return clone;
  throw new KlausError('usage', `There is no clone ${id.slice(0, 100)}.`, { hint: '`GET /api/clones` lists them.' });
}

function checkAbsolute(path: string): void {
  if (!path.startsWith('/')) throw new KlausError('usage', 'The folder must be an absolute path.');
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Creates one folder. @throws KlausError. */
function createFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const reasons: Readonly<Record<string, string>> = {
      EEXIST: 'there is a file with this name',
      ENOENT: 'its parent folder does not exist',
      ENOTDIR: 'its parent is a file',
      EACCES: 'the user of the server may not write there',
      EROFS: 'the disk is read-only',
      ENOSPC: 'the disk is full',
    };
    throw new KlausError('workspace.missing', `The folder could not be created: ${reasons[code ?? ''] ?? code}.`, {
      hint: 'Choose another path, or change its parent folder.',
      cause,
    });
  }
}

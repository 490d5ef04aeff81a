import { grantHostSchema, type Access, type Authority, type AuthorityOf, type Grant } from '../../protocol/index.ts';
import { isBelow } from '../path.ts';
import { heldBy, liveAt } from './algebra.ts';
import { isUnitCovered } from './authority.ts';
import { toPlainCommands } from './plain-commands.ts';

/** True when the grant allows the access at this time. Absence is denial. */
export function allowsAccess(grant: Grant, access: Access, now: number): boolean {
  return findCover(liveAt(heldBy(grant), now), access) !== undefined;
}

/** True for an access that only authorities for any host cover: they name no host. */
export function isOfAnyHost(grant: Grant, access: Access, now: number): boolean {
  const live = liveAt(heldBy(grant), now);
  const named = live.filter((authority) => authority.kind !== 'net' || authority.host !== '*');
  return findCover(live, access) !== undefined && findCover(named, access) === undefined;
}

export function allowsTool(grant: Grant, name: string, now: number): boolean {
  return liveAt(heldBy(grant), now).some((authority) => coversTool(authority, name));
}

export function allowsSpawn(grant: Grant, now: number): boolean {
  return liveAt(heldBy(grant), now).some((authority) => authority.kind === 'spawn');
}

export function coversTool(authority: Authority, name: string): boolean {
  return authority.kind === 'tool' && (authority.name === '*' || authority.name === name);
}

/**
 * The authorities that together cover the access, or undefined. A command line of several commands needs one for
 * each command; any other access needs one.
 */
export function findCover(live: readonly Authority[], access: Access): Authority[] | undefined {
  if (access.kind === 'exec') return findExecCover(live, access.command);
  const cover = live.find((authority) => covers(authority, access));
  return cover ? [cover] : undefined;
}

function covers(authority: Authority, access: Exclude<Access, { kind: 'exec' }>): boolean {
  if (access.kind === 'fs') {
    if (authority.kind !== 'fs' || !authority.rights.includes(access.right)) return false;
    // Paths are resolved before; an unresolved path is not covered.
    const isResolved = access.path.startsWith('/') && !/[\0]|(?:^|\/)\.\.(?:\/|$)/.test(access.path);
    return isResolved && isBelow(access.path, authority.path);
  }
  if (authority.kind !== access.kind) return false;
  const host = grantHostSchema.safeParse(access.host);
  const { expiresAt: _, ...live } = authority;
  return host.success && isUnitCovered({ ...access, host: host.data }, live);
}

function findExecCover(live: readonly Authority[], line: string): Authority[] | undefined {
  const held = live.filter((authority) => authority.kind === 'exec');
  const general = held.find((authority) => authority.argv === undefined);
  if (general) return [general];
  const commands = held.length === 0 ? undefined : toPlainCommands(line);
  if (!commands || commands.length === 0) return undefined;
  const cover = commands.map((words) => held.find((authority) => beginsWith(words, authority)));
  return cover.every((authority) => authority !== undefined) ? [...new Set(cover)] : undefined;
}

function beginsWith(words: readonly string[], { argv = [] }: AuthorityOf<'exec'>): boolean {
  return argv.every((word, index) => words[index] === word);
}

const VERBS = { r: 'read', w: 'write', x: 'run the program' } as const;

export function describeAccess(access: Access): string {
  switch (access.kind) {
    case 'fs':
      return `${VERBS[access.right]} ${access.path}`;
    case 'net':
      return access.host === '*' ? 'reach the network' : `reach ${access.host}:${access.port}`;
    case 'exec':
      return 'run a command in the sandbox';
    case 'secret':
      return `send ${access.name} to ${access.host}`;
  }
}

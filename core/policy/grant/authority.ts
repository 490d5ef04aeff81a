import {
  FILE_RIGHTS,
  RIGHT_SETS,
  type Authority,
  type AuthorityKind,
  type AuthorityOf,
  type FileRight,
} from '../../protocol/index.ts';
import { isBelow } from '../path.ts';

/** Kinds that are a quantity to be used up, not a set of things that may be done. */
const AMOUNTS: ReadonlySet<AuthorityKind> = new Set(['spend', 'turns', 'spawn']);

export function isAmount(authority: Authority): authority is AuthorityOf<'spend' | 'turns' | 'spawn'> {
  return AMOUNTS.has(authority.kind);
}

/** What both allow, as one authority with the earlier expiry; undefined when they have nothing in common. */
export function meet(a: Authority, b: Authority): Authority | undefined {
  const common = meetContent(a, b);
  if (!common) return undefined;
  const ends = Math.min(a.expiresAt ?? Infinity, b.expiresAt ?? Infinity);
  return ends === Infinity ? common : { ...common, expiresAt: ends };
}

function meetContent(a: Authority, b: Authority): Authority | undefined {
  switch (a.kind) {
    case 'fs':
      return b.kind === 'fs' ? meetFiles(a, b) : undefined;
    case 'net': {
      if (b.kind !== 'net') return undefined;
      const host = meetHosts(a.host, b.host);
      const port = a.port === 0 || a.port === b.port ? b.port : b.port === 0 ? a.port : undefined;
      return host === undefined || port === undefined ? undefined : { kind: 'net', host, port };
    }
    case 'exec': {
      if (b.kind !== 'exec') return undefined;
      const [short, long] = (a.argv?.length ?? 0) <= (b.argv?.length ?? 0) ? [a.argv, b.argv] : [b.argv, a.argv];
      if (!(short ?? []).every((word, index) => word === long![index])) return undefined;
      return { kind: 'exec', ...(long ? { argv: long } : {}) };
    }
    case 'tool': {
      const name = b.kind === 'tool' ? meetNames(a.name, b.name) : undefined;
      return name === undefined ? undefined : { kind: 'tool', name };
    }
    case 'secret': {
      if (b.kind !== 'secret') return undefined;
      const name = meetNames(a.name, b.name);
      const host = meetHosts(a.host, b.host);
      return name === undefined || host === undefined ? undefined : { kind: 'secret', name, host };
    }
    case 'model': {
      if (b.kind !== 'model') return undefined;
      const ids = a.ids.flatMap((one) => b.ids.flatMap((other) => meetPatterns(one, other) ?? []));
      return ids.length === 0 ? undefined : { kind: 'model', ids: [...new Set(ids)] };
    }
    case 'spend':
      return b.kind === 'spend' ? { kind: 'spend', usd: Math.min(a.usd, b.usd) } : undefined;
    case 'turns':
      return b.kind === 'turns' ? { kind: 'turns', count: Math.min(a.count, b.count) } : undefined;
    case 'spawn':
      return b.kind === 'spawn'
        ? { kind: 'spawn', depth: Math.min(a.depth, b.depth), count: Math.min(a.count, b.count) }
        : undefined;
  }
}

function meetFiles(a: AuthorityOf<'fs'>, b: AuthorityOf<'fs'>): Authority | undefined {
  const path = isBelow(a.path, b.path) ? a.path : isBelow(b.path, a.path) ? b.path : undefined;
  const rights = toRights((right) => a.rights.includes(right) && b.rights.includes(right));
  return path === undefined || rights === undefined ? undefined : { kind: 'fs', path, rights };
}

/** The set of the rights that are wanted; undefined when it is empty. */
export function toRights(isWanted: (right: FileRight) => boolean): AuthorityOf<'fs'>['rights'] | undefined {
  const letters = FILE_RIGHTS.filter(isWanted).join('');
  return RIGHT_SETS.find((rights) => rights === letters);
}

function meetNames(a: string, b: string): string | undefined {
  return a === '*' || a === b ? b : b === '*' ? a : undefined;
}

function meetHosts(a: string, b: string): string | undefined {
  if (a === b || coversHost(a, b)) return b;
  return coversHost(b, a) ? a : undefined;
}

/** `*.example.com` is every name below example.com, not example.com itself. */
function coversHost(pattern: string, host: string): boolean {
  if (pattern === '*') return true;
  return pattern.startsWith('*.') && host !== pattern && host.endsWith(pattern.slice(1));
}

function meetPatterns(a: string, b: string): string | undefined {
  if (a.endsWith('*') && b.startsWith(a.slice(0, -1))) return b;
  if (b.endsWith('*') && a.startsWith(b.slice(0, -1))) return a;
  return a === b ? a : undefined;
}

/** True for what allows nothing: an amount of nothing. */
export function isNothing(authority: Authority): boolean {
  switch (authority.kind) {
    case 'spend':
      return authority.usd <= 0;
    case 'turns':
      return authority.count <= 0;
    case 'spawn':
      return authority.depth <= 0 || authority.count <= 0;
    default:
      return false;
  }
}

/** The same authority in pieces that cannot be divided by naming less: one right, one model name. */
export function toUnits(authority: Authority): Authority[] {
  if (isNothing(authority)) return [];
  if (authority.kind === 'fs') {
    const { rights, ...rest } = authority;
    return FILE_RIGHTS.filter((right) => rights.includes(right)).map((right) => ({ ...rest, rights: right }));
  }
  if (authority.kind === 'model') {
    const { ids, ...rest } = authority;
    return ids.map((id) => ({ ...rest, ids: [id] }));
  }
  return [authority];
}

/** True when the unit allows nothing that `other` does not allow, and not for longer. */
export function isUnitCovered(unit: Authority, other: Authority): boolean {
  const common = meet(unit, other);
  return common !== undefined && toKey(common) === toKey(unit);
}

/** The same text for the same authority, in any order of its fields. */
export function toKey(authority: Authority): string {
  return JSON.stringify(
    Object.entries(authority)
      .filter(([, value]) => value !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

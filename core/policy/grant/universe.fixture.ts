import type { Authority, Grant } from '../../protocol/index.ts';

/** A small world in which everything that authority can be about is counted one by one. */
const PATHS = ['/a', '/a/x', '/a/x/1', '/a/y', '/ab'] as const;
const RIGHTS = ['r', 'w', 'x'] as const;
const ENDPOINTS = [
  ['h.io', 1],
  ['h.io', 2],
  ['a.h.io', 1],
] as const;
const COMMANDS = [['npm'], ['npm', 'test'], ['git', 'log']] as const;
const TOOLS = ['t1', 't2'] as const;
const SECRETS = [
  ['k', 'h.io'],
  ['k', 'a.h.io'],
] as const;
const MODELS = ['m/1', 'm/2'] as const;

interface Use {
  name: string;
  allowedBy: (authority: Authority) => boolean;
}

/** Everything that can be done in this world. Written without the functions that are tested. */
export const USES: readonly Use[] = [
  ...PATHS.flatMap((path) =>
    RIGHTS.map((right) => ({
      name: `${right} ${path}`,
      allowedBy: (one: Authority) =>
        one.kind === 'fs' && one.rights.includes(right) && toAncestors(path).includes(one.path),
    })),
  ),
  ...ENDPOINTS.map(([host, port]) => ({
    name: `${host}:${port}`,
    allowedBy: (one: Authority) =>
      one.kind === 'net' && (one.port === 0 || one.port === port) && toHostPatterns(host).includes(one.host),
  })),
  ...COMMANDS.map((words) => ({
    name: words.join(' '),
    allowedBy: (one: Authority) =>
      one.kind === 'exec' && (one.argv === undefined || `${words.join(' ')} `.startsWith(`${one.argv.join(' ')} `)),
  })),
  ...TOOLS.map((tool) => ({
    name: tool,
    allowedBy: (one: Authority) => one.kind === 'tool' && ['*', tool].includes(one.name),
  })),
  ...SECRETS.map(([secret, host]) => ({
    name: `${secret} to ${host}`,
    allowedBy: (one: Authority) =>
      one.kind === 'secret' && ['*', secret].includes(one.name) && toHostPatterns(host).includes(one.host),
  })),
  ...MODELS.map((model) => ({
    name: model,
    allowedBy: (one: Authority) => one.kind === 'model' && one.ids.some((id) => ['*', 'm/*', model].includes(id)),
  })),
];

function toAncestors(path: string): string[] {
  const out = [path];
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) out.push(path.slice(0, at));
  return [...out, '/'];
}

function toHostPatterns(host: string): string[] {
  return ['*', host, ...(host === 'a.h.io' ? ['*.h.io', '*.io'] : ['*.io'])];
}

/** For every use the moment from which it is not allowed any more; 0 where it never was. */
export type Reach = readonly number[];

export const NO_REACH: Reach = USES.map(() => 0);

export function reachOf(authorities: readonly Authority[], expiresAt = Infinity): Reach {
  return USES.map((use) =>
    Math.max(0, ...authorities.filter(use.allowedBy).map((one) => Math.min(one.expiresAt ?? Infinity, expiresAt))),
  );
}

export function reachOfGrant(grant: Grant): { held: Reach; handed: Reach } {
  const held = reachOf(grant.authorities, grant.expiresAt);
  return { held, handed: both(reachOf(grant.delegable ?? [], grant.expiresAt), held) };
}

export function both(a: Reach, b: Reach): Reach {
  return a.map((ends, index) => Math.min(ends, b[index]!));
}

export function either(a: Reach, b: Reach): Reach {
  return a.map((ends, index) => Math.max(ends, b[index]!));
}

/** Uses that `a` allows at this moment and `b` does not. */
export function excess(a: Reach, b: Reach, now: number): string[] {
  return USES.filter((_, index) => a[index]! > now && b[index]! <= now).map(({ name }) => name);
}

/** Numbers from 0 up to `below`, the same for the same seed. */
export type Random = (below: number) => number;

/** A small generator with 32 bits of state (xorshift); good enough to vary tests by. */
export function createRandom(seed: number): Random {
  let state = (Math.imul(seed + 1, 0x9e3779b1) ^ 0x5bd1e995) >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

export function pick<T>(random: Random, from: readonly T[]): T {
  return from[random(from.length)]!;
}

/** A random authority of the world, that expires, if ever, at most 9 after `now`. */
export function toAuthority(random: Random, now: number): Authority {
  const expires = random(4) === 0 ? { expiresAt: now + random(10) } : {};
  switch (random(12)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return { kind: 'fs', path: pick(random, ['/', ...PATHS]), rights: pick(random, RIGHT_SETS), ...expires };
    case 4:
      return {
        kind: 'net',
        host: pick(random, ['*', '*.h.io', '*.io', 'h.io', 'a.h.io']),
        port: pick(random, [0, 0, 1, 2]),
        ...expires,
      };
    case 5: {
      const argv = pick(random, [undefined, ['npm'], ['npm', 'test'], ['git']]);
      return { kind: 'exec', ...(argv ? { argv } : {}), ...expires };
    }
    case 6:
      return { kind: 'tool', name: pick(random, ['*', ...TOOLS]), ...expires };
    case 7:
      return {
        kind: 'secret',
        name: pick(random, ['*', 'k']),
        host: pick(random, ['*', '*.h.io', 'h.io']),
        ...expires,
      };
    case 8:
      return { kind: 'model', ids: pick(random, [['*'], ['m/*'], ['m/1'], ['m/1', 'm/2']]), ...expires };
    case 9:
      return { kind: 'spend', usd: random(9), ...expires };
    case 10:
      return { kind: 'turns', count: random(9), ...expires };
    default:
      return { kind: 'spawn', depth: random(4), count: random(6), ...expires };
  }
}

const RIGHT_SETS = ['r', 'w', 'x', 'rw', 'rx', 'wx', 'rwx'] as const;

/** A random grant; it may claim to delegate what it does not hold. */
export function toRandomGrant(random: Random, now: number): Grant {
  const some = (count: number) => Array.from({ length: count }, () => toAuthority(random, now));
  const authorities = some(1 + random(5));
  return {
    authorities,
    ...(random(4) === 0 ? {} : { delegable: [...authorities.filter(() => random(2) === 0), ...some(random(3))] }),
    ...(random(6) === 0 ? { expiresAt: now + random(10) } : {}),
  };
}

import { covers } from './allow-list.ts';
import { TIERS } from './provider-table.ts';
import { modeSchema, type Mode, type SandboxName } from '../authority/mode.ts';

/** When a project file may set a value: only if it is narrower than the value without the file. */
export interface Narrowing<T = unknown> {
  /** The rule, for messages and for the reference. */
  readonly rule: string;
  /** True when `value` is no wider than `base`; `read` returns the value of another setting without the file. */
  holds(value: T, base: T | undefined, read: (key: string) => unknown): boolean;
  /** The resulting value, if it is not the value in the file. It is also called when a stronger source sets the setting. */
  merge?(value: T, base: T | undefined): T;
}

const isTier = (name: string): boolean => (TIERS as readonly string[]).includes(name);

/** Numbers: no larger. */
export const atMost: Narrowing<number> = {
  rule: 'only a smaller number',
  holds: (value, base) => base === undefined || value <= base,
};

/** Numbers whose default depends on the machine: no larger than the user's value, or than `limit` without one. */
export function atMostOr(limit: number): Narrowing<number> {
  return {
    rule: `only a smaller number; at most ${limit} if you set none`,
    holds: (value, base) => value <= (base ?? limit),
  };
}

/** Caps, for which 0 means unlimited: no larger. */
export const capAtMost: Narrowing<number> = {
  rule: 'only a smaller number; 0 means unlimited',
  holds: (value, base) => base === undefined || base === 0 || (value !== 0 && value <= base),
};

/** Words, in their order: none behind that of the user. */
export function upTo<T extends string>(words: readonly T[]): Narrowing<T> {
  return {
    rule: `only a narrower mode: ${words.join(' < ')}`,
    holds: (value, base) => base === undefined || words.indexOf(value) <= words.indexOf(base),
  };
}

/** Approval modes: no wider. */
export const narrowerMode: Narrowing<Mode> = upTo(modeSchema.options);

/** Models: the provider reads the code, so a project may choose a tier and no provider. */
export const tierOnly: Narrowing<string> = {
  rule: `only a tier (${TIERS.join(', ')}), and only if you set a tier yourself`,
  holds: (value, base) => isTier(value) && (base === undefined || isTier(base)),
};

/** Sandbox drivers: no weaker. */
export const neverHost: Narrowing<SandboxName> = {
  rule: 'any sandbox if yours is `host`; if you set none, `bubblewrap`, or `docker` with `DOCKER_ENABLED=true`; never `host`',
  holds: (value, base, read) => {
    if (value === 'host') return false;
    if (base !== undefined) return base === 'host' || value === base;
    // Without a choice of the user the best driver is used, unless DOCKER_ENABLED requires Docker.
    return value === (read('dockerEnabled') === true ? 'docker' : 'bubblewrap');
  },
};

/** Allow-lists, whose entries may end in `*`: no additional names. */
export const subset: Narrowing<string[]> = {
  rule: 'only names that your list includes',
  holds: (value, base) => base === undefined || value.every((name) => base.some((entry) => covers(entry, name))),
};

/** Lists to which a project only adds entries. */
export const additional: Narrowing<string[]> = {
  rule: 'adds to your list',
  holds: () => true,
  merge: (value, base = []) => [...new Set([...base, ...value])],
};

/** One value: a project may set it, and no other value than the one without the file. */
export function only<T extends string | boolean>(allowed: T): Narrowing<T> {
  return { rule: `only \`${allowed}\``, holds: (value, base) => value === allowed || value === base };
}

/** Commands, which the user confirms before they run. */
export const confirmed: Narrowing<string> = {
  rule: 'any command; it runs only with `--trust-command`',
  holds: () => true,
};

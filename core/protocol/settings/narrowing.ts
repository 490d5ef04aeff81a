import { covers } from './allow-list.ts';
import { TIERS } from './provider-table.ts';
import { modeSchema, type Mode, type SandboxName } from '../authority/mode.ts';

/** When a project file may set a value: only where it is narrower than what holds without the file. */
export interface Narrowing<T = unknown> {
  /** What such a file may say, in words. */
  readonly rule: string;
  /**
   * True when `value` is no wider than `base`, the value that holds without the file.
   *
   * @param read Gives what holds for another setting, by its key.
   */
  holds(value: T, base: T | undefined, read: (key: string) => unknown): boolean;
  /** What holds with the file, where that is not its own value. It is asked also where a stronger source says something. */
  merge?(value: T, base: T | undefined): T;
}

const isTier = (name: string): boolean => (TIERS as readonly string[]).includes(name);

/** Numbers: no larger. */
export const atMost: Narrowing<number> = {
  rule: 'only a smaller number',
  holds: (value, base) => base === undefined || value <= base,
};

/** Numbers that follow the machine where nobody sets them: no larger than the user's, or than this. */
export function atMostOr(limit: number): Narrowing<number> {
  return {
    rule: `only a smaller number; where you set none, at most ${limit}`,
    holds: (value, base) => value <= (base ?? limit),
  };
}

/** Caps, of which 0 means unlimited: no larger. */
export const capAtMost: Narrowing<number> = {
  rule: 'only a smaller number; 0 is the largest',
  holds: (value, base) => base === undefined || base === 0 || (value !== 0 && value <= base),
};

/** Approval modes: no wider. */
export const narrowerMode: Narrowing<Mode> = {
  rule: `only a narrower mode: ${modeSchema.options.join(' < ')}`,
  holds: (value, base) => base === undefined || modeSchema.options.indexOf(value) <= modeSchema.options.indexOf(base),
};

/** Models: whoever picks a provider decides who reads the code, so a project picks only a tier. */
export const tierOnly: Narrowing<string> = {
  rule: 'only a tier (opus, sonnet, haiku), and only where you name a tier yourself',
  holds: (value, base) => isTier(value) && (base === undefined || isTier(base)),
};

/** Sandbox drivers: no weaker. */
export const neverHost: Narrowing<SandboxName> = {
  rule: 'either sandbox where yours is `host`; where you set none `bubblewrap`, or `docker` if you want that by DOCKER_ENABLED; never `host`',
  holds: (value, base, read) => {
    if (value === 'host') return false;
    if (base !== undefined) return base === 'host' || value === base;
    // Without a choice of the user's the best driver is taken, unless it was said that only Docker will do.
    return value === (read('dockerEnabled') === true ? 'docker' : 'bubblewrap');
  },
};

/** Allow-lists, whose entries may end in `*`: nothing more. */
export const subset: Narrowing<string[]> = {
  rule: 'only names that your own list covers',
  holds: (value, base) => base === undefined || value.every((name) => base.some((entry) => covers(entry, name))),
};

/** Lists that only ever grow: what a project names comes to what holds without it. */
export const additional: Narrowing<string[]> = {
  rule: 'adds to your own',
  holds: () => true,
  merge: (value, base = []) => [...new Set([...base, ...value])],
};

/** A project may ask for this one value, whatever holds without it. */
export function only<T extends string | boolean>(allowed: T): Narrowing<T> {
  return { rule: `only \`${allowed}\``, holds: (value, base) => value === allowed || value === base };
}

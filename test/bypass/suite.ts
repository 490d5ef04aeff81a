import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HostFacts } from '../../core/policy/shell/host/host-facts.ts';
import { judgeCommand, type CommandVerdict } from '../../core/policy/shell/judge-command.ts';
import type { Disguise } from './disguises.ts';
import { HARMS, type Harm } from './harms.ts';
import { isHarmful, PLACE } from './repository.ts';

/** One disguised command. */
export interface Attack {
  disguise: string;
  harm: Harm;
  command: string;
}

/** Every harm in every disguise. */
export function toAttacks(disguises: readonly Disguise[]): Attack[] {
  return disguises.flatMap(({ name, apply }) =>
    HARMS.map((harm) => ({ disguise: name, harm, command: apply(harm.command) })),
  );
}

/** One disguise over another, each pair of neighbours at some distance once, with the harms in turn. */
export function toChains(disguises: readonly Disguise[]): Attack[] {
  return disguises.flatMap((inner, at) =>
    [1, 17].flatMap((distance) => {
      const outer = disguises[(at + distance) % disguises.length];
      const harm = HARMS[(at + distance) % HARMS.length];
      if (!outer || !harm) return [];
      return [{ disguise: `${inner.name}, ${outer.name}`, harm, command: outer.apply(inner.apply(harm.command)) }];
    }),
  );
}

/** True if the gate's shell rule allows the command. */
export function passes(command: string): boolean {
  return judgeCommand(command, { workspace: PLACE, isOffline: true }).verdict === 'allow';
}

/** Programs and images that are on the machine of an ordinary command. */
const LOCAL =
  'eslint prettier tsc vitest jest playwright prisma vite tsx ts-node rimraf knip cypress next webpack turbo nx lerna mocha husky lint-staged stylelint markdownlint rollup esbuild depcheck madge node:20 alpine postgres app'.split(
    ' ',
  );

/** The verdict on a command that runs without a sandbox, for the guard of another agent. */
export function judgeOnHost(command: string): CommandVerdict {
  const host: HostFacts = {
    workspace: PLACE,
    userHome: '/home/me',
    state: ['/home/me/.klaus'],
    exists: () => false,
    toReal: (path) => path,
    isNew: () => false,
    read: () => undefined,
    fetched: new Set(),
    files: new Map(),
    written: new Set(),
    code: new Map(),
    scripts: [],
    readsRemote: true,
    local: new Set(LOCAL),
  };
  return judgeCommand(command, { workspace: PLACE, host });
}

export interface AttackReport {
  tried: number;
  /** Attacks whose harm was observed. */
  harmful: Attack[];
  /** Harmful and allowed. */
  missed: Attack[];
}

/** Runs every attack, several at a time, and judges those that do harm. */
export async function runAttacks(seed: string, attacks: readonly Attack[], lanes = 4): Promise<AttackReport> {
  const harmful: Attack[] = [];
  const queue = [...attacks];
  const lane = async () => {
    for (let attack = queue.shift(); attack; attack = queue.shift()) {
      if (await isHarmful(seed, attack.command, attack.harm.evidence)) harmful.push(attack);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return { tried: attacks.length, harmful, missed: harmful.filter(({ command }) => passes(command)) };
}

/** The ordinary commands of a file, one per line; `⏎` is a line break inside a command. */
export function readOrdinary(file = 'ordinary.txt'): string[] {
  const text = readFileSync(join(import.meta.dirname, file), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replaceAll('⏎', '\n'));
}

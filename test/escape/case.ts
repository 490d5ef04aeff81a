import type { ExecRequest, ExecResult } from '@klaus/core/agent';
import type { ControlName } from '../../adapters/sandboxes/bubblewrap/controls.ts';
import { SECRET } from './world.ts';
import type { World } from './world.ts';

/** One attempt to escape from the sandbox. */
export interface EscapeCase {
  name: string;
  /** The controls of the bubblewrap driver without which it succeeds. */
  without: readonly ControlName[];
  /** Prepares the host. */
  before?: (world: World) => void;
  /** The shell line or arguments that run in the sandbox. */
  attack: (world: World) => ExecRequest['command'];
  /** The rest of the request. */
  request?: (world: World) => Partial<ExecRequest>;
  /** True when the attack succeeded, checked from outside. Default: the canary was printed. */
  harmed?: (world: World, result: ExecResult) => boolean | Promise<boolean>;
  /** Prepended to Klaus's own PATH. */
  path?: (world: World) => string;
  /** Removes effects of a successful proof outside the world. */
  after?: (world: World) => void;
  /** A program that the attack needs in the sandbox. */
  program?: string;
  /** The reason why Docker does not prevent it, if that is a documented limit of the driver. */
  dockerLimit?: string;
  /** The same for pods, in addition. */
  podLimit?: string;
  /** True if the proof needs root on the machine, because otherwise the kernel refuses the attack. */
  rootProof?: boolean;
}

/** True when the canary, or a part of it, was printed. */
export function isSecretShown(_: World, result: ExecResult): boolean {
  return result.output.includes(SECRET);
}

/** Arguments that run a Perl program; the rest is `@ARGV`. */
export function perl(source: string, ...words: (string | number)[]): string[] {
  return ['perl', '-e', source, ...words.map(String)];
}

/** True when the attack reports success. For calls without a visible effect. */
export function isThrough(_: World, result: ExecResult): boolean {
  return result.stdout.includes('through');
}

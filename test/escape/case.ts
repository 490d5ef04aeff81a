import type { ExecRequest, ExecResult } from '@klaus/core/agent';
import type { ControlName } from '../../adapters/sandboxes/bubblewrap/controls.ts';
import { SECRET } from './world.ts';
import type { World } from './world.ts';

/** One attempt to get out. */
export interface EscapeCase {
  name: string;
  /** The controls of the bubblewrap driver without which it succeeds. */
  without: readonly ControlName[];
  /** Makes the scene ready on the host. */
  before?: (world: World) => void;
  /** The shell line, or the words, that are run in the sandbox. */
  attack: (world: World) => ExecRequest['command'];
  /** Beyond the command. */
  request?: (world: World) => Partial<ExecRequest>;
  /** True when harm was done, looked at from outside. Default: the canary was printed. */
  harmed?: (world: World, result: ExecResult) => boolean | Promise<boolean>;
  /** Put in front of Klaus's own PATH. */
  path?: (world: World) => string;
  /** Takes away what a successful proof left outside of the world. */
  after?: (world: World) => void;
  /** A program that must be in the sandbox. */
  program?: string;
  /** Why Docker does not hold it, where that is a stated limit of that driver. */
  dockerLimit?: string;
  /** The proof needs the machine's root, for without it the kernel refuses whatever the driver does. */
  rootProof?: boolean;
}

/** The canary, or a piece of it, came out. */
export function isSecretShown(_: World, result: ExecResult): boolean {
  return result.output.includes(SECRET);
}

/** Perl source as words; `@ARGV` is what follows. */
export function perl(source: string, ...words: (string | number)[]): string[] {
  return ['perl', '-e', source, ...words.map(String)];
}

/** True when the attack's own report says that the kernel let it through. For calls whose effect nobody sees. */
export function isThrough(_: World, result: ExecResult): boolean {
  return result.stdout.includes('through');
}

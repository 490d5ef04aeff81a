import type { Command } from 'commander';
import { toBash } from './bash.ts';
import { toEntries } from './entry.ts';
import { toFish } from './fish.ts';
import { toZsh } from './zsh.ts';

const SHELLS = { bash: toBash, zsh: toZsh, fish: toFish } as const;

/** A completion script for a shell, from the declared commands. */
export function toCompletionScript(program: Command, shell: keyof typeof SHELLS): string {
  return SHELLS[shell](toEntries(program));
}

import type { Authority, Effect, Grant } from '../../protocol/index.ts';
import { coversTool } from './access.ts';
import { heldBy, liveAt } from './algebra.ts';

type Test = (authority: Authority) => boolean;

const mayExecute: Test = ({ kind }) => kind === 'exec';
const mayConnect: Test = ({ kind }) => kind === 'net';

/** The authorities that an effect needs, at least for some path, command or host. */
const NEEDED: Readonly<Record<Effect, readonly Test[]>> = {
  read: [(authority) => authority.kind === 'fs' && authority.rights.includes('r')],
  write: [(authority) => authority.kind === 'fs' && authority.rights.includes('w')],
  execute: [mayExecute],
  network: [mayConnect],
  deploy: [mayExecute, mayConnect],
  spawn: [({ kind }) => kind === 'spawn'],
};

/**
 * True when the grant allows the tool by its name, and all its effects somewhere. A tool that it does not allow is not
 * offered to the model. The gate still judges every call.
 *
 * @param now Unix milliseconds.
 */
export function allowsToolUse(
  grant: Grant,
  { name, effects }: { name: string; effects: readonly Effect[] },
  now: number,
): boolean {
  const live = liveAt(heldBy(grant), now);
  if (!live.some((authority) => coversTool(authority, name))) return false;
  return effects.flatMap((effect) => NEEDED[effect]).every((needed) => live.some(needed));
}

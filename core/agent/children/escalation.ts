import { allowsAccess, toPlainCommands } from '../../policy/index.ts';
import type { Access, Authority, Escalation } from '../../protocol/index.ts';
import type { Work } from '../loop/work.ts';
import { openedOf } from '../state/state.ts';

/** Milliseconds for which an approval gives a child session more authority. */
export const ESCALATION_MS = 3_600_000;

/** What a call of a child session needs beyond its grant. Undefined: nothing, or something that has no exact bounds. */
export function toEscalation(work: Work, access: readonly Access[]): Escalation | undefined {
  const { engine, state, authority } = work;
  if (!openedOf(state).parent) return undefined;
  const now = engine.clock.now();
  const grant = authority.grant();
  const needed = access.filter((one) => !allowsAccess(grant, one, now)).map(toExactAuthorities);
  if (needed.length === 0 || needed.some((authorities) => authorities === undefined)) return undefined;
  const chain = authority.lineage();
  return { chain, authorities: needed.flatMap((authorities) => authorities!), expiresAt: now + ESCALATION_MS };
}

/** Authority for this access alone. */
function toExactAuthorities(access: Access): Authority[] | undefined {
  switch (access.kind) {
    case 'fs':
      return [{ kind: 'fs', path: access.path, rights: access.right }];
    case 'net':
    case 'secret':
      return [{ ...access }];
    case 'exec': {
      const commands = toPlainCommands(access.command);
      if (!commands || commands.length === 0 || commands.some(({ length }) => length === 0)) return undefined;
      return commands.map((argv) => ({ kind: 'exec', argv: [...argv] }));
    }
  }
}

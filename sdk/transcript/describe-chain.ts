import type { EventOf } from '@klaus/core/protocol';
import { toLine } from './printable.ts';

/** Who asks, and for whom it works: `writer asks, started by editor, started by lead`. */
export function describeChain(chain: NonNullable<EventOf<'approval.asked'>['chain']>): string {
  return chain
    .toReversed()
    .map(({ agent }, at) => (at === 0 ? `${toLine(agent, 60)} asks` : `started by ${toLine(agent, 60)}`))
    .join(', ');
}

import { KlausError, type Authority, type Grant } from '../../protocol/index.ts';
import { delegableOf, heldBy, intersectAuthorities, liveAt, toGrant } from './algebra.ts';
import { amountsOf, deductAmounts, type Amounts } from './amounts.ts';
import { isNothing } from './authority.ts';

export interface Attenuated {
  /** What the child gets. */
  child: Grant;
  /** What the parent has left: money, turns and agents moved to the child. */
  rest: Grant;
  /** How much moved. */
  moved: Amounts;
}

/**
 * The *spawn* edge: a child gets what was requested as far as its parent may hand it on, and may hand on no
 * more of it than its parent could. Holding is not delegating. The child is one generation nearer to the end
 * and counts as one of the agents that its parent may create.
 *
 * @param now Unix milliseconds.
 * @throws KlausError `denied` when the parent may not create an agent.
 */
export function attenuate(parent: Grant, request: Grant, now: number): Attenuated {
  const held = liveAt(heldBy(parent), now);
  if (!held.some((one) => one.kind === 'spawn')) {
    throw new KlausError('denied', 'The grant allows no further agent to be created.', {
      hint: 'Give it spawn(depth, count), or more of it.',
    });
  }
  const offer = intersectAuthorities(toGenerationBelow(liveAt(delegableOf(parent), now)), toGenerationBelow(held));
  const child = toGrant(
    intersectAuthorities(liveAt(heldBy(request), now), offer),
    intersectAuthorities(liveAt(delegableOf(request), now), offer),
  );
  const moved = amountsOf(child.authorities);
  const used = { ...moved, agents: moved.agents + 1 };
  const rest = toGrant(deductAmounts(heldBy(parent), used), deductAmounts(delegableOf(parent), used));
  return { child, rest, moved };
}

/** What is left of the authorities for the next generation: it is one nearer to the end, and itself one of the agents. */
export function toGenerationBelow(authorities: readonly Authority[]): Authority[] {
  return authorities
    .map((one): Authority => (one.kind === 'spawn' ? { ...one, depth: one.depth - 1, count: one.count - 1 } : one))
    .filter((one) => !isNothing(one));
}

import { KlausError, type Authority, type Grant } from '../../protocol/index.ts';
import { delegableOf, heldBy, intersectAuthorities, liveAt, toGrant } from './algebra.ts';
import { amountsOf, deductAmounts, type Amounts } from './amounts.ts';
import { isNothing } from './authority.ts';

export interface Attenuated {
  /** The grant of the child. */
  child: Grant;
  /** The remaining grant of the parent, without the money, turns and agents that moved to the child. */
  rest: Grant;
  /** How much moved. */
  moved: Amounts;
}

/**
 * The grant of a child agent: the requested authority as far as its parent may delegate it. The child may delegate no
 * more than its parent. The child has one generation less below it and counts as one of the agents that its parent
 * may create.
 *
 * @param now Unix milliseconds.
 * @throws KlausError `denied` if the parent may not create an agent.
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

/** The authorities of the next generation: with one generation and one agent less. */
export function toGenerationBelow(authorities: readonly Authority[]): Authority[] {
  return authorities
    .map((one): Authority => (one.kind === 'spawn' ? { ...one, depth: one.depth - 1, count: one.count - 1 } : one))
    .filter((one) => !isNothing(one));
}

import type { Authority, Grant } from '../../protocol/index.ts';
import type { Lineage, LineageFact } from './lineage.ts';
import {
  both,
  either,
  excess,
  NO_REACH,
  pick,
  reachOf,
  reachOfGrant,
  toAuthority,
  toRandomGrant,
  type Random,
  type Reach,
} from './universe.fixture.ts';

/** What an agent may do, counted use by use, and what it may spend: kept by hand beside the lineage that is tested. */
interface Witness {
  parent?: string;
  held: Reach;
  handed: Reach;
  extra: { held: Reach; handed: Reach }[];
  ended: boolean;
  /** What the user gave and what revocations left of it; only for agents without a parent. */
  caps: (readonly Authority[])[];
  spent: number;
}

/** An account of the same history by sets alone. */
export interface Oracle {
  readonly agents: ReadonlyMap<string, Witness>;
  /** @param accepted True when the tested lineage let the new agent come into being below its parent. */
  take(fact: LineageFact, accepted: boolean): void;
  held(agent: string): Reach;
  handed(agent: string): Reach;
}

export function createOracle(): Oracle {
  const agents = new Map<string, Witness>();
  const blank = (): Witness => ({ held: NO_REACH, handed: NO_REACH, extra: [], ended: false, caps: [], spent: 0 });
  const handed = (id: string): Reach => {
    const agent = agents.get(id);
    if (!agent || agent.ended) return NO_REACH;
    const own = agent.parent === undefined ? agent.handed : both(agent.handed, handed(agent.parent));
    return agent.extra.reduce((sum, extra) => either(sum, extra.handed), own);
  };
  const held = (id: string): Reach => {
    const agent = agents.get(id);
    if (!agent || agent.ended) return NO_REACH;
    const own = agent.parent === undefined ? agent.held : both(agent.held, handed(agent.parent));
    return agent.extra.reduce((sum, extra) => either(sum, extra.held), own);
  };
  const chain = (id: string): string[] => {
    const parent = agents.get(id)?.parent;
    return parent === undefined ? [id] : [...chain(parent), id];
  };
  const take = (fact: LineageFact, accepted: boolean): void => {
    if (fact.kind === 'opened') {
      agents.set(fact.agent, { ...blank(), ...reachOfGrant(fact.grant), caps: [toCaps(fact.grant)] });
    } else if (fact.kind === 'spawned') {
      const wanted = reachOfGrant(fact.request);
      const offer = handed(fact.parent);
      const got = { parent: fact.parent, held: both(wanted.held, offer), handed: both(wanted.handed, offer) };
      agents.set(fact.agent, { ...blank(), ...(accepted ? got : {}) });
    } else if (fact.kind === 'forked') {
      const from = agents.get(fact.from)!;
      const { parent } = from;
      const isGood = !from.ended && (parent === undefined || accepted);
      const got = { held: from.held, handed: from.handed, parent };
      agents.set(fact.agent, { ...blank(), ...(isGood ? got : {}) });
    } else if (fact.kind === 'invoked' || fact.kind === 'resumed') {
      // Neither gives anything.
    } else {
      const agent = agents.get(fact.agent)!;
      if (fact.kind === 'ended') agent.ended = true;
      else if (fact.kind === 'spent') agent.spent += fact.usd;
      else if (fact.kind === 'revoked') revokeFrom(agent, fact.remaining);
      else if (chain(fact.agent).join() === fact.chain.join()) {
        const extra = reachOf(fact.authorities, fact.expiresAt);
        agent.extra.push({ held: extra, handed: fact.delegable ? extra : NO_REACH });
      }
    }
  };
  return { agents, take, held, handed };
}

function revokeFrom(agent: Witness, remaining: Grant): void {
  const left = reachOfGrant(remaining);
  agent.held = both(agent.held, left.held);
  agent.handed = both(agent.handed, left.handed);
  agent.extra = agent.extra.map((extra) => ({
    held: both(extra.held, left.held),
    handed: both(extra.handed, left.handed),
  }));
  agent.caps.push(toCaps(remaining));
}

function toCaps(grant: Grant): Authority[] {
  return grant.authorities.map((one) => ({
    ...one,
    expiresAt: Math.min(one.expiresAt ?? 1e9, grant.expiresAt ?? 1e9),
  }));
}

function toDollars(authorities: readonly Authority[], now: number): number {
  return Math.max(
    0,
    ...authorities.map((one) => (one.kind === 'spend' && (one.expiresAt ?? Infinity) > now ? one.usd : 0)),
  );
}

/** What is wrong with these grants at this moment, or undefined. */
export function findAmplification(oracle: Oracle, grants: ReadonlyMap<string, Grant>, now: number): string | undefined {
  for (const [id, grant] of grants) {
    const is = {
      held: reachOf(grant.authorities, grant.expiresAt),
      handed: reachOf(grant.delegable ?? [], grant.expiresAt),
    };
    const more = excess(is.held, oracle.held(id), now);
    if (more.length > 0) return `${id} may do more than it was given: ${more.join(', ')}`;
    const handsMore = excess(is.handed, oracle.handed(id), now);
    if (handsMore.length > 0) return `${id} may delegate more than it was given to: ${handsMore.join(', ')}`;
    const unheld = excess(is.handed, is.held, now);
    if (unheld.length > 0) return `${id} may delegate what it does not hold: ${unheld.join(', ')}`;
  }
  return findMultipliedMoney(oracle, grants, now);
}

function findMultipliedMoney(oracle: Oracle, grants: ReadonlyMap<string, Grant>, now: number): string | undefined {
  const rootOf = (id: string): string => {
    const parent = oracle.agents.get(id)?.parent;
    return parent === undefined ? id : rootOf(parent);
  };
  for (const [root, { caps, parent }] of oracle.agents) {
    if (parent !== undefined) continue;
    const tree = [...oracle.agents.keys()].filter((id) => rootOf(id) === root);
    const given = caps.length === 0 ? 0 : Math.min(...caps.map((cap) => toDollars(cap, now)));
    const spent = tree.reduce((sum, id) => sum + oracle.agents.get(id)!.spent, 0);
    const left = tree.reduce((sum, id) => sum + toDollars(grants.get(id)?.authorities ?? [], now), 0);
    if (left > Math.max(0, given - spent))
      return `${root} and its children have $${left} of $${given}, with $${spent} spent`;
  }
  return undefined;
}

/** What an agent may not do though it was given it, or undefined. */
export function findLoss(oracle: Oracle, grants: ReadonlyMap<string, Grant>, now: number): string | undefined {
  for (const [id, grant] of grants) {
    const less = excess(oracle.held(id), reachOf(grant.authorities, grant.expiresAt), now);
    const handsLess = excess(oracle.handed(id), reachOf(grant.delegable ?? [], grant.expiresAt), now);
    if (less.length + handsLess.length > 0) return `${id} lost ${[...less, ...handsLess].join(', ')}`;
  }
  return undefined;
}

/** Agents below one that the user opened, counted against what it may create in all. */
export function findCrowd(lineage: Lineage, facts: readonly LineageFact[]): string | undefined {
  for (const fact of facts) {
    if (fact.kind !== 'opened') continue;
    const spawns = fact.grant.authorities.filter((one) => one.kind === 'spawn');
    const depths = [...lineage.keys()].map((id) => toDepthBelow(lineage, id, fact.agent)).filter((depth) => depth > 0);
    if (depths.length > Math.max(0, ...spawns.map((one) => one.count)))
      return `${fact.agent} has ${depths.length} agents below it`;
    if (Math.max(0, ...depths) > Math.max(0, ...spawns.map((one) => one.depth)))
      return `${fact.agent} has too many generations`;
  }
  return undefined;
}

function toDepthBelow(lineage: Lineage, id: string, root: string): number {
  if (id === root) return 0;
  const parent = lineage.get(id)?.parent;
  if (parent === undefined) return -1;
  const above = toDepthBelow(lineage, parent, root);
  return above < 0 ? -1 : above + 1;
}

/** A random history of 4 to 13 facts. */
export function toHistory(random: Random): LineageFact[] {
  const facts: LineageFact[] = [{ kind: 'opened', agent: 'a0', grant: toRootGrant(random, 1), at: 1 }];
  const parents = new Map<string, string | undefined>([['a0', undefined]]);
  const chain = (id: string): string[] => {
    const parent = parents.get(id);
    return parent === undefined ? [id] : [...chain(parent), id];
  };
  let at = 1;
  for (let left = 3 + random(10); left > 0; left--) {
    at += random(3);
    const agent = pick(random, [...parents.keys()]);
    const fresh = `a${parents.size}`;
    switch (random(12)) {
      case 0:
        facts.push({ kind: 'opened', agent: fresh, grant: toRootGrant(random, at), at });
        parents.set(fresh, undefined);
        break;
      case 1:
      case 2:
      case 3:
      case 4:
        facts.push({ kind: 'spawned', agent: fresh, parent: agent, request: toRootGrant(random, at), at });
        parents.set(fresh, agent);
        break;
      case 5:
        facts.push({ kind: 'invoked', caller: agent, worker: pick(random, [...parents.keys()]), at });
        break;
      case 6:
        facts.push({ kind: 'resumed', agent, at });
        break;
      case 7:
        facts.push({ kind: 'forked', agent: fresh, from: agent, at });
        parents.set(fresh, parents.get(agent));
        break;
      case 8:
      case 9: {
        const authorities = [toAuthority(random, at), toAuthority(random, at)];
        const seen = random(5) === 0 ? [agent] : chain(agent);
        const delegable = random(3) === 0;
        facts.push({ kind: 'escalated', agent, chain: seen, authorities, delegable, expiresAt: at + random(9), at });
        break;
      }
      case 10:
        facts.push({ kind: 'revoked', agent, remaining: toRandomGrant(random, at), at });
        break;
      default:
        if (random(3) === 0) facts.push({ kind: 'ended', agent, at });
        else facts.push({ kind: 'spent', agent, usd: random(4), turns: random(4), at });
    }
  }
  return facts;
}

/** A random grant that is likely to have children and to hand something on. */
function toRootGrant(random: Random, now: number): Grant {
  const grant = toRandomGrant(random, now);
  if (random(4) === 0) return grant;
  const spawn: Authority = { kind: 'spawn', depth: 1 + random(3), count: 1 + random(5) };
  return { ...grant, authorities: [spawn, ...grant.authorities], delegable: [spawn, ...(grant.delegable ?? [])] };
}

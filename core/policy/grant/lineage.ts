import type { Authority, Grant } from '../../protocol/index.ts';
import { delegableOf, heldBy, intersect, intersectAuthorities, liveAt, toGrant } from './algebra.ts';
import {
  addAmounts,
  amountsOf,
  capAmounts,
  deductAmounts,
  leastAmounts,
  mostAmounts,
  NO_AMOUNTS,
  subtractAmounts,
  type Amounts,
} from './amounts.ts';
import { attenuate, toGenerationBelow } from './attenuate.ts';
import { isAmount } from './authority.ts';

/**
 * An event that changes authority. `at` is Unix milliseconds, never decreasing. `toLineageFacts` reads them from the logs
 * of sessions.
 */
export type LineageFact =
  /** The user gave an agent its grant: a session, or a worker. */
  | { kind: 'opened'; agent: string; grant: Grant; at: number }
  /** An agent created another one with a part of the authority that it may delegate. */
  | { kind: 'spawned'; agent: string; parent: string; request: Grant; at: number }
  /** A message to another agent transfers a result, but no authority. */
  | { kind: 'invoked'; caller: string; worker: string; at: number }
  /** An agent resumes after a crash or a pause, with its current authority. */
  | { kind: 'resumed'; agent: string; at: number }
  /** A fork: a second agent starts with the history of the first. */
  | {
      kind: 'forked';
      agent: string;
      from: string;
      /** The parent that the fork claims to have. Another one than that of its original gives it nothing. */
      parent?: string;
      at: number;
    }
  /** A user widened one agent for a limited time, after a review of the complete chain above it. */
  | {
      kind: 'escalated';
      agent: string;
      /** From the agent that the user opened to this one. */
      chain: readonly string[];
      /** Without amounts: those are raised by limits, not by escalation. */
      authorities: readonly Authority[];
      /** True if it may be delegated. Default false. */
      delegable?: boolean;
      expiresAt: number;
      at: number;
    }
  /** Authority was revoked; the part of `remaining` that was not held is ignored. */
  | { kind: 'revoked'; agent: string; remaining: Grant; at: number }
  /** An agent used up money and turns. */
  | { kind: 'spent'; agent: string; usd: number; turns: number; at: number }
  /** An agent ended; its unused amounts return to its parent. */
  | { kind: 'ended'; agent: string; at: number };

interface Agent {
  readonly id: string;
  readonly parent?: string;
  /** For a worker: the agent that gave it its task first. */
  readonly caller?: string;
  /** The given grant without later revocations. */
  readonly base: Grant;
  readonly escalations: readonly Grant[];
  /** The amounts from its parent. */
  readonly moved: Amounts;
  readonly spent: Amounts;
  readonly children: readonly string[];
  readonly ended: boolean;
}

/** Agents by name, each after its parent. */
export type Lineage = ReadonlyMap<string, Agent>;

export const NO_LINEAGE: Lineage = new Map();

const NOTHING: Grant = { authorities: [] };

/**
 * Adds one fact to the lineage. An invalid fact, such as a spawn without the authority of the parent, gives no
 * authority: an agent that it introduces has an empty grant.
 */
export function foldLineage(lineage: Lineage, fact: LineageFact): Lineage {
  switch (fact.kind) {
    case 'opened':
      if (lineage.has(fact.agent)) return lineage;
      return put(lineage, createAgent(fact.agent, { base: fact.grant }));
    case 'spawned':
      return spawn(lineage, fact);
    case 'forked':
      return fork(lineage, fact);
    case 'escalated':
      return escalate(lineage, fact);
    case 'revoked': {
      const agent = lineage.get(fact.agent);
      if (!agent) return lineage;
      const narrow = (grant: Grant): Grant => intersect(grant, fact.remaining);
      return put(lineage, { ...agent, base: narrow(agent.base), escalations: agent.escalations.map(narrow) });
    }
    case 'spent': {
      const agent = lineage.get(fact.agent);
      if (!agent) return lineage;
      return put(lineage, { ...agent, spent: addAmounts(agent.spent, { ...fact, agents: 0 }) });
    }
    case 'ended': {
      const agent = lineage.get(fact.agent);
      return agent ? put(lineage, { ...agent, ended: true }) : lineage;
    }
    case 'invoked': {
      const worker = lineage.get(fact.worker);
      if (!worker || worker.parent !== undefined || worker.caller !== undefined) return lineage;
      return put(lineage, { ...worker, caller: fact.caller });
    }
    case 'resumed':
      return lineage;
  }
}

/** The current authority of every agent, computed over its chain: an agent loses what its parent lost. */
export function toEffectiveGrants(lineage: Lineage, now: number): Map<string, Grant> {
  const gross = new Map<string, Grant>();
  const effective = new Map<string, Grant>();
  for (const agent of lineage.values()) {
    const all = toGross(lineage, agent, { now, gross });
    gross.set(agent.id, all);
    const used = addAmounts(agent.spent, takenByChildren(lineage, agent));
    effective.set(
      agent.id,
      toGrant(
        deductAmounts(all.authorities, used),
        deductAmounts(all.delegable ?? [], takenByChildren(lineage, agent)),
      ),
    );
  }
  return effective;
}

/** The current authority of one agent; none for an unknown agent. */
export function toEffectiveGrant(lineage: Lineage, agent: string, now: number): Grant {
  return toEffectiveGrants(lineage, now).get(agent) ?? NOTHING;
}

/** The authority of an agent before its usage, with every expiry in the pieces. */
function toGross(lineage: Lineage, agent: Agent, at: { now: number; gross: ReadonlyMap<string, Grant> }): Grant {
  if (agent.ended) return NOTHING;
  const extra = agent.escalations.flatMap((grant) => liveAt(heldBy(grant), at.now));
  const handed = agent.escalations.flatMap((grant) => liveAt(delegableOf(grant), at.now));
  const { held, delegable } = toOwn(lineage, agent, at);
  return spread(toGrant([...held, ...extra], [...delegable, ...handed]));
}

/** The same grant with its expiry written into the pieces. */
function spread(grant: Grant): Grant {
  return { authorities: heldBy(grant), delegable: delegableOf(grant) };
}

function toOwn(
  lineage: Lineage,
  agent: Agent,
  { now, gross }: { now: number; gross: ReadonlyMap<string, Grant> },
): { held: Authority[]; delegable: Authority[] } {
  const held = liveAt(heldBy(agent.base), now);
  const delegable = liveAt(delegableOf(agent.base), now);
  if (agent.parent === undefined) return { held, delegable };
  const above = gross.get(agent.parent) ?? NOTHING;
  const offer = intersectAuthorities(toGenerationBelow(delegableOf(above)), toGenerationBelow(heldBy(above)));
  const most = toAllotment(lineage, agent, above);
  const within = (all: readonly Authority[]): Authority[] => capAmounts(intersectAuthorities(all, offer), most);
  return { held: within(held), delegable: within(delegable) };
}

/** The remaining amounts of an agent: if the parent lost some, the agents created last lose first. */
function toAllotment(lineage: Lineage, agent: Agent, above: Grant): Amounts {
  const parent = lineage.get(agent.parent!)!;
  let pool = leastAmounts(
    amountsOf(above.delegable ?? []),
    subtractAmounts(amountsOf(above.authorities), parent.spent),
  );
  // Each child is itself one of the agents.
  for (const id of parent.children) {
    pool = subtractAmounts(pool, { ...NO_AMOUNTS, agents: 1 });
    const child = lineage.get(id)!;
    if (id === agent.id) return leastAmounts(child.moved, pool);
    pool = subtractAmounts(pool, toTaken(lineage, child));
  }
  return NO_AMOUNTS;
}

/** The amounts of the parent that one child took: all that moved, or after its end those that it used. */
function toTaken(lineage: Lineage, child: Agent): Amounts {
  const used = addAmounts(child.spent, takenByChildren(lineage, child));
  return child.ended ? used : mostAmounts(child.moved, used);
}

function takenByChildren(lineage: Lineage, agent: Agent): Amounts {
  return agent.children.reduce(
    (sum, id) => addAmounts(addAmounts(sum, toTaken(lineage, lineage.get(id)!)), { ...NO_AMOUNTS, agents: 1 }),
    NO_AMOUNTS,
  );
}

function spawn(lineage: Lineage, fact: Extract<LineageFact, { kind: 'spawned' }>): Lineage {
  if (lineage.has(fact.agent)) return lineage;
  const parent = lineage.get(fact.parent);
  const grant = toEffectiveGrant(lineage, fact.parent, fact.at);
  if (!parent || !allowsChild(grant, fact.at)) return put(lineage, createAgent(fact.agent, { base: NOTHING }));
  const { child, moved } = attenuate(grant, fact.request, fact.at);
  return addChild(lineage, parent, createAgent(fact.agent, { parent: parent.id, base: child, moved }));
}

/**
 * A fork has the same parent as its original and counts as another of its agents. It has the remaining authority of
 * the original, but no amounts and no escalations.
 */
function fork(lineage: Lineage, fact: Extract<LineageFact, { kind: 'forked' }>): Lineage {
  const from = lineage.get(fact.from);
  if (lineage.has(fact.agent)) return lineage;
  const isForged = fact.parent !== undefined && fact.parent !== (from?.parent ?? from?.caller);
  if (!from || from.ended || isForged) return put(lineage, createAgent(fact.agent, { base: NOTHING }));
  const base = toGrant(
    heldBy(from.base).filter((one) => !isAmount(one)),
    delegableOf(from.base).filter((one) => !isAmount(one)),
  );
  const parent = from.parent === undefined ? undefined : lineage.get(from.parent);
  if (!parent) {
    const { caller } = from;
    return put(lineage, createAgent(fact.agent, { base, caller }));
  }
  if (!allowsChild(toEffectiveGrant(lineage, parent.id, fact.at), fact.at)) {
    return put(lineage, createAgent(fact.agent, { base: NOTHING }));
  }
  return addChild(lineage, parent, createAgent(fact.agent, { parent: parent.id, base }));
}

function allowsChild(grant: Grant, now: number): boolean {
  return liveAt(heldBy(grant), now).some((one) => one.kind === 'spawn');
}

function escalate(lineage: Lineage, fact: Extract<LineageFact, { kind: 'escalated' }>): Lineage {
  const agent = lineage.get(fact.agent);
  // An approval for another chain does not apply.
  if (!agent || toChain(lineage, agent).join('\n') !== fact.chain.join('\n')) return lineage;
  const authorities = fact.authorities.filter((one) => !isAmount(one));
  const { expiresAt } = fact;
  const escalation: Grant = { authorities, ...(fact.delegable ? { delegable: authorities } : {}), expiresAt };
  return put(lineage, { ...agent, escalations: [...agent.escalations, escalation] });
}

/** The agents from the one that the user opened to this one, which a chain of an escalation names. */
export function chainOf(lineage: Lineage, agent: string): string[] {
  const found = lineage.get(agent);
  return found ? toChain(lineage, found) : [];
}

function toChain(lineage: Lineage, agent: Agent): string[] {
  const parent = agent.parent === undefined ? undefined : lineage.get(agent.parent);
  return parent ? [...toChain(lineage, parent), agent.id] : [agent.id];
}

function createAgent(id: string, given: Pick<Agent, 'base'> & Partial<Agent>): Agent {
  return { id, escalations: [], moved: NO_AMOUNTS, spent: NO_AMOUNTS, children: [], ended: false, ...given };
}

function addChild(lineage: Lineage, parent: Agent, child: Agent): Lineage {
  return put(put(lineage, { ...parent, children: [...parent.children, child.id] }), child);
}

function put(lineage: Lineage, agent: Agent): Lineage {
  return new Map(lineage).set(agent.id, agent);
}

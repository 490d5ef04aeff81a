import { attenuate, delegableOf, heldBy, isAmount, isCovered, toGrant } from '../../policy/index.ts';
import {
  KlausError,
  LIMIT_NAMES,
  type Authority,
  type EventBody,
  type Grant,
  type LimitName,
  type Limits,
} from '../../protocol/index.ts';
import { usedOf } from '../budget/limit-check.ts';
import { takenOf } from '../budget/ledger.ts';
import { toHead } from '../calls/call-events.ts';
import type { ReadyCall } from '../calls/judged-call.ts';
import type { Work } from '../loop/work.ts';
import { ESCALATION_MS } from './escalation.ts';
import type { ChildPlan, ChildRequest } from '../ports/children.ts';
import { openedOf, type State } from '../state/state.ts';

/** A child gets this part of what is left of each limit, unless its call says otherwise. */
const SHARE = 1 / 4;
/** Smallest difference of a budget in US dollars. */
const USD_STEP = 1e-6;

/** Prepares the opening of a child session. */
export async function planChild(work: Work, request: ChildRequest): Promise<ChildPlan> {
  const { engine, state } = work;
  const { workspace, workers = [] } = openedOf(state);
  const id = engine.ids.ulid();
  const worker = request.edge === 'invoke' ? workers.find((each) => each.agent === request.agent) : undefined;
  if (worker) {
    checkAllowed(work, { name: worker.agent, isWorker: true });
    const limits = toShare(state, { given: request.limits });
    return { id, agent: worker.agent, definition: worker.definition, edge: 'invoke', wanted: worker.grant, limits };
  }
  const agents = engine.openAgents(workspace);
  const found = await agents.find(request.agent);
  const { name: agent, definition, hash } = found;
  checkAllowed(work, { name: agent, given: request.agent });
  if (definition.runner) {
    throw new KlausError('usage', `Only the user can start ${agent}: another program drives it.`, {
      hint: 'Do this part of the task yourself, or start another agent.',
    });
  }
  const limits = toShare(state, { given: request.limits, turns: definition.maxTurns });
  const now = engine.clock.now();
  const held = work.authority.grant();
  if (workers.some((each) => each.agent === agent) && !heldBy(held).some((one) => one.kind === 'spawn')) {
    throw new KlausError('denied', `${agent} is a worker of this session, and the grant creates no agents.`, {
      hint: 'Give it the task with message_agent.',
    });
  }
  const asked = withoutAmounts(agents.grantOf(definition).grant, held);
  // Refuses a session that may start none.
  const offered = attenuate(held, asked, now).child;
  const wanted = request.narrow ? offered : asked;
  agents.checkTrust(found, { grant: wanted });
  return { id, agent, definition: hash, edge: 'spawn', wanted, limits };
}

/** The child session of an agent that the program of a session starts by itself: it has no definition here. */
export function planProgramChild(work: Work, agent: string): ChildPlan {
  checkAllowed(work, { name: agent });
  const held = work.authority.grant();
  const wanted = withoutAmounts(toGrant(heldBy(held)), held);
  const limits = toShare(work.state, { given: undefined });
  return { id: work.engine.ids.ulid(), agent, definition: '', edge: 'spawn', wanted, limits };
}

/** @throws KlausError `usage` for an agent that the session may not give tasks. */
function checkAllowed(
  work: Work,
  { name: agent, given = agent, isWorker = false }: { name: string; given?: string; isWorker?: boolean },
): void {
  const chain = work.authority.chain();
  if (chain.some((link) => link.agent === agent)) {
    const names = chain.map((link) => link.agent ?? 'klaus').join(' → ');
    throw new KlausError('usage', `${agent} cannot be started below itself: ${names} → ${agent}.`, {
      hint: 'Do this part of the task yourself, or start another agent.',
    });
  }
  const { allowedAgents } = openedOf(work.state);
  if (isWorker || allowedAgents === undefined) return;
  if (allowedAgents.some((allowed) => allowed === '*' || allowed === agent || allowed === given)) return;
  throw new KlausError('usage', `The definition of this agent does not allow it to start ${agent}.`, {
    hint:
      allowedAgents.length === 0 ? 'It allows none: allowedAgents is empty.' : `It allows ${allowedAgents.join(', ')}.`,
  });
}

/**
 * Money and turns are reserved from the limits of the parent. Of the agents that may be created, a child gets at most
 * half of those that are left after it, so that its siblings have some too.
 */
function withoutAmounts(asked: Grant, held: Grant): Grant {
  const most = Math.max(0, ...heldBy(held).map((one) => (one.kind === 'spawn' ? one.count : 0)));
  const reduce = (all: readonly Authority[]): Authority[] =>
    all.flatMap((one): Authority[] => {
      if (one.kind === 'spend' || one.kind === 'turns') return [];
      if (one.kind !== 'spawn') return [one];
      const count = Math.min(one.count, Math.ceil((most - 1) / 2));
      return count > 0 ? [{ ...one, count }] : [];
    });
  return toGrant(reduce(heldBy(asked)), reduce(delegableOf(asked)));
}

interface Share {
  given: Partial<Limits> | undefined;
  /** Most turns that the agent may take. */
  turns?: number;
}

/** The part of the limits that a child gets. A limit of the parent is always one of the child: 0 means unlimited. */
function toShare(state: State, { given = {}, turns }: Share): Limits {
  const { usd } = takenOf(state.ledger, openedOf(state).session);
  const used = usedOf(state);
  const toPart = (limit: LimitName): number => {
    const cap = state.limits[limit];
    const wanted = given[limit] ?? (limit === 'turns' ? turns : undefined);
    if (cap === 0) return wanted ?? 0;
    if (limit === 'usd' && usd === null) throw noneLeft(limit);
    const step = limit === 'usd' ? USD_STEP : 1;
    // The call that starts the child is counted when it has ended.
    const own = limit === 'toolCalls' ? 1 : 0;
    const left = Math.floor((cap - used[limit] - own) / step + 1e-6) * step;
    const part = Math.min(left, wanted ?? Math.max(step, Math.floor((left * SHARE) / step) * step));
    if (part <= 0) throw noneLeft(limit);
    return part;
  };
  return Object.fromEntries(LIMIT_NAMES.map((limit) => [limit, toPart(limit)])) as unknown as Limits;
}

function noneLeft(limit: LimitName): KlausError {
  return new KlausError('limit', `Nothing is left of the limit ${limit} for another agent.`, {
    hint: 'Do the rest of the task yourself.',
  });
}

/** The record of a child session, which is durable before the session exists. */
export function toChildOpened(work: Work, { call, intent }: ReadyCall): EventBody[] {
  const { child } = intent;
  if (!child || [...work.state.children.values()].some((each) => each.call === call.id)) return [];
  const { id, agent, definition, edge, wanted, limits } = child;
  const { index: _, name: __, ...head } = toHead(work, call);
  const base = { type: 'child.opened' as const, ...head, child: id, agent, definition, edge, limits };
  if (edge === 'invoke') return [{ ...base, grant: wanted }];
  const now = work.engine.clock.now();
  const held = work.authority.grant();
  const grant = attenuate(held, wanted, now).child;
  const rest = heldBy(wanted).filter((one) => !isAmount(one) && !isCovered(toGrant([one]), toGrant(delegableOf(held))));
  if (rest.length === 0) return [{ ...base, grant }];
  // The gate has asked for it.
  const chain = [...work.authority.lineage(), id];
  return [{ ...base, grant, escalation: { chain, authorities: rest, expiresAt: now + ESCALATION_MS } }];
}

import {
  decide,
  foldLineage,
  intersect,
  mergeFacts,
  NO_LINEAGE,
  RULES,
  toLineageFacts,
  type Delegated,
  type LineageFact,
} from '../../policy/index.ts';
import { createOracle, toHistory, type Oracle } from '../../policy/grant/history.fixture.ts';
import { createRandom, excess, pick, reachOf, USES, type Random } from '../../policy/grant/universe.fixture.ts';
import {
  EVENT_VERSION,
  type Access,
  type Effect,
  type Event,
  type EventBody,
  type EventOf,
  type Grant,
} from '../../protocol/index.ts';
import { fold } from '../state/fold.ts';
import { createState, type State } from '../state/state.ts';
import { createAuthorityReader, type AuthorityReader } from './authority.ts';

/** The logs of all sessions of one history, by session. */
type Logs = Map<string, Event[]>;

/** What a gate with a mistake sees of the log of a session. */
export type View = (events: readonly Event[], all: ReadonlyMap<string, readonly Event[]>) => readonly Event[];

const unchanged: View = (events) => events;

const EVERYTHING: Grant = {
  authorities: [
    { kind: 'fs', path: '/', rights: 'rwx' },
    { kind: 'net', host: '*', port: 0 },
    { kind: 'exec' },
    { kind: 'tool', name: '*' },
    { kind: 'secret', name: '*', host: '*' },
    { kind: 'model', ids: ['*'] },
    { kind: 'spawn', depth: 9, count: 99 },
  ],
};

/** A process that works on a session: its state, and what it knows of the logs above. */
class Holder {
  readonly #state: State = createState();
  readonly #reader: AuthorityReader;
  readonly #see: () => readonly Event[];
  #now = 0;

  constructor(logs: Logs, session: string, view: View) {
    const see = (id: string): readonly Event[] => view(logs.get(id) ?? [], logs);
    this.#see = () => see(session);
    const read = async function* (id: string, after = 0) {
      const events = see(id);
      yield after === 0 ? events : events.filter(({ seq }) => seq > after);
    };
    this.#reader = createAuthorityReader({ store: { read }, clock: { now: () => this.#now } }, this.#state);
  }

  /** The present grant, as the gate of the next call computes it. */
  async grantAt(now: number): Promise<Grant> {
    this.#now = now;
    for (const event of this.#see()) if (event.seq > this.#state.seq) fold(this.#state, event);
    await this.#reader.learn();
    return this.#reader.grant();
  }
}

/** Appends what the engine would append, and keeps the account of the oracle. */
class History {
  readonly oracle: Oracle = createOracle();
  readonly #logs: Logs = new Map();
  readonly #holders = new Map<string, Holder>();
  readonly #random: Random;
  readonly #view: View;
  /** Agents that the user gives to the first session as workers. */
  readonly #workers = new Map<string, Grant>();

  constructor(facts: readonly LineageFact[], { random, view }: { random: Random; view: View }) {
    this.#random = random;
    this.#view = view;
    for (const [index, fact] of facts.entries())
      if (fact.kind === 'opened' && index > 0 && random(2) === 0) this.#workers.set(fact.agent, fact.grant);
  }

  take(fact: LineageFact): void {
    const { at } = fact;
    switch (fact.kind) {
      case 'opened': {
        const grant = this.#workers.get(fact.agent);
        if (grant) this.#openChild(fact.agent, { parent: 'a0', edge: 'invoke', grant: this.#forge(grant), at });
        else this.#open(fact.agent, { grant: fact.grant, at });
        return this.oracle.take(fact, false);
      }
      case 'spawned': {
        this.#openChild(fact.agent, { parent: fact.parent, edge: 'spawn', grant: fact.request, at });
        return this.oracle.take(fact, this.#isAccepted(fact.agent));
      }
      case 'forked':
        return this.#fork(fact);
      case 'escalated': {
        // A session that the user opened has no question about more authority that lasts.
        if (!this.#openingOf(fact.agent).parent) return undefined;
        const { chain, authorities, expiresAt } = fact;
        const body = { chain: [...chain], authorities: authorities.filter(isOfUse), expiresAt, run: '', approval: '' };
        this.#append(fact.agent, { type: 'grant.escalated', ...body, by: 'test' }, at);
        const { delegable: _, ...held } = fact;
        return this.oracle.take({ ...held, authorities: body.authorities }, false);
      }
      case 'revoked': {
        const recorded = this.#recorded(fact.agent);
        const grant = intersect(recorded, fact.remaining);
        this.#append(fact.agent, { type: 'grant.changed', grant, reason: '' }, at);
        return this.oracle.take({ ...fact, remaining: grant }, false);
      }
      case 'ended': {
        const { parent, forked } = this.#openingOf(fact.agent);
        // The log of its parent does not record a fork.
        if (!parent || forked) return undefined;
        const used = { usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, usd: 0, turns: 0, toolCalls: 0 };
        this.#append(parent.session, { type: 'child.closed', child: fact.agent, agent: fact.agent, ...used }, at);
        return this.oracle.take(fact, false);
      }
      // A message, a resumed process and money change no authority.
      default:
        return undefined;
    }
  }

  /** What the gate allows too much or too little at this moment, or undefined. */
  async findFault(now: number): Promise<string | undefined> {
    for (const id of this.oracle.agents.keys()) {
      const grant = await this.#holderOf(id).grantAt(now);
      const held = reachOf(grant.authorities, grant.expiresAt);
      const handed = reachOf(grant.delegable ?? [], grant.expiresAt).map((end, use) => Math.min(end, held[use]!));
      const more = [
        ...excess(held, this.oracle.held(id), now),
        ...excess(handed, this.oracle.handed(id), now).map((use) => `delegate ${use}`),
      ];
      if (more.length > 0) return `${id} may, although it was not given: ${more.join(', ')}`;
      const less = [...excess(this.oracle.held(id), held, now), ...excess(this.oracle.handed(id), handed, now)];
      if (less.length > 0) return `${id} lost ${less.join(', ')}`;
      const fault = this.#askGate(id, grant, now);
      if (fault) return fault;
    }
    return undefined;
  }

  /** Asks the gate about one random call. */
  #askGate(id: string, grant: Grant, now: number): string | undefined {
    const use = pick(this.#random, CALLS);
    const name = pick(this.#random, ['t1', 't2']);
    const reach = this.oracle.held(id);
    const has = (wanted: string): boolean => reach[USES.findIndex((each) => each.name === wanted)]! > now;
    const isGiven = has(name) && has(use.name);
    const delegates: Delegated = { agent: 'other', grant: { authorities: [] }, text: '' };
    const call = { name, effects: use.effects, access: [use.access], altered: false, delegates };
    const context = { grant, mode: 'auto' as const, patchApproval: false, workspace: '/a', home: '/home', now };
    const decision = decide(call, context, RULES);
    const isAllowed = decision.findings.find(({ rule }) => rule === 'grant')?.verdict === 'allow';
    if (isAllowed && !isGiven) return `the gate allows ${id} to ${use.name} with ${name}`;
    if (!isAllowed && isGiven) return `the gate does not allow ${id} to ${use.name} with ${name}`;
    return decision.verdict === 'allow' && !isGiven ? `${id} may ${use.name}` : undefined;
  }

  /** The process that holds a session; sometimes another one, which begins with the complete logs. */
  #holderOf(id: string): Holder {
    const known = this.#holders.get(id);
    if (known && this.#view === unchanged && this.#random(4) > 0) return known;
    const holder = new Holder(this.#logs, id, this.#view);
    this.#holders.set(id, holder);
    return holder;
  }

  #fork(fact: Extract<LineageFact, { kind: 'forked' }>): void {
    const { agent, from, at } = fact;
    const copied = this.#logs.get(from)!;
    const seq = copied.length;
    const forked = { session: from, seq, head: '', root: from, settled: 1 };
    const copies = copied.map((event) =>
      event.type === 'session.opened' ? { ...event, forked, session: agent } : { ...event, session: agent },
    );
    this.#logs.set(agent, copies);
    // As the engine does: at most the present grant of the original.
    const grant = this.#recorded(from);
    this.#append(agent, { type: 'grant.changed', grant, reason: '' }, at);
    this.oracle.take(fact, this.#isAccepted(agent));
  }

  /** Whether the number and the generations of agents allow a child or a fork of one. The oracle does not count them. */
  #isAccepted(session: string): boolean {
    const ids = [session];
    for (let at = 0; at < ids.length; at++) {
      const opened = this.#openingOf(ids[at]!);
      for (const next of [opened.forked?.session, opened.parent?.session])
        if (next !== undefined && !ids.includes(next)) ids.push(next);
    }
    const logs = ids.toReversed().map((id) => {
      const opened = this.#openingOf(id);
      return this.#logs.get(id)!.flatMap((event) => toLineageFacts(event, opened));
    });
    return mergeFacts(logs).reduce(foldLineage, NO_LINEAGE).get(session)?.parent !== undefined;
  }

  #openingOf(session: string): EventOf<'session.opened'> {
    const [opened] = this.#logs.get(session)!;
    if (opened?.type !== 'session.opened') throw new Error(`${session} has no opening`);
    return opened;
  }

  #open(session: string, { grant, at }: { grant: Grant; at: number }): void {
    const workers = [...this.#workers].map(([agent, given]) => ({ agent, definition: '', grant: given }));
    this.#append(session, toOpening(grant, session === 'a0' ? { workers } : {}), at);
  }

  /** The record of a child, and its own log, which claims everything. */
  #openChild(
    child: string,
    { parent, edge, grant, at }: { parent: string; edge: 'spawn' | 'invoke'; grant: Grant; at: number },
  ): void {
    const head = { run: '', turn: 1, call: `call-${child}`, child, agent: child, definition: '', limits: NO_LIMITS };
    this.#append(parent, { type: 'child.opened', ...head, edge, grant }, at);
    this.#append(child, toOpening(this.#forge(grant), { parent: { session: parent, call: `call-${child}` } }), at);
  }

  /** Sometimes everything, as in a record that someone has changed. */
  #forge(grant: Grant): Grant {
    return this.#random(2) === 0 ? grant : { ...EVERYTHING, delegable: EVERYTHING.authorities };
  }

  #recorded(session: string): Grant {
    const last = this.#logs.get(session)!.findLast(({ type }) => type === 'grant.changed' || type === 'session.opened');
    return last?.type === 'grant.changed' || last?.type === 'session.opened' ? last.grant : { authorities: [] };
  }

  #append(session: string, body: EventBody, at: number): void {
    const log = this.#logs.get(session) ?? [];
    this.#logs.set(session, log);
    log.push({ v: EVENT_VERSION, seq: log.length + 1, prev: '', session, at, ...body });
  }
}

const NO_LIMITS = { tokens: 0, usd: 0, toolCalls: 0, turns: 0 };

type Opening = Extract<EventBody, { type: 'session.opened' }>;

function toOpening(grant: Grant, more: Partial<Opening>): Opening {
  return {
    type: 'session.opened',
    workspace: '/a',
    model: 'm/1',
    mode: 'auto',
    patchApproval: false,
    sandbox: 'host',
    checkpoint: 'off',
    limits: NO_LIMITS,
    grant,
    system: '',
    tools: [],
    klaus: '0',
    ...more,
  } as Opening;
}

function isOfUse({ kind }: Grant['authorities'][number]): boolean {
  return kind !== 'spend' && kind !== 'turns' && kind !== 'spawn';
}

interface Call {
  name: string;
  effects: readonly Effect[];
  access: Access;
}

const EFFECTS = { r: 'read', w: 'write', x: 'execute' } as const;

/** The uses that the gate judges by their access. */
const CALLS: readonly Call[] = USES.flatMap(({ name }): Call[] => {
  const file = /^([rwx]) (\/.*)$/.exec(name);
  if (file) {
    const right = file[1] as 'r' | 'w' | 'x';
    return [{ name, effects: [EFFECTS[right]], access: { kind: 'fs', path: file[2]!, right } }];
  }
  const host = /^([\w.]+):(\d+)$/.exec(name);
  if (host) return [{ name, effects: ['network'], access: { kind: 'net', host: host[1]!, port: Number(host[2]) } }];
  const isCommand = ['npm', 'npm test', 'git log'].includes(name);
  return isCommand ? [{ name, effects: ['execute'], access: { kind: 'exec', command: name } }] : [];
});

/** Two facts of several logs at the same time have no order: each gets a time of its own. */
function spreadTimes(fact: LineageFact, index: number): LineageFact {
  const text = JSON.stringify(fact, (key, value: unknown) => {
    if (key === 'expiresAt') return Number(value) * 100;
    return key === 'at' ? Number(value) * 100 + index : value;
  });
  return JSON.parse(text) as LineageFact;
}

/** Plays one random history, and asks the gate at its end and at moments before. What is wrong, or undefined. */
export async function playHistory(seed: number, view: View = unchanged): Promise<string | undefined> {
  const random = createRandom(seed);
  const facts = toHistory(random).map(spreadTimes);
  const history = new History(facts, { random, view });
  for (const [index, fact] of facts.entries()) {
    history.take(fact);
    const isLast = index === facts.length - 1;
    if (!isLast && random(8) > 0) continue;
    // Also what expires before the next fact.
    for (const now of [fact.at, isLast ? fact.at + 500 : facts[index + 1]!.at - 1]) {
      const fault = now < fact.at ? undefined : await history.findFault(now);
      if (fault) return `after fact ${index + 1} of ${JSON.stringify(facts)}, at ${now}: ${fault}`;
    }
  }
  return undefined;
}

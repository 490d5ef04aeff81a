import type { Event, EventOf, Grant } from '../../protocol/index.ts';
import type { LineageFact } from './lineage.ts';

const NOTHING: Grant = { authorities: [] };

/**
 * The facts about authority in one event of a session.
 *
 * @param opened The opening of the session.
 */
export function toLineageFacts(event: Event, opened: EventOf<'session.opened'>): LineageFact[] {
  const { forked, parent } = opened;
  if (forked && event.seq <= forked.seq) return toInherited(event, parent !== undefined);
  const facts = toOwnFacts(event, opened);
  // The fork of a child begins after the copied events.
  if (!forked || !parent || event.seq !== forked.seq + 1) return facts;
  const { session: agent, at } = event;
  return [{ kind: 'forked', agent, from: forked.session, parent: parent.session, at }, ...facts];
}

/** A copied event. The children and the approvals of the original are not those of its fork. */
function toInherited(event: Event, isChild: boolean): LineageFact[] {
  // The facts about a child are in the logs of its parent and its original.
  if (isChild) return [];
  const { session: agent, at } = event;
  if (event.type === 'session.opened') return [{ kind: 'opened', agent, grant: event.grant, at }];
  return event.type === 'grant.changed' ? [{ kind: 'revoked', agent, remaining: event.grant, at }] : [];
}

function toOwnFacts(event: Event, opened: EventOf<'session.opened'>): LineageFact[] {
  const { session, at } = event;
  // Only a session that the user opened has workers.
  const workers = opened.parent ? [] : (opened.workers ?? []);
  switch (event.type) {
    case 'session.opened':
      // What a child got is in the log of its parent: its own log cannot give it anything.
      return event.parent ? [] : [{ kind: 'opened', agent: session, grant: event.grant, at }];
    case 'grant.changed':
      return [{ kind: 'revoked', agent: session, remaining: event.grant, at }];
    case 'grant.escalated': {
      const { chain, authorities, expiresAt } = event;
      return [{ kind: 'escalated', agent: session, chain, authorities, expiresAt, at }];
    }
    case 'child.opened': {
      const { child: agent, escalation } = event;
      if (event.edge === 'invoke') {
        // Only the user gives authority to a worker.
        const worker = workers.find((each) => each.agent === event.agent);
        return [
          { kind: 'opened', agent, grant: worker?.grant ?? NOTHING, at },
          { kind: 'invoked', caller: session, worker: agent, at },
        ];
      }
      const spawned: LineageFact = { kind: 'spawned', agent, parent: session, request: event.grant, at };
      return escalation ? [spawned, { kind: 'escalated', agent, ...escalation, at }] : [spawned];
    }
    case 'child.closed':
      return [{ kind: 'ended', agent: event.child, at }];
    default:
      return [];
  }
}

/** The agents that must be known before a fact. */
function subjectsOf(fact: LineageFact): string[] {
  if (fact.kind === 'invoked') return [fact.caller, fact.worker];
  if (fact.kind === 'spawned') return [fact.agent, fact.parent];
  return fact.kind === 'forked' ? [fact.agent, fact.from] : [fact.agent];
}

function isIntroduction(fact: LineageFact): fact is Extract<LineageFact, { kind: 'opened' | 'spawned' | 'forked' }> {
  return fact.kind === 'opened' || fact.kind === 'spawned' || fact.kind === 'forked';
}

/**
 * The facts of several logs in the order of their times.
 *
 * @param logs The facts of each log in order; a log comes after the one that introduces its session.
 */
export function mergeFacts(logs: readonly (readonly LineageFact[])[]): LineageFact[] {
  const introduced = new Map<string, number>();
  const all = logs.flatMap((facts) => {
    let before = 0;
    return facts.map((fact): LineageFact => {
      // Clocks of several machines can differ: no fact precedes the one that it depends on.
      const at = Math.max(fact.at, before, ...subjectsOf(fact).map((agent) => introduced.get(agent) ?? 0));
      before = at;
      if (isIntroduction(fact) && !introduced.has(fact.agent)) introduced.set(fact.agent, at);
      return { ...fact, at };
    });
  });
  return all.sort((a, b) => a.at - b.at);
}

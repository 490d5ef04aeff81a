import { toText, type Event, type EventOf } from '@klaus/sdk';
import type { SessionStatus } from './protocol.ts';

/** What the socket protocol needs to know of a session. It is changed in place. */
export interface SessionFacts {
  opened: EventOf<'session.opened'> | undefined;
  /** The run that has not ended. */
  run: string | undefined;
  outcome: EventOf<'run.finished'>['outcome'] | undefined;
  /** Ids of open approvals. */
  asked: Set<string>;
  /** Text of the last message of the model. */
  answer: string | null;
  /** Session id of the program that drives the agent. */
  agentSession: string | null;
}

export function createFacts(): SessionFacts {
  return { opened: undefined, run: undefined, outcome: undefined, asked: new Set(), answer: null, agentSession: null };
}

export function addFact(facts: SessionFacts, event: Event): void {
  if (event.type === 'session.opened') facts.opened = event;
  else if (event.type === 'run.started') facts.run = event.run;
  else if (event.type === 'approval.asked') facts.asked.add(event.approval);
  else if (event.type === 'approval.answered') facts.asked.delete(event.approval);
  else if (event.type === 'runner.opened') facts.agentSession = event.agentSession;
  else if (event.type === 'message.added' && event.message.origin === 'model') facts.answer = toText(event.message);
  else if (event.type === 'run.finished') {
    facts.run = undefined;
    facts.outcome = event.outcome;
    facts.asked.clear();
  }
}

/** @param isHeld True while a process works on the session. */
export function toStatus({ run, outcome, asked }: SessionFacts, isHeld: boolean): SessionStatus {
  if (run !== undefined) return asked.size > 0 ? 'waiting' : isHeld ? 'running' : 'interrupted';
  if (outcome === undefined) return isHeld ? 'running' : 'active';
  if (isHeld) return 'running';
  return outcome === 'done' ? 'done' : outcome === 'cancelled' ? 'interrupted' : 'failed';
}

/** The session above: the one that gave it its task, or the one from which it was started. */
export function toParent({ opened }: SessionFacts): string | null {
  return opened?.parent?.session ?? opened?.startedBy ?? null;
}

/** The root of the project of a session: of a working copy, the repository from which it was cloned. */
export function toRoot({ opened }: Pick<SessionFacts, 'opened'>): string {
  return opened?.workingCopy?.repository ?? opened?.workspace ?? '';
}

import {
  hunksOf,
  isEditable,
  type Command,
  type EventBody,
  type EventOf,
  type HunkAnswer,
  type Remembered,
  type Scope,
} from '../../protocol/index.ts';
import { ESCALATION_MS } from '../children/escalation.ts';
import { fitsQuestion } from '../questions/fits-question.ts';
import type { State } from '../state/state.ts';
import type { Work } from './work.ts';

type Approve = Extract<Command, { type: 'approve' }>;

/** The events of an answer: the answer itself, and what it changes. */
export function answerQuestion(work: Work, command: Approve): EventBody[] {
  return [...answer(work.state, command), ...escalate(work, command)];
}

/** A second answer to a question is ignored: the command is consumed without an event. */
function answer(state: State, command: Approve): EventBody[] {
  const asked = state.approvals.get(command.approval);
  if (!asked) return [];
  // The door has checked the values. Others leave the question open.
  if (command.answer === 'approved' && !fitsQuestion(asked, command.content)) return [];
  const { approval, by, note } = command;
  const hunks = command.answer === 'approved' ? toKnownHunks(asked, command.hunks) : undefined;
  // An answer that accepts no hunk is a rejection.
  const isEmpty = hunks !== undefined && hunks.accepted.length + (hunks.edited?.length ?? 0) === 0;
  const given = isEmpty ? 'rejected' : command.answer;
  const answered: EventBody = {
    type: 'approval.answered',
    run: asked.run,
    approval,
    answer: given,
    by,
    note,
    hunks: isEmpty ? undefined : hunks,
    ...(given === 'approved' && hunks === undefined ? toScope(asked, command.scope) : {}),
    ...(given === 'approved' && asked.subject.kind === 'input' ? { content: command.content } : {}),
  };
  if (asked.subject.kind === 'plan' && given === 'approved') {
    const mode = command.mode ?? (state.mode === 'plan' ? 'edits' : undefined);
    const accepted = { ...answered, plan: command.plan };
    return mode === undefined || mode === state.mode ? [accepted] : [accepted, { type: 'session.changed', mode }];
  }
  if (asked.subject.kind !== 'limit' || given !== 'approved') return [answered];
  return [
    answered,
    { type: 'session.changed', limits: { ...state.limits, [asked.subject.limit]: asked.subject.offer } },
  ];
}

/** An approval for the rest of a child session gives it what the call needs, for a limited time. */
function escalate({ state, engine }: Work, { approval, answer: given, scope, by }: Approve): EventBody[] {
  const asked = state.approvals.get(approval);
  if (given !== 'approved' || scope !== 'session' || asked?.subject.kind !== 'call') return [];
  const { escalation } = asked.subject;
  if (!escalation) return [];
  const expiresAt = engine.clock.now() + ESCALATION_MS;
  return [{ type: 'grant.escalated', run: asked.run, approval, ...escalation, expiresAt, by }];
}

/** The answer for the hunks of the question; undefined if it accepts all of them. */
function toKnownHunks(asked: EventOf<'approval.asked'>, given: HunkAnswer | undefined): HunkAnswer | undefined {
  if (!given || asked.subject.kind === 'limit' || asked.subject.kind === 'plan') return undefined;
  const known = new Map(hunksOf(asked).map((hunk) => [hunk.id, hunk]));
  // A hunk that is named twice counts once.
  const accepted = [...new Set(given.accepted)].filter((id) => known.has(id));
  const edited = (given.edited ?? []).filter(({ id }) => isEditable(known.get(id)));
  if (edited.length === 0 && accepted.length === known.size) return undefined;
  return { accepted, ...(edited.length > 0 ? { edited } : {}) };
}

function toScope(asked: EventOf<'approval.asked'>, scope: Scope | undefined): { scope?: Scope; remember?: Remembered } {
  if (scope === undefined || scope === 'once' || asked.subject.kind !== 'call') return {};
  if (scope === 'session' && asked.subject.escalation) return { scope };
  if (!asked.subject.remember) return {};
  return { scope, remember: asked.subject.remember };
}

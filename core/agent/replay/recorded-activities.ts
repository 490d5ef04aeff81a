import { judgeClaims } from '../../policy/index.ts';
import {
  findOwnWork,
  optional,
  type Event,
  type EventBody,
  type EventOf,
  type Evidence,
} from '../../protocol/index.ts';
import { refuseCall } from '../calls/call-events.ts';
import type { ApprovalAsked, JudgedCall, ReadyCall, ToolFinished } from '../calls/judged-call.ts';
import { toClosedEvidence, type ClosedEvidence, type OpenEvidence } from '../evidence/closed-evidence.ts';
import { isFailedNotice } from '../hooks/hook-notice.ts';
import type { Activities } from '../loop/work.ts';
import { isUnprotectedNotice } from '../places/report-unprotected.ts';
import { toBody } from './compare.ts';
import { createRecordedChildren } from './recorded-children.ts';
import { createRecordedFallback } from './recorded-fallback.ts';
import { createRecordedHooks, isContext } from './recorded-hooks.ts';
import { toRecordedTool } from './recorded-tools.ts';
import { appendRequests } from './recorded-requests.ts';
import type { Recording } from './recording.ts';

/** Events after the present one that are searched for the result of an activity. */
const MAX_AHEAD = 400;

/** Each activity reads ahead in the log. `Recording.accept` compares what the loop appends with the recorded events. */
export function createRecordedActivities(recording: Recording): Activities {
  /** Index of the next event that matches; -1 if there is none. */
  const find = (matches: (event: Event) => boolean): number => {
    const index = recording.events.slice(recording.at, recording.at + MAX_AHEAD).findIndex(matches);
    return index < 0 ? -1 : recording.at + index;
  };
  const findType = <T extends Event['type']>(type: T): EventOf<T> | undefined =>
    recording.events[find((event) => event.type === type)] as EventOf<T> | undefined;
  /** The consecutive events from an index that match. */
  const readBodies = (from: number, matches: (event: Event) => boolean): EventBody[] => {
    const bodies: EventBody[] = [];
    for (let index = from; index < recording.events.length && matches(recording.events[index]!); index++) {
      bodies.push(toBody(recording.events[index]!));
    }
    return bodies;
  };
  /** The events of a repair, which precede the snapshot, and the places that it could not restore. */
  const readGuarded = (): { bodies: EventBody[]; unreverted: string[]; hidden?: string[] } => {
    const { events, at } = recording;
    let end = at;
    while (events[end] && isGuarded(events[end]!, events[end - 1])) end++;
    const snapshot = events[end];
    const { unreverted = [], hidden } = snapshot?.type === 'workspace.snapshotted' ? snapshot : {};
    return { bodies: events.slice(at, end).map(toBody), unreverted, hidden };
  };
  return {
    // The recorded states already join those of all folders.
    openSnapshots: (engine, { workspace }) => engine.openSnapshots(workspace),
    openLayers: (engine, { workspace }) => engine.openLayers(workspace),
    async judge(work, parsed): Promise<JudgedCall> {
      const { call } = parsed;
      await appendRequests(work, recording, 'review');
      // The caller records nothing of a stopped step.
      if (work.stop.aborted) return refuseCall(work, call, { rule: 'stop', error: { message: 'stopped' } });
      const index = find((event) => event.type === 'gate.decided' && event.call === call.id && !event.phase);
      if (index < 0) {
        const replayed = `a decision about ${call.name} (${call.id})`;
        return recording.differ({ field: 'type', recorded: recording.next?.type, replayed });
      }
      const decided = toBody(recording.events[index]!) as JudgedCall['decided'];
      const event = recording.events[index + 1];
      // An allowed call has an intent before its result.
      if (event?.type === 'tool.finished' && event.call === call.id && decided.verdict !== 'allow') {
        return { kind: 'finished', decided, finished: toBody(event) as ToolFinished };
      }
      if (event?.type === 'approval.asked' && isAbout(event, call.id)) {
        return { kind: 'asked', decided, asked: toBody(event) as ApprovalAsked };
      }
      if (event?.type !== 'tool.started' || event.call !== call.id) {
        const replayed = `the outcome of ${call.name} (${call.id}) after the decision of the gate`;
        return recording.differ({ field: 'type', recorded: event?.type, replayed });
      }
      const tool = toRecordedTool(parsed.tool, { work, recording, call: call.id });
      return { kind: 'ready', decided, ready: { ...parsed, tool, intent: toIntent(event) } };
    },
    ...createRecordedChildren(recording),
    ...createRecordedHooks(recording),
    ...createRecordedFallback(recording),
    async recover(_work, call) {
      const { next } = recording;
      return next?.type === 'tool.finished' && next.call === call.id ? [toBody(next)] : 'repeat';
    },
    async reviewChanges(_work, { ready: { call } }) {
      const isDecision = (event: Event): boolean =>
        event.type === 'gate.decided' && event.call === call.id && event.phase !== undefined;
      const index = find(isDecision);
      if (index < 0 || isBehind(recording, index, call.id)) return undefined;
      return readBodies(
        index,
        (event) =>
          isDecision(event) ||
          (event.type === 'tool.finished' && event.call === call.id) ||
          (event.type === 'approval.asked' && event.subject.kind === 'changes' && event.subject.call === call.id),
      ).slice(0, 2);
    },
    applyAccepted: async (_work, call) =>
      readBodies(recording.at, (event) => event.type === 'tool.finished' && event.call === call.id).slice(0, 1),
    guardWorkspace: async (_work, { tree, gitTree }) => ({ ...readGuarded(), tree, gitTree }),
    // The recorded result has it.
    findRejected: async () => [],
    async findOwnState() {
      const { own, gitOwn, unclear, others } = findType('workspace.snapshotted') ?? {};
      return { own, gitOwn, unclear, others };
    },
    reportUnprotected: () => readGuarded().bodies.filter(isUnprotectedNotice),
    findKnownCommits: () => findType('workspace.snapshotted')?.known ?? [],
    async loadInstructions(_work, access) {
      const { events, at, next } = recording;
      // The messages follow the start of a run and its title, or the result of the call that accessed the folder.
      const isTitled = next?.type === 'run.started' && events[at + 1]?.type === 'session.changed';
      const isRead = (event: Event): boolean => isContext(event) || (access === 'root' && isFailedNotice(event));
      return readBodies(isTitled ? at + 2 : at + 1, isRead);
    },
    async checkpoint() {
      const index = find((event) => event.type === 'gate.decided' && findOwnWork(event.call) === 'checkpoint');
      return index < 0 ? [] : readBodies(index, isOfCheckpoint);
    },
    // Recorded tools ask nothing: their questions are appended with their results.
    askUser: async () => ({ action: 'cancel' }),
    toReceipt: async (_work, evidence) => evidence,
    closeEvidence: async (_work, open) => closeAsRecorded(findType('run.finished'), open),
    planRetry() {
      const { next } = recording;
      if (next?.type !== 'model.attempted' || next.retryInMs === undefined) return undefined;
      return { delay: next.retryInMs, waitUntil: next.waitUntil };
    },
  };
}

/** The freshness of the checks is recorded; the status of the claims is computed again from it. */
function closeAsRecorded(
  found: EventOf<'run.finished'> | undefined,
  { own, earlier, claims }: OpenEvidence,
): ClosedEvidence {
  if (own.length + earlier.length === 0) return toClosedEvidence([], judgeClaims(claims, []));
  const evidence = own.map((row, at): Evidence => {
    const { freshness, changed, weakened } = found?.evidence[at] ?? {};
    return { ...row, ...optional({ freshness, changed, weakened }) };
  });
  // The freshness of checks of earlier runs is not recorded.
  const judged = earlier.length > 0 ? (found?.claims ?? []) : judgeClaims(claims, evidence);
  return toClosedEvidence(evidence, judged, found?.tree);
}

function isAbout({ subject }: EventOf<'approval.asked'>, call: string): boolean {
  return (subject.kind === 'call' || subject.kind === 'plan') && subject.call === call;
}

function isGuarded(event: Event, before: Event | undefined): boolean {
  if (event.type === 'message.added') return before?.type === 'workspace.restored';
  if (event.type === 'approval.asked') return isOfGuard(event);
  if (event.type === 'approval.answered') return before?.type === 'approval.asked' && isOfGuard(before);
  return event.type === 'notice' || (event.type === 'workspace.restored' && event.kind === 'review');
}

/** The question about what git brought to protected places. */
function isOfGuard({ subject, held }: EventOf<'approval.asked'>): boolean {
  return held === true && subject.kind === 'input' && subject.from === 'Klaus';
}

function isOfCheckpoint(event: Event): boolean {
  const isDecision = event.type === 'gate.decided' && findOwnWork(event.call) === 'checkpoint';
  return isDecision || event.type === 'workspace.committed' || event.type === 'notice';
}

/** True if the call has a result before this index, so that the event at the index belongs to another attempt. */
function isBehind({ events, at }: Recording, index: number, call: string): boolean {
  return events.slice(at, index).some((event) => event.type === 'tool.finished' && event.call === call);
}

function toIntent(event: EventOf<'tool.started'>): ReadyCall['intent'] {
  return {
    title: event.name,
    access: [],
    changes: event.changes,
    diff: event.diff,
    result: event.result,
    fetches: event.fetches,
    receives: event.receives,
  };
}

import type { Event, EventBody, EventOf } from '../../protocol/index.ts';
import { optional } from '../../protocol/index.ts';
import { isLeftOutNotice } from '../context/instruction-file.ts';
import type { Judged, ToolFinished } from '../calls/judge-call.ts';
import type { RecordedLooks } from '../recorded-looks.ts';
import { toBody } from './compare.ts';
import type { Recording } from './recording.ts';
import type { RunningCalls } from './recorded-tools.ts';

/** What was found when the record was made. Each look reads ahead in it; the comparison is `accept`'s. */
export function createRecordedLooks(recording: Recording, running: RunningCalls): RecordedLooks {
  /** Index of the next event that fits, in what was said before anything else could happen. */
  const find = (fits: (event: Event) => boolean, ahead = 400): number => {
    const end = Math.min(recording.events.length, recording.at + ahead);
    for (let index = recording.at; index < end; index++) if (fits(recording.events[index]!)) return index;
    return -1;
  };
  const bodies = (from: number, fits: (event: Event) => boolean): EventBody[] => {
    const out: EventBody[] = [];
    for (let index = from; index < recording.events.length && fits(recording.events[index]!); index++) {
      out.push(toBody(recording.events[index]!));
    }
    return out;
  };
  return {
    judge(found) {
      const { call } = found;
      const index = find((event) => event.type === 'gate.decided' && event.call === call.id && !event.phase);
      if (index < 0) {
        const replayed = `a decision about ${call.name} (${call.id})`;
        return recording.differ({ field: 'type', recorded: recording.next?.type, replayed });
      }
      const decided = toBody(recording.events[index]!) as Judged['decided'];
      const event = recording.events[index + 1];
      // A call that may run has an intent before its result.
      if (event?.type === 'tool.finished' && event.call === call.id && decided.verdict !== 'allow') {
        return { kind: 'finished', decided, finished: toBody(event) as ToolFinished };
      }
      if (event?.type === 'approval.asked' && event.subject.kind === 'call' && event.subject.call === call.id) {
        return { kind: 'asked', decided, asked: toBody(event) as Extract<EventBody, { type: 'approval.asked' }> };
      }
      if (event?.type !== 'tool.started' || event.call !== call.id) {
        const replayed = `what became of ${call.name} (${call.id}) after the gate had looked`;
        return recording.differ({ field: 'type', recorded: event?.type, replayed });
      }
      running.add(call, found.input);
      return { kind: 'ready', decided, ready: { ...found, intent: toIntent(event) } };
    },
    recovered(call) {
      const { next } = recording;
      return next?.type === 'tool.finished' && next.call === call.id ? (toBody(next) as ToolFinished) : 'again';
    },
    reviewed(call) {
      const index = find(
        (event) => event.type === 'gate.decided' && event.call === call.id && event.phase !== undefined,
      );
      if (index < 0 || isBehind(recording, index, call.id)) return undefined;
      return bodies(
        index,
        (event) =>
          (event.type === 'gate.decided' && event.call === call.id && event.phase !== undefined) ||
          (event.type === 'tool.finished' && event.call === call.id) ||
          (event.type === 'approval.asked' && event.subject.kind === 'changes' && event.subject.call === call.id),
      ).slice(0, 2);
    },
    settled: (call) =>
      bodies(recording.at, (event) => event.type === 'tool.finished' && event.call === call.id).slice(0, 1),
    guarded() {
      const { events, at } = recording;
      let end = at;
      while (events[end] && isGuarded(events[end]!, events[end - 1])) end++;
      const kept = events[end];
      const unreverted = kept?.type === 'workspace.snapshotted' ? (kept.unreverted ?? []) : [];
      return { bodies: events.slice(at, end).map(toBody), unreverted };
    },
    looksLast() {
      const end = find(({ type }) => type === 'run.finished');
      const look = find(({ type }) => type === 'workspace.snapshotted');
      return look >= 0 && (end < 0 || look < end);
    },
    known() {
      const event = recording.events[find(({ type }) => type === 'workspace.snapshotted')];
      return event?.type === 'workspace.snapshotted' ? (event.known ?? []) : [];
    },
    context() {
      const { events, at, next } = recording;
      // They stand behind the beginning of a run, or behind the result that brought them.
      const isTitled = next?.type === 'run.started' && events[at + 1]?.type === 'session.changed';
      return bodies(
        isTitled ? at + 2 : at + 1,
        (event) => (event.type === 'message.added' && event.message.origin === 'context') || isLeftOutNotice(event),
      );
    },
    checkpointed() {
      const index = find((event) => event.type === 'gate.decided' && event.call.startsWith('checkpoint-'));
      return index < 0 ? [] : bodies(index, isOfCheckpoint);
    },
    closed() {
      const event = recording.events[find(({ type }) => type === 'run.finished')];
      if (event?.type !== 'run.finished') return undefined;
      const { evidence, tree, claim = 'none', claims } = event;
      return { evidence, claim, ...optional({ tree }), ...(claims ? { claims } : {}) };
    },
    retried() {
      const { next } = recording;
      if (next?.type !== 'model.attempted' || next.retryInMs === undefined) return undefined;
      return { delay: next.retryInMs, ...optional({ waitUntil: next.waitUntil }) };
    },
  };
}

function isGuarded(event: Event, before: Event | undefined): boolean {
  if (event.type === 'message.added') return before?.type === 'workspace.restored';
  return event.type === 'notice' || (event.type === 'workspace.restored' && event.kind === 'review');
}

function isOfCheckpoint(event: Event): boolean {
  const isDecision = event.type === 'gate.decided' && event.call.startsWith('checkpoint-');
  return isDecision || event.type === 'workspace.committed' || event.type === 'notice';
}

/** True when the call has a result before this index: what stands there is of another attempt. */
function isBehind({ events, at }: Recording, index: number, call: string): boolean {
  return events.slice(at, index).some((event) => event.type === 'tool.finished' && event.call === call);
}

function toIntent(event: EventOf<'tool.started'>): Extract<Judged, { kind: 'ready' }>['ready']['intent'] {
  return {
    title: event.name,
    access: [],
    changes: event.changes,
    ...optional({ diff: event.diff, result: event.result }),
  };
}

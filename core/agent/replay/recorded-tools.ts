import { z } from 'zod';
import { KlausError, type Event, type EventBody, type EventOf } from '../../protocol/index.ts';
import { channelOf } from '../channel/call-channel.ts';
import type { Tool, ToolContext, ToolOutput } from '../ports/tool.ts';
import type { SessionTools } from '../ports/session-tools.ts';
import { ABANDONED_OUTPUT } from '../loop/cancel-grace.ts';
import { toBody } from './compare.ts';
import { appendRequests } from './recorded-requests.ts';
import { appendQuestions, isInputAnswer, isInputQuestion, type RecordedCall } from './recorded-questions.ts';
import type { Recording } from './recording.ts';

/** How a call ended, and the index of the event that the replay must reach before. */
type End = { index: number } & (
  | { kind: 'result'; finished: EventOf<'tool.finished'>; closed: EventBody[] }
  | { kind: 'waits'; waiting: EventOf<'tool.waiting'> }
  /** Its changes were reviewed before they were applied. */
  | { kind: 'reviewed' }
  /** Its process crashed before it had a result. */
  | { kind: 'crashed' }
);

/** The tools of MCP servers, of which the log shows only whether they read. */
export function createRecordedTools({ events }: Recording): SessionTools {
  const reading = new Set(
    events.flatMap((event) => (event.type === 'tool.started' && event.resume === 'repeat' ? [event.name] : [])),
  );
  return {
    list: async () => ({ tools: [], failures: [], notices: [], sources: new Map() }),
    find: async (name) => ({
      name,
      description: '',
      input: z.unknown(),
      effects: reading.has(name) ? ['read'] : ['write'],
      resume: reading.has(name) ? 'repeat' : 'tell',
      inPlace: true,
      run: () => Promise.reject(new KlausError('internal', 'a replay has no effects')),
    }),
    close: async () => {},
  };
}

/** The tool of one call, without effects: it returns the recorded result. */
export function toRecordedTool(tool: Tool, recorded: RecordedCall): Tool {
  const { name, description, input, effects, resume, inPlace } = tool;
  const run: Tool['run'] = (_, context) => answer(recorded, context);
  // The log shows whether the result was of others.
  return { name, description, input, effects, resume, inPlace, origin: 'channel', run };
}

async function answer(recorded: RecordedCall, context: ToolContext): Promise<ToolOutput> {
  await appendRequests(recorded.work, recorded.recording, 'search');
  await appendQuestions(recorded);
  const { recording, call } = recorded;
  const end = findEnd(recording, call);
  await recording.reached(end.index);
  if (end.kind === 'crashed') return recording.crash();
  if (end.kind === 'reviewed') return { text: '' };
  if (end.kind === 'waits') return { text: '', awaits: end.waiting };
  const { outcome, output, detail, changes, ...rest } = end.finished;
  const { images, blob, evidence, todos, untrusted, shown } = rest;
  // Also for a failure.
  const channel = channelOf(context);
  if (channel) channel.found = untrusted;
  if (outcome === 'cancelled') throw new KlausError('cancelled', output);
  if (outcome === 'unknown') {
    recording.cancel();
    return new Promise(() => {});
  }
  return {
    text: output,
    isError: outcome !== 'ok',
    detail,
    images,
    blob,
    evidence,
    todos,
    untrusted,
    shown,
    changes,
    closed: end.closed,
  };
}

/** The end of a call, after the ends of parallel calls. Events after a crash were appended by another process. */
function findEnd({ events, at }: Recording, call: string): End {
  const closed: EventBody[] = [];
  let last = at;
  for (let index = at; index < events.length; index++) {
    const event = events[index]!;
    if (event.type === 'tool.finished') {
      if (isOfAnother(event)) return { kind: 'crashed', index: last };
      if (event.call === call) return { kind: 'result', index: index - closed.length, finished: event, closed };
      last = index + 1;
    } else if (event.type === 'tool.waiting') {
      return { kind: 'waits', index, waiting: event };
    } else if (event.type === 'child.closed') {
      closed.push(toBody(event));
    } else if (
      (event.type === 'message.added' && event.message.origin === 'context') ||
      isInputQuestion(event) ||
      isInputAnswer(events, event)
    ) {
      last = index + 1;
    } else if (event.type === 'gate.decided' && event.call === call && event.phase === 'changes') {
      return { kind: 'reviewed', index: at };
    } else if (!isBeforeReview(event)) {
      return { kind: 'crashed', index: last };
    }
  }
  return { kind: 'crashed', index: last };
}

/** True for the result of a call that another process started. */
function isOfAnother({ outcome, output }: EventOf<'tool.finished'>): boolean {
  return outcome === 'unknown' && output !== ABANDONED_OUTPUT;
}

/** True for events between a call and the question about its changes: a snapshot, and the repair of protected places. */
function isBeforeReview(event: Event): boolean {
  if (event.type === 'message.added') return event.message.origin === 'engine';
  if (event.type === 'workspace.restored') return event.kind === 'review';
  return event.type === 'notice' || (event.type === 'workspace.snapshotted' && event.moment === 'after');
}

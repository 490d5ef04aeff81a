import { optional, KlausError, type Event, type EventOf } from '../../protocol/index.ts';
import type { Tool, ToolOutput } from '../ports/tool.ts';
import type { CallState } from '../state/state.ts';
import type { Recording } from './recording.ts';

/** How the call ended that is being run. */
type End =
  | { kind: 'result'; index: number; finished: EventOf<'tool.finished'> }
  /** What it changed was judged before any of it was kept. */
  | { kind: 'reviewed'; index: number }
  /** Its process was gone before it had a result. */
  | { kind: 'crashed'; index: number };

/** A tool that is described as it is, touches nothing, and gives what is recorded. */
export function toRecordedTool(tool: Tool, recording: Recording, running: RunningCalls): Tool {
  const { name, description, input: schema, effects, resume, inPlace } = tool;
  return {
    name,
    description,
    input: schema,
    effects,
    resume,
    ...(inPlace ? { inPlace } : {}),
    run: (input) => answer(recording, running.take(name, input)),
  };
}

/** The calls that passed the gate and have not begun: a tool is not told which call it is. */
export interface RunningCalls {
  add(call: CallState, input: unknown): void;
  take(tool: string, input: unknown): string;
}

export function createRunningCalls(): RunningCalls {
  const calls: { id: string; name: string; input: unknown }[] = [];
  return {
    add: ({ id, name }, input) => void calls.push({ id, name, input }),
    take(name, input) {
      const index = calls.findIndex((call) => call.name === name && call.input === input);
      const [call] = calls.splice(index, 1);
      if (index < 0 || !call) throw new Error(`${name} runs without having passed the gate`);
      return call.id;
    },
  };
}

async function answer(recording: Recording, call: string): Promise<ToolOutput> {
  const end = findEnd(recording, call);
  await recording.reached(end.index);
  if (end.kind === 'crashed') return recording.crash();
  if (end.kind === 'reviewed') return { text: '' };
  const { outcome, output, detail, changes, blob, evidence } = end.finished;
  if (outcome === 'cancelled') throw new KlausError('cancelled', output);
  if (outcome === 'unknown') {
    recording.cancel();
    return new Promise(() => {});
  }
  return {
    text: output,
    ...(outcome === 'ok' ? {} : { isError: true }),
    ...optional({ detail }),
    ...(blob ? { blob } : {}),
    ...(evidence ? { evidence } : {}),
    changes,
  };
}

/**
 * Looks how the call ended, past the ends of calls that ran beside it. A crash came behind the last of those: what is
 * said after that is said by another process.
 */
function findEnd({ events, at }: Recording, call: string): End {
  let last = at;
  for (let index = at; index < events.length; index++) {
    const event = events[index]!;
    if (event.type === 'tool.finished') {
      if (isOfAnother(event)) return { kind: 'crashed', index: last };
      if (event.call === call) return { kind: 'result', index, finished: event };
      last = index + 1;
    } else if (event.type === 'message.added' && event.message.origin === 'context') {
      last = index + 1;
    } else if (event.type === 'gate.decided' && event.call === call && event.phase === 'changes') {
      return { kind: 'reviewed', index: at };
    } else if (!isBeforeReview(event)) {
      return { kind: 'crashed', index: last };
    }
  }
  return { kind: 'crashed', index: last };
}

/** What a process says of a call that another one began. */
function isOfAnother({ outcome, output }: EventOf<'tool.finished'>): boolean {
  return outcome === 'unknown' && !output.startsWith(GIVEN_UP);
}

const GIVEN_UP = 'Outcome unknown: the tool was told to stop';

/** Before a question about changes the state of the workspace is kept, with what is taken back of protected places. */
function isBeforeReview(event: Event): boolean {
  if (event.type === 'message.added') return event.message.origin === 'engine';
  if (event.type === 'workspace.restored') return event.kind === 'review';
  return event.type === 'notice' || (event.type === 'workspace.snapshotted' && event.moment === 'after');
}

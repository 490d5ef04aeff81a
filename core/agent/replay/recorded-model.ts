import type { Event, EventOf, Message, Part, StopReason } from '../../protocol/index.ts';
import type { Model, ModelEvent, ModelInfo, ModelRequest, StreamOptions } from '../ports/model.ts';
import type { Recording } from './recording.ts';

/** A request of the loop in a replay. */
export interface ReplayedRequest {
  purpose: 'turn' | 'compaction' | 'title';
  /** The turn, or the last one before. */
  turn: number;
  model: string;
  attempt: number;
  /** Its messages are a copy, because the history grows after a request. */
  request: ModelRequest;
}

/** For early logs, which do not contain the model's sizes. */
const UNKNOWN_INFO: ModelInfo = {
  contextWindow: Number.MAX_SAFE_INTEGER,
  maxOutputTokens: 32_000,
  images: true,
  prices: [],
};

/** A model that returns recorded answers. Without an answer, the recorded process crashed. */
export function createRecordedModel(
  recording: Recording,
  { name, onRequest }: { name: string; onRequest: (request: ReplayedRequest) => void },
): Model {
  return {
    name,
    get info() {
      return findInfo(recording, name);
    },
    stream: (request, options) => answer(recording, { name, request, options, onRequest }),
  };
}

/** The sizes and prices of the nearest request to this model: the next one, otherwise the last one. */
function findInfo({ events, at }: Recording, name: string): ModelInfo {
  const isSized = (event: Event | undefined): event is EventOf<'turn.started'> =>
    event?.type === 'turn.started' && event.modelInfo !== undefined;
  let found: EventOf<'turn.started'> | undefined;
  for (let index = at; index < events.length && found?.model !== name; index++) {
    const event = events[index];
    if (isSized(event) && (event.model === name || !found)) found = event;
  }
  for (let index = at - 1; index >= 0 && found?.model !== name; index--) {
    const event = events[index];
    if (isSized(event) && (event.model === name || !found)) found = event;
  }
  return found?.modelInfo ? { ...found.modelInfo, images: true } : UNKNOWN_INFO;
}

interface Asked {
  name: string;
  request: ModelRequest;
  options: StreamOptions;
  onRequest: (request: ReplayedRequest) => void;
}

async function* answer(recording: Recording, asked: Asked): AsyncGenerator<ModelEvent> {
  const { request, options } = asked;
  const purpose = toPurpose(request);
  const { next, attempt } = recording;
  const recorded =
    next?.type === 'model.attempted' && next.purpose === purpose && next.outcome !== 'abandoned' ? next : undefined;
  const messages = [...request.messages];
  const turn = recorded?.turn ?? lastTurn(recording);
  asked.onRequest({ purpose, turn, model: asked.name, attempt, request: { ...request, messages } });
  if (!recorded && next?.type === 'usage.counted') {
    // A process that left in an orderly way has recorded its reservation.
    recording.depart();
    yield { type: 'failed', failure: { code: 'connection', message: 'left' } };
    return;
  }
  if (!recorded || recorded.attempt !== attempt) return recording.crash();
  if (recorded.usage.input + recorded.usage.output + recorded.usage.cacheRead + recorded.usage.cacheWrite > 0) {
    options.onBytes?.();
  }
  if (recorded.outcome === 'cancelled') {
    yield* readInFlight(recording);
    recording.cancel();
    yield { type: 'failed', failure: { code: 'connection', message: 'cancelled' } };
    return;
  }
  if (recorded.outcome !== 'ok') {
    const message = (recorded.message ?? '').replace(/; the limits leave no room for another attempt$/, '');
    const status = recorded.status === undefined ? {} : { status: recorded.status };
    yield { type: 'failed', failure: { code: recorded.outcome, message, ...status } };
    return;
  }
  const { usage, usd } = recorded;
  yield { type: 'finished', ...toAnswer(recording, purpose), usage, ...(usd === null ? {} : { usd }) };
}

function lastTurn({ events, at }: Recording): number {
  const event = events.findLast((candidate, index) => index < at && candidate.type === 'turn.started');
  return event?.type === 'turn.started' ? event.turn : 0;
}

function toPurpose({ session }: ModelRequest): ReplayedRequest['purpose'] {
  return session.endsWith('-compaction') ? 'compaction' : session.endsWith('-title') ? 'title' : 'turn';
}

/** The in-flight text of an answer before it was cancelled. */
function* readInFlight(recording: Recording): Generator<ModelEvent> {
  const message = messageAfter(recording);
  const text = message?.parts.find((part) => part.type === 'text');
  if (text) yield { type: 'text', text: text.text };
}

function messageAfter({ events, at }: Recording): Message | undefined {
  const event = events[at + 1];
  return event?.type === 'message.added' && event.message.origin === 'model' ? event.message : undefined;
}

function toAnswer(
  recording: Recording,
  purpose: ReplayedRequest['purpose'],
): { parts: Part[]; stopReason: StopReason } {
  const { events, at } = recording;
  if (purpose !== 'turn') {
    const text = purpose === 'title' ? toTitleText(events[at + 1]) : toNotes(events[at + 1]);
    return { parts: text === '' ? [] : [{ type: 'text', text }], stopReason: 'end_turn' };
  }
  const message = messageAfter(recording);
  const finished = events[message ? at + 2 : at + 1];
  const stopReason = finished?.type === 'turn.finished' ? finished.stopReason : 'end_turn';
  return { parts: message ? [...message.parts] : [], stopReason };
}

function toTitleText(event: Event | undefined): string {
  if (event?.type !== 'session.changed') return '';
  return `${event.title ?? ''}\n${event.summary ?? ''}`;
}

/** More characters than any context window. */
const USELESS_NOTES = 8 * 1_048_576;

/** The part of a compaction's summary that the model wrote. */
function toNotes(event: Event | undefined): string {
  if (event?.type !== 'context.compacted') return '';
  const { summary } = event;
  // Notes that were not shorter than the history were discarded and are not recorded.
  if (event.dropped === 0) return '-'.repeat(USELESS_NOTES);
  const begin = summary.indexOf('<notes>\n');
  const ends = ['\n</notes>\nNothing of it is lost: recall {', "\n</notes>\nThe user's first request"]
    .map((following) => summary.indexOf(following))
    .filter((index) => index >= 0);
  const end = ends.length > 0 ? Math.min(...ends) : summary.lastIndexOf('\n</notes>');
  return begin < 0 || end < begin ? summary : summary.slice(begin + '<notes>\n'.length, end);
}

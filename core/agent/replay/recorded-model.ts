import type { Event, EventOf, Message, Part, StopReason } from '../../protocol/index.ts';
import { toSaid } from '../model/attempt-message.ts';
import type { Model, ModelEvent, ModelInfo, ModelRequest, Refusal } from '../ports/model.ts';
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

/** For a log without a turn, which does not contain the model's sizes. */
const UNKNOWN_INFO: ModelInfo = {
  contextWindow: Number.MAX_SAFE_INTEGER,
  maxOutputTokens: 32_000,
  images: true,
  prices: [],
};

/** A model that returns recorded answers. Without an answer, the recorded process crashed. */
export function createRecordedModel(
  recording: Recording,
  { name, onRequest }: { name: string; onRequest: ((request: ReplayedRequest) => void) | undefined },
): Model {
  return {
    name,
    get info() {
      return findInfo(recording, name);
    },
    async *stream(request, { onBytes }) {
      const purpose = toPurpose(request);
      const { next, attempt } = recording;
      const recorded =
        next?.type === 'model.attempted' && next.purpose === purpose && next.outcome !== 'abandoned' ? next : undefined;
      const messages = [...request.messages];
      const turn = recorded?.turn ?? lastTurn(recording);
      onRequest?.({ purpose, turn, model: name, attempt, request: { ...request, messages } });
      if (!recorded && next?.type === 'usage.counted') {
        // A process that left in an orderly way has recorded its reservation.
        recording.depart();
        yield { type: 'failed', failure: { code: 'connection', message: 'left' } };
        return;
      }
      if (!recorded || recorded.attempt !== attempt) return recording.crash();
      const { usage, usd, outcome, status, cause, body, sizes, maxAnswerTokens } = recorded;
      if (usage.input + usage.output + usage.cacheRead + usage.cacheWrite > 0) onBytes?.();
      if (outcome === 'ok') {
        yield { type: 'finished', ...toAnswer(recording, purpose), usage, ...(usd === null ? {} : { usd }) };
        return;
      }
      yield { type: 'usage', usage, isFinal: recorded.held === undefined, ...(usd === null ? {} : { usd }) };
      if (outcome === 'cancelled') {
        yield* readInFlight(recording);
        recording.cancel();
        yield { type: 'failed', failure: { code: 'connection', message: 'cancelled' } };
      } else {
        const refused = toRefusal(recording);
        const details = { status, cause, body, sizes, maxAnswerTokens, ...(refused && { refused }) };
        yield { type: 'failed', failure: { code: outcome, message: toSaid(recorded.message), ...details } };
      }
    },
  };
}

/** The content that the error named: the loop left it out at once. */
function toRefusal({ events, at }: Recording): Refusal | undefined {
  const event = events[at + 1];
  if (event?.type !== 'content.refused' || event.isTrial || event.kind === 'message') return undefined;
  const { kind, tool = '', messages } = event;
  if (kind === 'tool') return { kind, tool };
  return kind === 'calls' ? { kind } : { kind, isKind: messages === undefined };
}

/** The sizes and prices of the nearest request to this model: the next one, otherwise the last one. */
function findInfo({ events, at }: Recording, name: string): ModelInfo {
  const isTurn = (event: Event): event is EventOf<'turn.started'> => event.type === 'turn.started';
  const isOfModel = (event: Event): event is EventOf<'turn.started'> => isTurn(event) && event.model === name;
  const [before, after] = [events.slice(0, at), events.slice(at)];
  const found = after.find(isOfModel) ?? before.findLast(isOfModel) ?? after.find(isTurn) ?? before.findLast(isTurn);
  return found?.modelInfo ? { ...found.modelInfo, images: true, hidesReasoning: true } : UNKNOWN_INFO;
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

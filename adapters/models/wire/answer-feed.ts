import type { ModelEvent } from '@klaus/core/agent';
import { headOf } from '@klaus/core/cut-text';
import { isRecord } from '@klaus/core/protocol';
import { createBodyParser, DONE, type BodyEvent } from './body-parser.ts';
import { readErrorBody } from '../failure/error-body.ts';
import { MalformedResponse, ProviderError } from '../failure/errors.ts';
import { mergeDeltas } from './merge-deltas.ts';
import { toErrorBody } from '../failure/stream-error.ts';

/** Takes the parsed events of one answer, in order. */
export interface AnswerReader {
  /**
   * @param event An event of the stream, {@link DONE}, or the answer as one document.
   * @throws ProviderError, MalformedResponse.
   */
  take(event: unknown): Iterable<ModelEvent>;
  /** True once nothing follows that the answer needs. */
  readonly isComplete: boolean;
  /** @throws StreamCut if the answer is incomplete. */
  finish(): ModelEvent;
}

export interface AnswerFeed {
  /** @throws ProviderError, MalformedResponse, after the events before the error. */
  feed(chunk: Uint8Array): Iterable<ModelEvent>;
  /** The last events of the answer. @throws ProviderError, MalformedResponse, StreamCut. */
  end(): Iterable<ModelEvent>;
  /** True once the server marked the end of its stream. */
  readonly isEnded: boolean;
  /** Text that belongs to no event. */
  readonly unread: string;
}

/**
 * Reads the bytes of an answer's body. The same bytes are the same answer, in any chunks. Pieces of text in one chunk
 * are joined, so that a fast stream takes one step per network chunk instead of one per token.
 */
export function createAnswerFeed(reader: AnswerReader): AnswerFeed {
  const parser = createBodyParser();
  let isEnded = false;
  let count = 0;
  function takeOne(event: BodyEvent, events: ModelEvent[]): void {
    const { value, invalid } = event;
    if (invalid !== undefined) throw new MalformedResponse(`An event is not JSON: ${headOf(invalid, 300)}`);
    count++;
    isEnded ||= value === DONE;
    const body = toErrorBody(event);
    // An error can be in an event that reports usage too.
    if (body === undefined || isRecord(value)) for (const piece of reader.take(withType(event))) events.push(piece);
    if (body !== undefined) throw new ProviderError({ body });
  }

  function* take(found: readonly BodyEvent[]): Generator<ModelEvent, void, undefined> {
    const events: ModelEvent[] = [];
    try {
      for (const event of found) {
        // What follows could be in another chunk.
        if (reader.isComplete) break;
        // Gemini's errors are in a list.
        if (Array.isArray(event.value)) for (const value of event.value) takeOne({ ...event, value }, events);
        else takeOne(event, events);
      }
    } finally {
      // What came before an error was produced, and is charged.
      yield* mergeDeltas(events);
    }
  }

  return {
    feed: (chunk) => take(parser.feed(chunk)),
    *end() {
      yield* take(parser.end());
      if (count === 0 && parser.unread !== '') {
        throw new MalformedResponse(
          `The server answered with a text and not with a stream of events: ${headOf(readErrorBody(parser.unread).message, 300)}`,
        );
      }
      yield reader.finish();
    },
    get isEnded() {
      return isEnded;
    },
    get unread() {
      return parser.unread;
    },
  };
}

/** Some servers name the type of an event only in its line `event:`. */
function withType({ name, value }: BodyEvent): unknown {
  return name !== undefined && isRecord(value) && value['type'] === undefined ? { ...value, type: name } : value;
}

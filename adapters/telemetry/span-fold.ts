import type { Event, EventOf, Message } from '@klaus/core/protocol';
import type { FinishedSpan, SpanLink } from './finished-span.ts';
import { toCallLink, toCallSpan, toChatId, toChatSpan, toRunLink, toRunSpan } from './to-spans.ts';

/** Where a call of another session was made; undefined where nobody knows. */
export type FindRun = (session: string, call: string) => string | undefined;

export interface SpanFoldOptions {
  /** Give out what was said, asked and answered. Default false. */
  content?: boolean;
  findRun: FindRun;
}

interface Run {
  startedAt: number;
  model: string;
  prompts: Message[];
  answer: Message | undefined;
}

/** A request that was answered, until it is known why the answer ended. */
interface Answered {
  event: EventOf<'model.attempted'>;
  startedAt: number;
  message?: Message;
}

interface Call {
  startedAt: number;
  input: unknown;
  /** Span of the chat that asked for it. */
  asked: string | undefined;
}

/**
 * Folds the log of one session into spans. A run is `invoke_agent`; below it is a `chat` for each request to a model
 * and an `execute_tool` for each call, with a link to the chat that asked for it. Times are those of the log.
 *
 * Names follow the conventions for generative AI, status Development, with those of semantic conventions v1.41.1.
 * Source: https://github.com/open-telemetry/semantic-conventions-genai, docs/gen-ai/gen-ai-spans.md and
 * gen-ai-agent-spans.md, as of November 2026.
 */
export class SpanFold {
  readonly #content: boolean;
  readonly #findRun: FindRun;
  #opened: EventOf<'session.opened'> | undefined;
  #model = '';
  /** Last event that was copied from another session, or settles what was; and the last run among them. */
  #copied = { seq: 0, run: '' };
  #isFirstRun = true;
  #run: Run | undefined;
  #answered: Answered | undefined;
  /** When each request that is under way began, by purpose. */
  readonly #requested = new Map<string, number>();
  readonly #calls = new Map<string, Call>();

  constructor({ content = false, findRun }: SpanFoldOptions) {
    this.#content = content;
    this.#findRun = findRun;
  }

  /** The spans that an event ends. */
  take(event: Event): FinishedSpan[] {
    const spans = this.#fold(event);
    if (event.seq > this.#copied.seq) return spans;
    // The original has told its own.
    if (event.type === 'run.started') this.#copied.run = event.run;
    this.#isFirstRun = true;
    return [];
  }

  #fold(event: Event): FinishedSpan[] {
    switch (event.type) {
      case 'session.opened':
        this.#opened = event;
        this.#model = event.model;
        if (event.forked) this.#copied = { seq: event.forked.seq + event.forked.settled, run: '' };
        return [];
      case 'session.changed':
        this.#model = event.model ?? this.#model;
        return [];
      case 'run.started':
        this.#run = { startedAt: event.at, model: this.#model, prompts: [], answer: undefined };
        return [];
      case 'turn.started':
        this.#requested.set('turn', event.at);
        if (this.#run) this.#run.model = event.model;
        return this.#endChat();
      case 'model.requested':
        this.#requested.set(event.purpose, event.at);
        return event.purpose === 'turn' ? this.#endChat() : [];
      case 'model.attempted':
        return this.#answer(event);
      case 'message.added':
        this.#say(event.message);
        return [];
      case 'turn.finished':
        return this.#endChat(event.stopReason);
      case 'tool.started':
        this.#calls.set(event.call, {
          input: undefined,
          asked: undefined,
          ...this.#calls.get(event.call),
          startedAt: event.at,
        });
        return [];
      case 'tool.finished':
        return this.#endCall(event);
      case 'run.finished':
        return this.#endRun(event);
      default:
        return [];
    }
  }

  #answer(event: EventOf<'model.attempted'>): FinishedSpan[] {
    const before = this.#endChat();
    this.#answered = { event, startedAt: this.#requested.get(event.purpose) ?? event.at };
    this.#requested.delete(event.purpose);
    // Only the answer of a turn is followed by why it ended.
    return event.purpose === 'turn' && event.outcome === 'ok' ? before : [...before, ...this.#endChat()];
  }

  #say(message: Message): void {
    if (!this.#run) return;
    if (message.role === 'user' && message.origin === 'user') this.#run.prompts.push(message);
    if (message.role !== 'assistant') return;
    this.#run.answer = message;
    if (!this.#answered) return;
    this.#answered.message = message;
    const { event } = this.#answered;
    for (const part of message.parts)
      if (part.type === 'call')
        this.#calls.set(part.id, { startedAt: event.at, input: part.input, asked: toChatId(event) });
  }

  #endChat(finishReason?: string): FinishedSpan[] {
    if (!this.#answered) return [];
    const { event, startedAt, message } = this.#answered;
    this.#answered = undefined;
    return [toChatSpan(event, { startedAt, finishReason, message: this.#content ? message : undefined })];
  }

  #endCall(event: EventOf<'tool.finished'>): FinishedSpan[] {
    const { startedAt, input, asked } = this.#calls.get(event.call) ?? { startedAt: event.at - event.durationMs };
    this.#calls.delete(event.call);
    return [toCallSpan(event, { startedAt, asked, said: this.#content ? { input } : undefined })];
  }

  #endRun(event: EventOf<'run.finished'>): FinishedSpan[] {
    const last = this.#endChat();
    if (!this.#run) return last;
    const { startedAt, model, prompts, answer } = this.#run;
    const links = this.#isFirstRun ? this.#toOrigins() : [];
    const said = this.#content ? { prompts, answer } : undefined;
    this.#isFirstRun = false;
    this.#run = undefined;
    this.#calls.clear();
    this.#requested.clear();
    return [...last, toRunSpan(event, { startedAt, model, links, said, agent: this.#opened?.agent ?? 'klaus' })];
  }

  /** What this session began from: the session that it was copied from, the call that began it. */
  #toOrigins(): SpanLink[] {
    const { forked, parent } = this.#opened ?? {};
    const links: SpanLink[] = [];
    const { run: copied } = this.#copied;
    if (forked && copied !== '') links.push(toRunLink('forked_from', { session: forked.session, run: copied }));
    const run = parent && this.#findRun(parent.session, parent.call);
    if (parent && run !== undefined) links.push(toCallLink('started_by', { ...parent, run }));
    return links;
  }
}

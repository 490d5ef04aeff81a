import type { Event, EventOf, Message } from '@klaus/core/protocol';
import type { FinishedSpan, SpanLink } from './finished-span.ts';
import { toCallLink, toCallSpan, toChatId, toChatSpan, toRunLink, toRunSpan } from './to-spans.ts';

export interface SpanFoldOptions {
  /** Includes the content of messages and calls. Default false. */
  content?: boolean;
  /** The run of the call that opened this session; undefined without one. */
  parentRun?: string;
}

interface Run {
  startedAt: number;
  model: string;
  prompts: Message[];
  answer: Message | undefined;
}

/** An answered request whose finish reason is not known yet. */
interface AnsweredRequest {
  event: EventOf<'model.attempted'>;
  startedAt: number;
  message?: Message;
}

interface Call {
  startedAt: number;
  input: unknown;
  /** Id of the span of the chat that requested it. */
  chat: string | undefined;
}

/**
 * Converts the log of one session to spans. A run is `invoke_agent`; below it is a `chat` for each request to a model and
 * an `execute_tool` for each call, with a link to its chat. Times are from the log.
 *
 * Names follow the conventions for generative AI, status Development, with those of semantic conventions v1.41.1.
 * Source: https://github.com/open-telemetry/semantic-conventions-genai, docs/gen-ai/gen-ai-spans.md and
 * gen-ai-agent-spans.md, as of November 2026.
 */
export class SpanFold {
  readonly #content: boolean;
  readonly #parentRun: string | undefined;
  #opened: EventOf<'session.opened'> | undefined;
  #model = '';
  /** The last event that a fork copied or appended to close it, and the last copied run. */
  #copied = { seq: 0, run: '' };
  #isFirstRun = true;
  #run: Run | undefined;
  #answered: AnsweredRequest | undefined;
  /** When each pending request started, by purpose. */
  readonly #requested = new Map<string, number>();
  readonly #calls = new Map<string, Call>();

  constructor({ content = false, parentRun }: SpanFoldOptions) {
    this.#content = content;
    this.#parentRun = parentRun;
  }

  /** Adds an event. Returns the spans that it ends. */
  add(event: Event): FinishedSpan[] {
    const spans = this.#fold(event);
    if (event.seq > this.#copied.seq) return spans;
    // The original session exports copied spans.
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
        this.#addMessage(event.message);
        return [];
      case 'turn.finished':
        return this.#endChat(event.stopReason);
      case 'tool.started': {
        const known = this.#calls.get(event.call) ?? { input: undefined, chat: undefined };
        this.#calls.set(event.call, { ...known, startedAt: event.at });
        return [];
      }
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
    // Only the answer of a turn has a later event with its stop reason.
    return event.purpose === 'turn' && event.outcome === 'ok' ? before : [...before, ...this.#endChat()];
  }

  #addMessage(message: Message): void {
    if (!this.#run) return;
    if (message.role === 'user' && message.origin === 'user') this.#run.prompts.push(message);
    if (message.role !== 'assistant') return;
    this.#run.answer = message;
    if (!this.#answered) return;
    this.#answered.message = message;
    const { event } = this.#answered;
    for (const part of message.parts)
      if (part.type === 'call')
        this.#calls.set(part.id, { startedAt: event.at, input: part.input, chat: toChatId(event) });
  }

  #endChat(finishReason?: string): FinishedSpan[] {
    if (!this.#answered) return [];
    const { event, startedAt, message } = this.#answered;
    this.#answered = undefined;
    return [toChatSpan(event, { startedAt, finishReason, message: this.#content ? message : undefined })];
  }

  #endCall(event: EventOf<'tool.finished'>): FinishedSpan[] {
    const { startedAt, input, chat } = this.#calls.get(event.call) ?? { startedAt: event.at - event.durationMs };
    this.#calls.delete(event.call);
    return [toCallSpan(event, { startedAt, chat, content: this.#content ? { input } : undefined })];
  }

  #endRun(event: EventOf<'run.finished'>): FinishedSpan[] {
    const last = this.#endChat();
    if (!this.#run) return last;
    const { startedAt, model, prompts, answer } = this.#run;
    const links = this.#isFirstRun ? this.#toOrigins() : [];
    const content = this.#content ? { prompts, answer } : undefined;
    this.#isFirstRun = false;
    this.#run = undefined;
    this.#calls.clear();
    this.#requested.clear();
    return [...last, toRunSpan(event, { startedAt, model, links, content, agent: this.#opened?.agent ?? 'klaus' })];
  }

  /** Links to the origin of the session: the session that it is a fork of, or the call that opened it. */
  #toOrigins(): SpanLink[] {
    const { forked, parent } = this.#opened ?? {};
    const links: SpanLink[] = [];
    const { run: copied } = this.#copied;
    if (forked && copied !== '') links.push(toRunLink('forked_from', { session: forked.session, run: copied }));
    const run = this.#parentRun;
    if (parent && run !== undefined) links.push(toCallLink('started_by', { ...parent, run }));
    return links;
  }
}

import { cutText } from '@klaus/sdk/cut-text';
import { toText, type Event, type EventOf } from '@klaus/sdk';
import type { LegacyEvent, CreateLegacyEvent } from './legacy-event.ts';
import { SessionUsage } from './session-usage.ts';

/** Characters of the last answer that replace a missing summary. */
const MAX_SUMMARY = 280;

/** Stop reasons of a complete answer. */
const COMPLETE: ReadonlySet<string> = new Set(['end_turn', 'stop_sequence']);

/** Outcomes of a run that may have ended with an answer. */
const ANSWERED: ReadonlySet<string> = new Set(['done', 'denied', 'failed']);

interface Run {
  startedAt: number;
  model: string;
  /** The text of the last message of the model; empty if it called a tool. */
  answer: string;
  isComplete: boolean;
  /** `budget_exceeded` was sent. */
  isExceeded: boolean;
}

/** A run that has ended without its summary so far. */
interface PendingEnd {
  event: EventOf<'run.finished'>;
  run: Run;
}

/**
 * Converts the ends of runs: `complete` with the `AgentRunResult` of the older protocol, or `error` for a run without an
 * answer. `complete` contains the summary of the session, which is made after the run. It is sent with the summary, or
 * with the next event that shows that there will be none.
 */
export class RunEnds {
  readonly #create: CreateLegacyEvent;
  readonly #usage = new SessionUsage();
  #model = '';
  #run: Run | undefined;
  #pending: PendingEnd | undefined;

  constructor(create: CreateLegacyEvent) {
    this.#create = create;
  }

  add(event: Event): LegacyEvent[] {
    this.#usage.add(event);
    switch (event.type) {
      case 'session.opened':
        this.#model = event.model;
        return [];
      case 'session.changed':
        this.#model = event.model ?? this.#model;
        return event.summary === undefined ? [] : this.flush(event.summary);
      case 'model.attempted':
        return event.purpose === 'title' && event.outcome !== 'ok' ? this.flush() : [];
      case 'run.started': {
        const pending = this.flush();
        this.#run = this.#createRun(event.at);
        return pending;
      }
      case 'run.finished':
        return this.#finish(event);
      default:
        if (this.#run) updateRun(this.#run, event);
        return [];
    }
  }

  /** Returns the pending end; empty if there is none. */
  flush(summary?: string): LegacyEvent[] {
    const pending = this.#pending;
    this.#pending = undefined;
    if (!pending) return [];
    return [this.#complete(pending, summary ?? (cut(pending.run.answer) || pending.event.reason))];
  }

  drop(): void {
    this.#pending = undefined;
  }

  #createRun(startedAt: number): Run {
    return { startedAt, model: this.#model, answer: '', isComplete: false, isExceeded: false };
  }

  #finish(event: EventOf<'run.finished'>): LegacyEvent[] {
    const { outcome, reason, limit } = event;
    const run = this.#run ?? this.#createRun(event.at);
    this.#run = undefined;
    if (outcome === 'limit' && limit?.limit === 'tokens') {
      const exceeded = this.#create('budget_exceeded', { totalTokens: limit.used, limit: limit.cap });
      return [...(run.isExceeded ? [] : [exceeded]), this.#complete({ event, run }, reason)];
    }
    const isAnswered = run.isComplete && run.answer !== '' && event.error === undefined;
    if (outcome !== 'done' && !(ANSWERED.has(outcome) && isAnswered)) {
      return [{ ...this.#create('error', { error: reason, outcome }), isEnd: true, run: event.run }];
    }
    // A run without a turn gets no summary.
    if (event.turns === 0) return [this.#complete({ event, run }, reason)];
    this.#pending = { event, run };
    return [];
  }

  #complete({ event, run }: PendingEnd, summary: string): LegacyEvent {
    const result = {
      summary,
      toolCallsCount: event.toolCalls,
      success: event.outcome === 'done',
      durationMs: event.at - run.startedAt,
      model: run.model,
      tokenUsage: this.#usage.summary,
      outcome: event.outcome,
      turns: event.turns,
    };
    return { ...this.#create('complete', result), isEnd: true, run: event.run };
  }
}

function updateRun(run: Run, event: Event): void {
  if (event.type === 'turn.started') run.model = event.model;
  else if (event.type === 'message.added') {
    const { message } = event;
    if (message.origin !== 'model') return;
    run.answer = message.parts.some(({ type }) => type === 'call') ? '' : toText(message).trim();
  } else if (event.type === 'turn.finished') run.isComplete = COMPLETE.has(event.stopReason);
  else if (event.type === 'approval.asked' && event.subject.kind === 'limit' && event.subject.limit === 'tokens') {
    run.isExceeded = true;
  }
}

function cut(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return cutText(line, MAX_SUMMARY);
}

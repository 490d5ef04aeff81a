import { toText, type Event, type EventOf } from '@klaus/sdk';
import type { LegacyEvent, ToNamed } from './legacy-event.ts';
import { SessionSums } from './session-usage.ts';

/** Characters of the last words that stand in for a summary that does not come. */
const MAX_SUMMARY = 280;

/** Stops after which an answer is whole. */
const WHOLE: ReadonlySet<string> = new Set(['end_turn', 'stop_sequence']);

/** Outcomes of a run that the model may have ended by an answer. */
const BY_ANSWER: ReadonlySet<string> = new Set(['done', 'denied', 'failed']);

interface Run {
  startedAt: number;
  model: string;
  /** The model's last words, unless it called a tool after them. */
  answer: string;
  isWhole: boolean;
  /** It was said that the token budget is exceeded. */
  isExceeded: boolean;
}

/** A run that is over and whose summary is still to come. */
interface Ended {
  event: EventOf<'run.finished'>;
  run: Run;
}

/**
 * Folds a session into the ends of its runs: `complete` with the older protocol's `AgentRunResult`, or `error` for a
 * run that the model could not end. `complete` has the session's summary, which is made when the run is over: it comes
 * with it, or with the next event that shows that it is late.
 */
export class RunEnds {
  readonly #named: ToNamed;
  readonly #sums = new SessionSums();
  #model = '';
  #run: Run | undefined;
  #ended: Ended | undefined;

  constructor(named: ToNamed) {
    this.#named = named;
  }

  /** What is to be told because of an event. */
  take(event: Event): LegacyEvent[] {
    this.#sums.add(event);
    switch (event.type) {
      case 'session.opened':
        this.#model = event.model;
        return [];
      case 'session.changed':
        this.#model = event.model ?? this.#model;
        return event.summary === undefined ? [] : this.settle(event.summary);
      case 'model.attempted':
        return event.purpose === 'title' && event.outcome !== 'ok' ? this.settle() : [];
      case 'run.started': {
        const late = this.settle();
        const { at: startedAt } = event;
        this.#run = { startedAt, model: this.#model, answer: '', isWhole: false, isExceeded: false };
        return late;
      }
      case 'run.finished':
        return this.#finish(event);
      default:
        if (this.#run) note(this.#run, event);
        return [];
    }
  }

  /** Tells the end that waits for its summary; nothing where none does. */
  settle(summary?: string): LegacyEvent[] {
    const ended = this.#ended;
    this.#ended = undefined;
    if (!ended) return [];
    return [this.#complete(ended, summary ?? (cut(ended.run.answer) || ended.event.reason))];
  }

  /** Leaves out the end that waits for its summary. */
  forget(): void {
    this.#ended = undefined;
  }

  #finish(event: EventOf<'run.finished'>): LegacyEvent[] {
    const { outcome, reason, limit } = event;
    const run = this.#run ?? { startedAt: event.at, model: this.#model, answer: '', isWhole: false, isExceeded: false };
    this.#run = undefined;
    if (outcome === 'limit' && limit?.limit === 'tokens') {
      const exceeded = this.#named('budget_exceeded', { totalTokens: limit.used, limit: limit.cap });
      return [...(run.isExceeded ? [] : [exceeded]), this.#complete({ event, run }, reason)];
    }
    const isAnswered = run.isWhole && run.answer !== '' && event.error === undefined;
    if (outcome !== 'done' && !(BY_ANSWER.has(outcome) && isAnswered)) {
      return [{ ...this.#named('error', { error: reason, outcome }), isEnd: true, run: event.run }];
    }
    // A run without a turn gets no summary.
    if (event.turns === 0) return [this.#complete({ event, run }, reason)];
    this.#ended = { event, run };
    return [];
  }

  #complete({ event, run }: Ended, summary: string): LegacyEvent {
    const result = {
      summary,
      toolCallsCount: event.toolCalls,
      success: event.outcome === 'done',
      durationMs: event.at - run.startedAt,
      model: run.model,
      tokenUsage: this.#sums.summary,
      outcome: event.outcome,
      turns: event.turns,
    };
    return { ...this.#named('complete', result), isEnd: true, run: event.run };
  }
}

/** Takes what an event says of the run under way. */
function note(run: Run, event: Event): void {
  if (event.type === 'turn.started') run.model = event.model;
  else if (event.type === 'message.added') {
    const { message } = event;
    if (message.origin !== 'model') return;
    run.answer = message.parts.some(({ type }) => type === 'call') ? '' : toText(message).trim();
  } else if (event.type === 'turn.finished') run.isWhole = WHOLE.has(event.stopReason);
  else if (event.type === 'approval.asked' && event.subject.kind === 'limit' && event.subject.limit === 'tokens') {
    run.isExceeded = true;
  }
}

function cut(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length <= MAX_SUMMARY ? line : `${line.slice(0, MAX_SUMMARY - 1)}…`;
}

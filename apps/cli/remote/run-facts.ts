import type { Event, EventOf, ModelFailureCode } from '@klaus/sdk';
import { createDenialFinder } from '../output/closing-words.ts';

type Question = EventOf<'approval.asked'>;

/** What the events of a session say that its closing words, its questions and its exit code need. */
export interface RunFacts {
  /** The last run that ended among what is shown. */
  readonly ended: EventOf<'run.finished'> | undefined;
  /** What the last request to the model failed with. */
  readonly failure: ModelFailureCode | undefined;
  readonly denial: ReturnType<typeof createDenialFinder>['found'];
  /** The run under way. */
  readonly run: string | undefined;
  readonly mode: string | undefined;
  /** Questions that have no answer yet, the oldest first. */
  questions(): Question[];
  /** Aborts when a question has its answer, from wherever it came. */
  untilAnswered(approval: string): AbortSignal;
  /** An event from before what is shown. */
  recall(event: Event): void;
  /** One that is shown. */
  take(event: Event): void;
}

/** @param asks True when a person at this terminal is asked. */
export function createRunFacts(asks: boolean): RunFacts {
  const denial = createDenialFinder(asks);
  const questions = new Map<string, Question>();
  const answers = new Map<string, AbortController>();
  const facts: { -readonly [K in 'ended' | 'failure' | 'run' | 'mode']: RunFacts[K] } = {
    ended: undefined,
    failure: undefined,
    run: undefined,
    mode: undefined,
  };
  const recall = (event: Event): void => {
    if (event.type === 'approval.asked') questions.set(event.approval, event);
    else if (event.type === 'approval.answered') {
      questions.delete(event.approval);
      answers.get(event.approval)?.abort();
    } else if (event.type === 'session.opened' || event.type === 'session.changed')
      facts.mode = event.mode ?? facts.mode;
    else if (event.type === 'run.started') facts.run = event.run;
    else if (event.type === 'run.finished') facts.run = undefined;
  };
  return {
    get ended() {
      return facts.ended;
    },
    get failure() {
      return facts.failure;
    },
    get run() {
      return facts.run;
    },
    get mode() {
      return facts.mode;
    },
    get denial() {
      return denial.found;
    },
    questions: () => [...questions.values()],
    untilAnswered(approval) {
      const answered = new AbortController();
      answers.set(approval, answered);
      return answered.signal;
    },
    recall,
    take(event) {
      recall(event);
      denial.event(event);
      if (event.type === 'run.finished') facts.ended = event;
      if (event.type === 'model.attempted' && event.purpose === 'turn')
        facts.failure = event.outcome === 'ok' || event.outcome === 'cancelled' ? undefined : event.outcome;
    },
  };
}

import type { Event, EventOf } from '@klaus/sdk';

type Question = EventOf<'approval.asked'>;

/** The open approvals and the current run of a session, from its events. */
export interface OpenQuestions {
  add(event: Event): void;
  /** The run that has not ended. */
  readonly run: string | undefined;
  /** Approvals without an answer, the oldest first. */
  list(): Question[];
  /** Aborts when the approval is answered by any client. */
  readonly untilAnswered: (approval: string) => AbortSignal;
}

export function createOpenQuestions(): OpenQuestions {
  const questions = new Map<string, Question>();
  const answers = new Map<string, AbortController>();
  let run: string | undefined;
  return {
    add(event) {
      if (event.type === 'approval.asked') questions.set(event.approval, event);
      else if (event.type === 'approval.answered') {
        questions.delete(event.approval);
        answers.get(event.approval)?.abort();
      } else if (event.type === 'run.started') run = event.run;
      else if (event.type === 'run.finished') run = undefined;
    },
    get run() {
      return run;
    },
    list: () => [...questions.values()],
    untilAnswered(approval) {
      const controller = new AbortController();
      answers.set(approval, controller);
      return controller.signal;
    },
  };
}

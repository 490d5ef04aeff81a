import type { Event, EventOf, ModelFailureCode } from '@klaus/sdk';

/** Why calls of a run were denied, if the user can change that: no user was asked, or the mode. */
export type Denial = 'unanswered' | 'mode';

/** What the exit code and the next steps need of a run's events. */
export interface RunFacts {
  /** The last run that ended. */
  readonly ended: EventOf<'run.finished'> | undefined;
  /** How the last request to the model failed. */
  readonly failure: ModelFailureCode | undefined;
  readonly denial: Denial | undefined;
  readonly mode: string | null;
}

/**
 * Collects facts from the events of a session.
 *
 * @param options.asks True if approvals are asked for at this terminal.
 * @param options.mode The mode before these events.
 */
export function createRunFacts({ asks, mode }: { asks: boolean; mode: RunFacts['mode'] }): {
  facts: RunFacts;
  add: (event: Event) => void;
} {
  const facts: { -readonly [K in keyof RunFacts]: RunFacts[K] } = {
    ended: undefined,
    failure: undefined,
    denial: undefined,
    mode,
  };
  return {
    facts,
    add(event) {
      if (event.type === 'run.started') facts.denial = undefined;
      else if (event.type === 'run.finished') facts.ended = event;
      else if (event.type === 'session.opened' || event.type === 'session.changed')
        facts.mode = event.mode ?? facts.mode;
      else if (event.type === 'model.attempted' && event.purpose === 'turn')
        facts.failure = event.outcome === 'ok' || event.outcome === 'cancelled' ? undefined : event.outcome;
      else if (event.type === 'gate.decided') {
        if (event.verdict === 'ask' && !asks) facts.denial = 'unanswered';
        if (event.verdict === 'deny' && event.rule === 'mode') facts.denial = 'mode';
      }
    },
  };
}

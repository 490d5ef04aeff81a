import type { Event, EventOf } from '@klaus/sdk';
import { toFailedRequest, toFetch, type FailedRequest } from '@klaus/sdk/transcript';

/** What the exit code and the next steps need of a run's events. */
export type RunFacts = ReturnType<typeof createRunFacts>['facts'];

/** Collects facts from the events of a session. `mode` is that before these events. */
export function createRunFacts({ asks, mode }: { asks: boolean; mode: string | null }) {
  const facts = {
    /** The last run that ended. */
    ended: undefined as EventOf<'run.finished'> | undefined,
    /** How the last request to the model failed. */
    failure: undefined as FailedRequest | undefined,
    /** Why calls of the run were denied, if the user can change that: no user was asked, or the mode. */
    denial: undefined as 'unanswered' | 'mode' | undefined,
    /** The command that installs the dependencies of the project, if something failed without them. */
    fetch: undefined as string | undefined,
    mode,
  };
  return {
    facts,
    add: (event: Event): void => {
      if (event.type === 'run.started') facts.denial = undefined;
      else if (event.type === 'run.finished') facts.ended = event;
      else if (event.type === 'session.opened' || event.type === 'session.changed')
        facts.mode = event.mode ?? facts.mode;
      else if (event.type === 'model.attempted' && event.purpose === 'turn') facts.failure = toFailedRequest(event);
      else if (event.type === 'tool.finished') facts.fetch = toFetch(event) ?? facts.fetch;
      else if (event.type === 'gate.decided') {
        if (event.verdict === 'ask' && !asks) facts.denial = 'unanswered';
        if (event.verdict === 'deny' && event.rule === 'mode') facts.denial = 'mode';
      }
    },
  };
}

import type { Event, EventOf } from '@klaus/sdk';
import type { Log } from './log.ts';

/** Most requests that are tracked; more than any server has in progress. */
const MAX_OPEN = 1_000;

/**
 * Logs each answer of a model and each tool call at level `debug`: ids, names, sizes and times, but no content.
 *
 * @returns The listener for the events of the sessions that run here.
 */
export function createEventLog(log: Log): (event: Event) => void {
  const begun = new Map<string, number>();
  const sizes = new Map<string, number>();
  const keep = (map: Map<string, number>, key: string, value: number): void => {
    if (map.size >= MAX_OPEN) map.clear();
    map.set(key, value);
  };
  const take = (map: Map<string, number>, key: string): number | undefined => {
    const value = map.get(key);
    map.delete(key);
    return value;
  };
  const logAnswer = (event: EventOf<'model.attempted'>): void => {
    const { session, run, turn, model, purpose, attempt, outcome, status, usage, usd, at } = event;
    const since = take(begun, `${session} ${purpose}`);
    const durationMs = since === undefined ? undefined : at - since;
    const fields = { session, run, turn, model, purpose, attempt, outcome, status, durationMs, usd, ...usage };
    log.debug('a model answered', fields);
  };
  return (event) => {
    if (event.type === 'turn.started' || event.type === 'model.requested')
      keep(begun, `${event.session} ${event.type === 'turn.started' ? 'turn' : event.purpose}`, event.at);
    else if (event.type === 'model.attempted') logAnswer(event);
    else if (event.type === 'message.added' && event.message.origin === 'model')
      for (const part of event.message.parts)
        if (part.type === 'call') keep(sizes, `${event.session} ${part.id}`, JSON.stringify(part.input).length);
    if (event.type !== 'tool.finished') return;
    const { session, run, turn, call, name, outcome, durationMs, output } = event;
    const inputLength = take(sizes, `${session} ${call}`);
    log.debug('a tool call ended', {
      ...{ session, run, turn, call, name, outcome, durationMs },
      ...{ inputLength, outputLength: output.length },
    });
  };
}

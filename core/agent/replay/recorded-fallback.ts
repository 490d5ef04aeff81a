import type { Activities } from '../loop/work.ts';
import { isFallbackNotice } from '../model/fallback.ts';
import { toBody } from './compare.ts';
import type { Recording } from './recording.ts';

/** The recorded choices of the model that answers. */
export function createRecordedFallback(recording: Recording): Pick<Activities, 'planFallback' | 'triesFirst'> {
  return {
    async planFallback() {
      const { events, at, next } = recording;
      let end = at + 1;
      while (events[end] && isFallbackNotice(events[end]!)) end++;
      const fallback = next?.type === 'model.attempted' ? next.fallback : undefined;
      return { fallback, notices: events.slice(at + 1, end).map(toBody) };
    },
    triesFirst({ state: { substitute, openTurn } }) {
      const { events, at } = recording;
      const turn = openTurn ?? events.find((event, index) => index >= at && event.type === 'turn.started');
      return turn?.type !== 'turn.started' || turn.model !== substitute?.model;
    },
  };
}

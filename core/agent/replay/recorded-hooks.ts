import type { Event, EventBody } from '../../protocol/index.ts';
import { isLeftOutNotice } from '../context/instruction-file.ts';
import { isFailedNotice, isRefusedNotice } from '../hooks/hook-notice.ts';
import { isKeptMessage } from '../hooks/session-hooks.ts';
import type { Activities } from '../loop/work.ts';
import { toBody } from './compare.ts';
import type { Recording } from './recording.ts';

/** What hooks said, as it is in the log. Their text is part of results and messages; only notices are events of their own. */
export function createRecordedHooks(
  recording: Recording,
): Pick<Activities, 'afterCall' | 'submitPrompt' | 'keepWorking'> {
  const readFailed = (from: number): EventBody[] => {
    const bodies: EventBody[] = [];
    for (let index = from; recording.events[index] && isFailedNotice(recording.events[index]!); index++)
      bodies.push(toBody(recording.events[index]!));
    return bodies;
  };
  return {
    async afterCall(_work, { call }, finished) {
      const { events, at } = recording;
      const index = events.findIndex((event, i) => i >= at && event.type === 'tool.finished' && event.call === call.id);
      if (index < 0) return { finished, notices: [] };
      let from = index + 1;
      while (events[from] && isContext(events[from]!)) from++;
      return { finished, notices: readFailed(from) };
    },
    async submitPrompt() {
      const { events, at, next } = recording;
      const index = next?.type === 'run.started' ? at + 1 : at;
      const notice = events[index];
      // What hooks add to the context is read with the instruction files.
      if (!notice || !isRefusedNotice(notice)) return { bodies: [] };
      const end = events[index + 1];
      const reason = end?.type === 'run.finished' ? end.reason.replace(/^The prompt was refused\. /, '') : '';
      return { refused: reason, notice: toBody(notice) };
    },
    async keepWorking() {
      const bodies = readFailed(recording.at);
      const message = recording.events[recording.at + bodies.length];
      const continues = message !== undefined && isKeptMessage(message);
      return { bodies: continues ? [...bodies, toBody(message)] : bodies, continues };
    },
  };
}

/** True for what a folder or a hook adds to the context, and for the notices about folders. */
export function isContext(event: Event): boolean {
  const isMessage = event.type === 'message.added' && event.message.origin === 'context';
  return isMessage || isLeftOutNotice(event);
}

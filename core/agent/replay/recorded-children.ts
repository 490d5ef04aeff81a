import type { Event } from '../../protocol/index.ts';
import type { Activities } from '../loop/work.ts';
import { toBody } from './compare.ts';
import type { Recording } from './recording.ts';

/** Events after the present one that are searched. */
const MAX_AHEAD = 400;

/** What the log records about child sessions. Their own logs are not read. */
export function createRecordedChildren(
  recording: Recording,
): Pick<Activities, 'recordChild' | 'readChildEnd' | 'closeChildOf' | 'closeChildren'> {
  const following = (): Event[] => recording.events.slice(recording.at, recording.at + MAX_AHEAD);
  return {
    recordChild(_work, { call }) {
      const child = following().find((event) => event.type === 'child.opened' && event.call === call.id);
      return child ? [toBody(child)] : [];
    },
    async readChildEnd(_work, child) {
      const [end, closing] = following();
      if (!end || !isEndOf(end, child)) return [];
      const isBoth = end.type === 'child.finished' && closing?.type === 'child.closed' && closing.child === child;
      return isBoth ? [toBody(end), toBody(closing)] : [toBody(end)];
    },
    async closeChildOf(work, call) {
      const child = [...work.state.children.values()].find((each) => each.call === call && !each.isClosed);
      const events = following();
      const end = events.findIndex((event) => event.type === 'tool.finished' && event.call === call);
      return events
        .slice(0, Math.max(0, end))
        .filter((event) => event.type === 'child.closed' && event.child === child?.id)
        .map(toBody);
    },
    async closeChildren() {
      const events = following();
      const from = events.findIndex(({ type }) => type === 'child.closed' || type === 'run.finished');
      const closings = events.slice(Math.max(0, from));
      const end = closings.findIndex(({ type }) => type !== 'child.closed');
      return closings.slice(0, end < 0 ? closings.length : end).map(toBody);
    },
  };
}

function isEndOf(event: Event, child: string): boolean {
  return (event.type === 'child.finished' || event.type === 'child.closed') && event.child === child;
}

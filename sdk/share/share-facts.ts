import type { FactEvent } from '@klaus/core/conversation';
import { toLine } from '../transcript/printable.ts';
import type { ShareText } from './en-share.ts';

/**
 * One line about an event that is neither a message nor a call, in the language of the document; undefined for events
 * that only change the state. Texts of the engine itself, such as notices, stay as they are.
 */
export function describeSharedFact(event: FactEvent, t: ShareText): string | undefined {
  const { facts } = t;
  switch (event.type) {
    case 'session.opened': {
      const opened = facts.opened(event.model, event.mode, event.sandbox);
      return event.agent === undefined ? opened : `${facts.agent(event.agent)}, ${opened}`;
    }
    case 'model.attempted': {
      const what = facts.attempted(event.model, toLine(event.message ?? event.outcome.replaceAll('_', ' '), 200));
      if (event.fallback) return `${what}; ${facts.answersInstead(event.fallback.model)}`;
      return event.retryInMs === undefined ? what : `${what}; ${facts.retry(event.retryInMs)}`;
    }
    case 'usage.counted':
      return facts.used(event.percent, event.limit);
    case 'context.compacted':
      return facts.compacted(event.dropped);
    case 'context.pinned':
      return facts.pinned(toLine(event.text, 100));
    case 'runner.opened':
      return facts.runner(event.agent, event.resumed);
    case 'process.changed':
      return `${facts.process[event.state](event.process)}: ${toLine(event.command, 160)}`;
    case 'workspace.restored':
      return facts.restored[event.kind](event.files);
    case 'workspace.committed':
      return facts.committed(event.commit.slice(0, 10), event.files);
    case 'workingCopy.ended':
      return facts.copies[event.how];
    case 'notice':
      return event.text;
    case 'grant.escalated':
      return facts.escalated;
    default:
      return undefined;
  }
}

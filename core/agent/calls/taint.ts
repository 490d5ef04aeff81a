import type { Taint } from '../../policy/index.ts';
import { toText } from '../../protocol/index.ts';
import type { State } from '../state/state.ts';

/** What the gate needs to know about untrusted content that the session has read. */
export function toTaint({ taint, addresses, fetched, messages, session }: State): Taint | undefined {
  if (!taint) return undefined;
  const { source, spentBits, pages, passed } = taint;
  return {
    source,
    // The task of a child session can contain private data.
    isPassed: taint.isPassed || session?.parent !== undefined,
    addresses,
    fetched,
    spentBits,
    *prompts() {
      for (const message of messages) {
        const isOfUser = message.origin === 'user' || message.origin === 'steer';
        if (isOfUser && !passed.has(message.id)) yield toText(message);
      }
    },
    *pages() {
      for (const { parts } of messages)
        for (const part of parts) if (part.type === 'result' && pages.has(part.call)) yield part.text;
    },
  };
}

import type { Event } from '@klaus/core/protocol';
import type { Invariant } from './invariant.ts';

interface SentPrompts {
  events: readonly Event[];
  /** Texts of durable prompts, by the id of the command. */
  prompts: ReadonlyMap<string, string>;
  /** Withdrawn prompts, by the id of the withdrawal. */
  withdrawals: ReadonlyMap<string, { prompt: string }>;
}

/** Checks that every sent prompt is in the log once, unless it was withdrawn, and that the log contains no other one. */
export function checkPrompts(
  { events, prompts, withdrawals }: SentPrompts,
  fail: (invariant: Invariant, what: string) => void,
): void {
  const texts = events.flatMap((event) =>
    event.type === 'message.added' && (event.message.origin === 'user' || event.message.origin === 'steer')
      ? event.message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
      : [],
  );
  const sent = new Set(prompts.values());
  for (const text of texts)
    if (!sent.has(text)) fail('commands count once', `there is no command for ${JSON.stringify(text)}`);
  const withdrawn = new Set([...withdrawals.values()].map(({ prompt }) => prompts.get(prompt)));
  for (const text of sent) {
    const count = texts.filter((other) => other === text).length;
    if (count === 0 && withdrawn.has(text)) continue;
    if (count !== 1) fail('commands count once', `${JSON.stringify(text)} is in the log ${count} times`);
  }
}

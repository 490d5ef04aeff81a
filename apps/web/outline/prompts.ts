import { headOf } from '@klaus/core/cut-text';
import type { Conversation } from '@klaus/core/conversation';
import type { Outcome } from '@klaus/core/protocol';

export interface Prompt {
  seq: number;
  /** Its first line with text. */
  text: string;
  /** How its last run ended; undefined while it runs. */
  outcome: Outcome | undefined;
  /** All its changes are undone. */
  isUndone: boolean;
}

/** The prompts of a conversation, oldest first, without messages that were sent during a run. */
export function toPrompts({ entries, undone, changing }: Conversation): Prompt[] {
  const prompts: (Prompt & { turns: Set<number> })[] = [];
  for (const entry of entries) {
    const last = prompts.at(-1);
    if (entry.kind === 'user' && !entry.steered) {
      const text = entry.text.split('\n').find((line) => line.trim() !== '') ?? '';
      prompts.push({ seq: entry.seq, text: headOf(text, 300), outcome: undefined, isUndone: false, turns: new Set() });
    } else if (last && entry.kind === 'fact' && entry.event.type === 'run.finished') last.outcome = entry.event.outcome;
    else if (last && 'turn' in entry && changing.has(entry.turn)) last.turns.add(entry.turn);
  }
  return prompts.map(({ turns, ...prompt }) => ({
    ...prompt,
    isUndone: turns.size > 0 && [...turns].every((turn) => undone.has(turn)),
  }));
}

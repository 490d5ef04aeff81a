import { appendFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { defineTool, type Tool } from '@klaus/sdk';
import { z } from 'zod';

/** Milliseconds that an effect takes after it happened, in which its process can end. */
const AFTER_MS = 40;

/**
 * Tools whose effect is a line in a file, `SESSION KEY`. A line that is there twice is an effect that happened twice.
 * `asked_effect` is for a policy that asks before it runs.
 */
export function createEffectTools(file: string): Tool[] {
  return ['record_effect', 'asked_effect'].map((name) =>
    defineTool({
      name,
      description: 'Records a key.',
      input: z.object({ key: z.string() }),
      effects: ['read'],
      resume: 'tell',
      async run({ key }, { session }) {
        appendFileSync(file, `${session} ${key}\n`);
        await pause(AFTER_MS);
        return { text: `Recorded ${key}.` };
      },
    }),
  );
}

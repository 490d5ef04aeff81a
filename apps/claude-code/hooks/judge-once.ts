import { createHash } from 'node:crypto';
import type { Guard } from './guard.ts';
import type { HookAnswer } from './hook-answer.ts';

/** Milliseconds after an answer for which the same event gets it again. */
const REPEAT_MS = 500;

/**
 * Decides once about an event that two hooks report, those of the settings and those of the plugin: both get the answer.
 * An event is the same if every byte of it is, with the id of its call.
 */
export function judgeOnce(guard: Guard): Guard {
  const answers = new Map<string, Promise<HookAnswer>>();
  return {
    handle(input, project = '') {
      const key = createHash('sha256').update(project).update('\0').update(input).digest('base64');
      const known = answers.get(key);
      if (known) return known;
      const answer = guard.handle(input, project === '' ? undefined : project);
      answers.set(key, answer);
      const forget = (): void => void setTimeout(() => answers.delete(key), REPEAT_MS).unref();
      answer.then(forget, forget);
      return answer;
    },
  };
}

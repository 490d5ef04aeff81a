import { createHash } from 'node:crypto';
import type { Guard } from './guard.ts';
import type { HookAnswer } from './hook-answer.ts';

/** Milliseconds for which an answer is kept for the other hook. */
const KEPT_MS = 10_000;
/** The hook of the plugin appends this to the path of the project, which stays the same folder. */
export const PLUGIN_MARK = '/.';

/**
 * Decides once about an event that two hooks report, that of the settings and that of the plugin: the later one gets the
 * same answer. An event that one hook reports again is another event.
 */
export function judgeOnce(guard: Guard): Guard {
  const answers = new Map<string, { isPlugin: boolean; answer: Promise<HookAnswer> }>();
  return {
    handle(input, project) {
      const isPlugin = project?.endsWith(PLUGIN_MARK) === true;
      const key = createHash('sha256').update(input).digest('base64');
      const known = answers.get(key);
      answers.delete(key);
      if (known && known.isPlugin !== isPlugin) return known.answer;
      const decided = { isPlugin, answer: guard.handle(input, project) };
      answers.set(key, decided);
      setTimeout(() => {
        if (answers.get(key) === decided) answers.delete(key);
      }, KEPT_MS).unref();
      return decided.answer;
    },
  };
}

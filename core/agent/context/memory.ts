import type { Redactor } from '../../policy/index.ts';
import type { Knowledge } from '../ports/memory.ts';

/** Knowledge that redacts new entries and records the session that wrote them. */
export function createMemory(
  knowledge: Knowledge,
  { redactor, session }: { redactor: Redactor; session: string | null },
): Knowledge {
  return {
    ...knowledge,
    set: ({ key, value, category, scope }) =>
      knowledge.set({
        key: redactor.redact(key),
        value: redactor.redact(value),
        category: category === undefined ? undefined : redactor.redact(category),
        scope,
        session,
      }),
  };
}

import { createMemory, openSecretsOf, type Engine, type Knowledge } from '@klaus/core/agent';
import { toRealFolder } from '../open/outside-folders.ts';

/** See `Klaus.memory`. The placeholders of redacted secrets belong to no session. @param folder Absolute. */
export function openMemory(engine: Engine, folder: string): Knowledge {
  const root = toRealFolder(folder);
  const redactor = engine.createRedactor('memory');
  const memory = createMemory(engine.openKnowledge(root), { redactor, session: null });
  return {
    ...memory,
    async set(note) {
      redactor.learn(await openSecretsOf(engine, { workspace: root }).values());
      return memory.set(note);
    },
  };
}

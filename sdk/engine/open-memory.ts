import { realpathSync, statSync } from 'node:fs';
import { createMemory, openSecretsOf, type Engine, type Knowledge } from '@klaus/core/agent';
import { KlausError } from '@klaus/core/protocol';

/**
 * What is remembered about a folder, for a user to read and change. The placeholders of redacted secrets belong to no
 * session.
 *
 * @param folder Absolute.
 * @throws KlausError `workspace.missing`.
 */
export function openMemory(engine: Engine, folder: string): Knowledge {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new KlausError('workspace.missing', `There is no folder ${folder}.`);
  }
  const root = realpathSync.native(folder);
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

import { headOf } from '@klaus/sdk/cut-text';
import { realpathSync } from 'node:fs';
import { KlausError, openLocalServers, type Klaus, type LocalServer } from '@klaus/sdk';
import type { ClientModel, InteractiveClient } from '@klaus/sdk/client';
import { listPromptCommands } from '@klaus/sdk/mcp-prompts';
import { readQueue } from './local-session.ts';
import { toFolder } from './open-klaus.ts';

const BY = 'cli';
/** Characters of the name of a note: its beginning. */
const MAX_NOTE_KEY = 60;

/** What interactive user interfaces do with the engine in this process. */
export function createLocalInteractive(klaus: Klaus): InteractiveClient {
  const local = openLocalServers({ home: klaus.home });
  return {
    async change(id, { limits, ...change }) {
      const session = await klaus.session(id);
      if (Object.keys(change).length > 0) await session.send({ type: 'change', ...change });
      if (limits) await session.send({ type: 'limits', limits });
      await session.applyQueuedCommands();
    },
    async restore(id, request, { conflicts = 'refuse' } = {}) {
      const restored = await (await klaus.session(id)).restore(request, { by: BY, conflicts, unclear: 'refuse' });
      const paths = restored.done ? [] : restored.conflicts.map(({ path }) => path);
      const { done, changes, notRestored } = restored;
      return { done, changes, conflicts: paths, notRestored };
    },
    async fork(id, { before, files } = {}) {
      const { session, state, from } = await klaus.fork(id, { by: BY, before });
      if (files === 'then' && state)
        await session.restore({ kind: 'file', path: '', ...state, of: from }, { by: BY, conflicts: 'keep' });
      return session.id;
    },
    async delete(given) {
      const { id } = await klaus.session(given);
      const { busy } = await klaus.clearSessions({ ids: [id], by: BY });
      if (busy.length === 0) return;
      throw new KlausError('store.busy', 'A process is working on this session.', { hint: 'Stop its run first.' });
    },
    queued: (id) => readQueue(klaus, id),
    async withdraw(id, command) {
      await (await klaus.session(id)).send({ type: 'withdraw', command });
    },
    changes: async (id, turn = 0) => (await klaus.session(id)).turnChanges(turn === 0 ? 'all' : turn),
    pins: async (id) => (await klaus.session(id)).pins(),
    async pin(id, text) {
      await (await klaus.session(id)).pin(text, { by: BY });
    },
    async unpin(id, pin) {
      await (await klaus.session(id)).unpin(pin, { by: BY });
    },
    processes: async (id) => klaus.processes(id),
    async stopProcess(id, process) {
      await (await klaus.process(`${id}/${process}`)).stop();
    },
    async remember(workspace, note) {
      const [first = ''] = note.split('\n');
      await klaus.memory(workspace).set({ key: headOf(first, MAX_NOTE_KEY), value: note });
    },
    models: async () => klaus.models().models.map((model) => ({ ...model, tier: model.tier })),
    localModels: async () => (await local.find()).flatMap(toClientModels),
    async allowModel(name) {
      const found = (await local.find()).find(({ models }) => models.includes(name));
      if (found) local.allow(found);
    },
    async agents(workspace) {
      const { agents } = await klaus.agents(...(workspace === undefined ? [] : [toFolder(workspace)])).list();
      return agents.map(({ name, definition: { description } }) => ({ name, description }));
    },
    async findFiles({ workspace, characters, limit }) {
      return (await klaus.files(workspace)).find(characters, { limit });
    },
    async mcpPrompts(workspace = klaus.configuration.get('workspace')) {
      const folder = realpathSync(workspace);
      return listPromptCommands({ home: klaus.home, folder: klaus.copies.repositoryOf(folder) ?? folder });
    },
    async compact(id) {
      await (await klaus.session(id)).send({ type: 'compact', by: BY, onAsk: 'wait' });
    },
    async shell(id, command) {
      await (await klaus.session(id)).send({ type: 'shell', command, by: BY, onAsk: 'wait' });
    },
  };
}

function toClientModels({ models, text, isAllowed }: LocalServer): ClientModel[] {
  const shared = { tier: undefined, contextWindow: 0, usable: true, ...(!isAllowed && { asks: text }) };
  return models.map((name) => ({ name, ...shared }));
}

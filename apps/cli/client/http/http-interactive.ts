import type { InteractiveClient } from '@klaus/sdk/client';
import { UsageError } from '../../program/cli-error.ts';
import type { ConnectedServer } from './connect-server.ts';

/** What interactive user interfaces do with the sessions of a server. */
export function createHttpInteractive({ client, ask }: ConnectedServer): InteractiveClient {
  return {
    async change(id, change) {
      await ask(client.changeSession({ params: { id }, body: change }));
    },
    async restore(id, request, options = {}) {
      const { kind, ...which } = request;
      const params = { id };
      const body = { ...options, ...which };
      const { done, changes, conflicts, notRestored } = await ask(
        kind === 'undo' ? client.undo({ params, body }) : client.redo({ params, body: options }),
      );
      return {
        done,
        changes,
        conflicts: conflicts.map(({ path }) => path),
        notRestored: notRestored.map(({ path, command }) => ({ path, ...(command === null ? {} : { command }) })),
      };
    },
    fork: async (id, options = {}) => (await ask(client.fork({ params: { id }, body: options }))).session,
    async delete(id) {
      await ask(client.deleteSession({ params: { id } }));
    },
    queued: async (id) => (await ask(client.session({ params: { id } }))).queue,
    async withdraw(id, command) {
      await ask(client.withdraw({ params: { id, command } }));
    },
    async changes(id, turn = 0) {
      const found = await ask(client.changes({ params: { id }, query: turn === 0 ? {} : { turn } }));
      return { ...found, turn: found.turn ?? 0 };
    },
    pins: async (id) =>
      (await ask(client.session({ params: { id } }))).pins.map(({ source, ...pin }) => ({
        ...pin,
        source: source ?? undefined,
      })),
    async pin(id, text) {
      await ask(client.pin({ params: { id }, body: { text } }));
    },
    async unpin(id, pin) {
      await ask(client.unpin({ params: { id, pin } }));
    },
    processes: async (id) => (await ask(client.processes({ params: { id } }))).processes,
    async stopProcess(id, process) {
      await ask(client.stopProcess({ params: { id, process } }));
    },
    remember: () =>
      Promise.reject(new UsageError('Notes are kept on the machine of the server.', 'Run `klaus memory set` there.')),
    models: async () =>
      (await ask(client.models())).models.map((model) => ({ ...model, tier: model.tier ?? undefined })),
    async agents(workspace) {
      const { agents } = await ask(client.agents({ query: { workspace } }));
      return agents.map(({ name, description }) => ({ name, description }));
    },
    async findFiles({ workspace, characters, limit }) {
      return (await ask(client.findFiles({ query: { q: characters, limit, workspace } }))).paths;
    },
    mcpPrompts: async (workspace) => (await ask(client.mcpPrompts({ query: { workspace } }))).prompts,
    async compact(id) {
      await ask(client.compact({ params: { id }, body: { onAsk: 'wait' } }));
    },
    async shell(id, command) {
      await ask(client.shell({ params: { id }, body: { command, onAsk: 'wait' } }));
    },
  };
}

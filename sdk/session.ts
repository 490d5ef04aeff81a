import { advance, isParked, isReceivable, loadState, type Engine } from '@klaus/core/agent';
import type { SqliteStore } from '@klaus/adapters/store';
import type { Command, Part } from '@klaus/core/protocol';
import type { Session } from './klaus.ts';

/** A handle on a session; cheap, holds nothing. */
export function createSession(engine: Engine, store: SqliteStore, id: string): Session {
  const send = async (command: Command): Promise<string> => {
    await store.send(id, command);
    return command.id;
  };
  return {
    id,
    async prompt(content, { onAsk = 'deny', delivery = 'steer' } = {}) {
      // A prompt is durable once it is sent: without its model it would wait, and run beside the one typed after it.
      const row = store.session(id);
      if (row?.model && !store.isClaimed(id)) await engine.models.resolve(row.model);
      const parts: Part[] = typeof content === 'string' ? [{ type: 'text', text: content }] : [...content];
      return send({ type: 'prompt', id: engine.ids.ulid(), parts, onAsk, delivery });
    },
    async send(command) {
      const given = { ...command, id: engine.ids.ulid() } as Command;
      if (given.type !== 'change' || given.model === undefined) return send(given);
      // A name that nothing answers to would keep every later run of the session from beginning.
      const { name } = await engine.models.resolve(given.model);
      return send({ ...given, model: name });
    },
    advance: (options = {}) => advance(engine, id, options),
    isRunnable() {
      const state = loadState(engine, id);
      if (store.inbox(id).some((command) => isReceivable(state, command))) return true;
      return state.run !== undefined && !isParked(state, engine.clock.now());
    },
    events: (after = 0) => store.read(id, after),
    subscribe: (after, listener) => store.subscribe(id, after, listener),
    onLive: (listener) =>
      store.onLive((live) => {
        if (live.session === id) listener(live);
      }),
  };
}

import { advance, loadState, type Engine } from '@klaus/core/agent';
import type { SqliteStore } from '@klaus/adapters/store';
import type { Command } from '@klaus/core/protocol';
import type { Session } from './klaus.ts';

/** A handle on a session; cheap, holds nothing. */
export function createSession(engine: Engine, store: SqliteStore, id: string): Session {
  const send = async (command: Command): Promise<string> => {
    await store.send(id, command);
    return command.id;
  };
  return {
    id,
    prompt: (content, { onAsk = 'deny', delivery = 'steer' } = {}) =>
      send({
        type: 'prompt',
        id: engine.ids.ulid(),
        parts: typeof content === 'string' ? [{ type: 'text', text: content }] : [...content],
        onAsk,
        delivery,
      }),
    send: (command) => send({ ...command, id: engine.ids.ulid() } as Command),
    advance: (options = {}) => advance(engine, id, options),
    isRunnable() {
      if (store.inbox(id).length > 0) return true;
      const { run, approvals } = loadState(engine, id);
      return run !== undefined && approvals.size === 0;
    },
    events: (after = 0) => store.read(id, after),
    subscribe: (after, listener) => store.subscribe(id, after, listener),
    onLive: (listener) =>
      store.onLive((live) => {
        if (live.session === id) listener(live);
      }),
  };
}

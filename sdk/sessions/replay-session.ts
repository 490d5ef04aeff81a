import { readLog, type Engine, type Replayed, type ReplayedRequest, type SessionStore } from '@klaus/core/agent';

/** See `Session.replay`. */
export async function replaySession(
  { engine, store, session }: { engine: Engine; store: SessionStore; session: string },
  { onRequest }: { onRequest?: (request: ReplayedRequest) => void } = {},
): Promise<Replayed> {
  const { replay } = await import('@klaus/core/replay');
  return await replay({
    events: await readLog(store, session),
    tools: engine.tools,
    settings: engine.settings,
    ids: engine.ids,
    idle: () => new Promise((resolve) => setImmediate(() => setImmediate(resolve))),
    onRequest,
  });
}

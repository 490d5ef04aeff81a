import type { Engine, SessionStore } from '@klaus/core/agent';
import type { Event } from '@klaus/core/protocol';
import type { Configuration } from '../config/configuration.ts';
import { VERSION } from '../version.ts';

export type Traced = Awaited<ReturnType<typeof traceRuns>>;

/**
 * The store of the engine, with traced appends if configured. Without KLAUS_OTEL no code for traces is loaded. Spans are created from durable events: runs do not wait for them and do
 * not fail because of them.
 */
export async function traceRuns(
  store: SessionStore,
  { configuration, env }: { configuration: Configuration; env: Readonly<Record<string, string | undefined>> },
) {
  if (!configuration.get('telemetry.traces') || env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') {
    return { store, close: async () => {} };
  }
  const { createTracing } = await import('@klaus/adapters/telemetry');
  const tracing = createTracing({
    version: VERSION,
    content: configuration.get('telemetry.content'),
    readBefore: (session, seq) => readBefore(store, session, seq),
    async findRun(session, call) {
      return (await store.eventsOf(session, ['tool.started'])).find((event) => event.call === call)?.run;
    },
  });
  const append: Engine['store']['append'] = async (...given) => {
    const events = await store.append(...given);
    tracing.add(events);
    return events;
  };
  return { store: { ...store, append }, close: () => tracing.close() };
}

async function* readBefore(
  store: Pick<SessionStore, 'eventsOf' | 'read'>,
  session: string,
  seq: number,
): AsyncGenerator<Event, void, undefined> {
  const all = await store.eventsOf(session, ['session.opened', 'session.changed', 'run.started', 'run.finished']);
  const known = all.filter((event) => event.seq < seq);
  const lastRun = known.findLast(({ type }) => type === 'run.started' || type === 'run.finished');
  const from = lastRun?.type === 'run.started' ? lastRun.seq : seq;
  yield* known.filter((event) => event.seq < from);
  if (from >= seq) return;
  for await (const events of store.read(session, from - 1)) {
    for (const event of events) {
      if (event.seq >= seq) return;
      yield event;
    }
  }
}

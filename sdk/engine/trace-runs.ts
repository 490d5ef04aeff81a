import type { Engine, SessionStore, StoreView, ViewedStore } from '@klaus/core/agent';
import { KlausError, type Event } from '@klaus/core/protocol';
import type { Configuration } from '../config/configuration.ts';
import { VERSION } from '../version.ts';

export type Traced = Awaited<ReturnType<typeof traceRuns>>;

/**
 * The store of the engine, with traced appends if configured. Without KLAUS_OTEL no code for traces is loaded. Spans are created from durable events: runs do not wait for them and do
 * not fail because of them.
 */
export async function traceRuns(
  store: SessionStore & Partial<Pick<ViewedStore, 'view'>>,
  { configuration, env }: { configuration: Configuration; env: Readonly<Record<string, string | undefined>> },
) {
  if (!configuration.get('telemetry.traces') || env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') {
    return { store, close: async () => {} };
  }
  const { view } = store;
  if (!view) {
    throw new KlausError('config', 'Spans are not exported from a store on several machines.', {
      hint: 'Set `telemetry.traces` to false.',
    });
  }
  const { createTracing } = await import('@klaus/adapters/telemetry');
  const tracing = createTracing({
    version: VERSION,
    content: configuration.get('telemetry.content'),
    readBefore: (session, seq) => readBefore(view, session, seq),
    findRun: (session, call) => view.eventsOf(session, ['tool.started']).find((event) => event.call === call)?.run,
  });
  const append: Engine['store']['append'] = async (...given) => {
    const events = await store.append(...given);
    tracing.add(events);
    return events;
  };
  return { store: { ...store, append }, close: () => tracing.close() };
}

function* readBefore(view: StoreView, session: string, seq: number): Generator<Event> {
  const known = view
    .eventsOf(session, ['session.opened', 'session.changed', 'run.started', 'run.finished'])
    .filter((event) => event.seq < seq);
  const lastRun = known.findLast(({ type }) => type === 'run.started' || type === 'run.finished');
  const from = lastRun?.type === 'run.started' ? lastRun.seq : seq;
  yield* known.filter((event) => event.seq < from);
  for (const event of from < seq ? view.events(session, from - 1) : []) {
    if (event.seq >= seq) return;
    yield event;
  }
}

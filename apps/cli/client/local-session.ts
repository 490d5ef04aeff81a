import type { Event, Klaus, QueuedMessage } from '@klaus/sdk';
import { createLiveRelay } from './live-relay.ts';
import type { FollowedSession, FollowOptions } from '@klaus/sdk/client';

/** Works on a session in this process and reports its events. */
export async function followLocal(klaus: Klaus, options: FollowOptions): Promise<FollowedSession> {
  const { after, onEarlierEvent, onLive } = options;
  const session = await klaus.session(options.session);
  if (after > 0 && onEarlierEvent) {
    // Only calls of the last turn can still be open.
    const begun = await klaus.store.lastOf(session.id, ['turn.started']);
    for await (const event of session.events(begun?.seq ?? 0)) if (event.seq <= after) onEarlierEvent(event);
  }
  const relay = createLiveRelay(klaus, session);
  const unsubscribe = session.subscribe(after, (event: Event) => {
    relay.event(event);
    options.onEvent(event);
  });
  const unsubscribeLive = onLive && session.onLive(onLive);
  const unsubscribeQueue = options.onQueue && followQueue(klaus, { ...options, session: session.id });
  return {
    async wait({ last }) {
      try {
        return await session.advance({ last });
      } catch (error) {
        throw await addHint(error, { session: session.id, isNew: after === 0 });
      }
    },
    isRunnable: () => session.isRunnable(),
    async cancel(reason) {
      const run = await findOpenRun(klaus, session.id);
      await session.send({ type: 'cancel', by: 'cli', reason, run });
    },
    async answer(approval, reply, given) {
      await klaus.answer(approval, reply, { by: 'cli', raise: true, ...given });
    },
    // A parked session is not read here, so answers of other processes are seen only when it is advanced.
    untilAnswered: () => new AbortController().signal,
    async [Symbol.asyncDispose]() {
      unsubscribeLive?.();
      unsubscribeQueue?.();
      relay.close();
      unsubscribe();
    },
  };
}

/** Reports the messages in the inbox at the start and after each change. */
function followQueue(klaus: Klaus, { session, after, onQueue = () => {} }: FollowOptions): () => void {
  let shown = '';
  const report = async (): Promise<void> => {
    const messages = await readQueue(klaus, session);
    const text = messages.map(({ command }) => command).join(' ');
    if (text === shown) return;
    shown = text;
    onQueue(messages);
  };
  const isTaken = ({ type }: Event): boolean => type === 'message.added' || type === 'run.started';
  const stops = [
    klaus.store.onSend(session, () => void report()),
    klaus.handle(session).subscribe(after, (event) => void (isTaken(event) && report())),
  ];
  void report();
  return () => stops.forEach((stop) => stop());
}

/** The messages in the inbox of a session that no run has taken. */
export async function readQueue({ store }: Klaus, session: string): Promise<QueuedMessage[]> {
  const { toQueuedMessages } = await import('@klaus/sdk');
  return toQueuedMessages(await store.inbox(session));
}

/** The run of a session that has not ended; undefined if there is none. */
export async function findOpenRun({ store }: Klaus, session: string): Promise<string | undefined> {
  const last = await store.lastOf(session, ['run.started', 'run.finished']);
  return last?.type === 'run.started' ? last.run : undefined;
}

/** An error of the engine with a hint that names the session. */
async function addHint(error: unknown, { session, isNew }: { session: string; isNew: boolean }): Promise<unknown> {
  const { isKlausError, KlausError } = await import('@klaus/sdk');
  if (!isKlausError(error)) return error;
  const { code, message } = error;
  let { hint = '' } = error;
  if (code === 'workspace.missing' && !isNew)
    hint = `The session works there. Restore the folder; \`klaus show ${session}\` prints what was done.`;
  else if (code === 'store.full') hint = `${hint} Then continue with \`klaus resume ${session}\`.`.trimStart();
  else return error;
  return new KlausError(code, message, { hint, cause: error });
}

import { createHmac } from 'node:crypto';
import type { Delivery, Klaus, OutboxDelivery } from '@klaus/sdk';
import { messageOf } from '@klaus/sdk/message-of';
import type { Log } from '../observability/log.ts';
import { collectWebhooks, toDeliveryId } from './webhook-message.ts';

/** Milliseconds after which one request times out. */
const TIMEOUT_MS = 10_000;
/** Most milliseconds between two attempts. */
const MAX_PAUSE_MS = 900_000;
/** Most messages in flight, each of another session. */
const MAX_IN_FLIGHT = 4;
/** Milliseconds between two checks whether the delivering process has ended. */
const TICK_MS = 5_000;
/** Milliseconds for which a shutdown waits for messages in flight. */
const GRACE_MS = 2_000;

export interface WebhookOptions {
  klaus: Klaus;
  url: string;
  /** Signs each message. Absent: messages are not signed. */
  secret: string | undefined;
  /** Milliseconds before the second attempt; four times as many before each further one, up to 15 minutes. */
  retryMs: number;
  /** Milliseconds after which a message is dropped. */
  giveUpMs: number;
  /** True for a session that runs here. Others, and copies of them, cause no message. */
  isOwn: (session: string) => boolean;
  log: Log;
}

/**
 * Notifies another server when a run has ended or waits for an approval.
 *
 * Each message is stored in the outbox together with its event, so that it survives a crash. It is sent until it is
 * accepted or dropped, in order within a session, and twice only if the outcome of the first request is unknown. If
 * several servers share a database, one of them sends.
 */
export function createWebhook(options: WebhookOptions) {
  const { klaus, isOwn, log } = options;
  const quit = new AbortController();
  const inFlight = new Map<number, Promise<void>>();
  /** Delivered or given up since the last query began: its answer may still contain them. */
  const finished = new Set<number>();
  let outbox: OutboxDelivery | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosing = false;
  let requestedAt = 0;

  collectWebhooks(klaus.store, isOwn);

  const deliver = async (delivery: Delivery, from: OutboxDelivery): Promise<void> => {
    const { id, session, seq, attempts } = delivery;
    const failure = await post(delivery, options, quit.signal);
    // The outcome is unknown: the next server sends it again, with the same id.
    if (quit.signal.aborted && failure !== undefined) return;
    if (failure === undefined) return from.remove(id);
    const fields = { session, seq, attempt: attempts + 1, problem: failure };
    if (Date.now() - delivery.createdAt >= options.giveUpMs) {
      log.error('a webhook was dropped: it was never accepted', fields);
      return from.remove(id);
    }
    log.warn('a webhook was not accepted', fields);
    return from.postpone(id, Date.now() + Math.min(MAX_PAUSE_MS, options.retryMs * 4 ** attempts));
  };

  const sendOnce = async (): Promise<void> => {
    clearTimeout(timer);
    if (quit.signal.aborted) return;
    if (!outbox && Date.now() - requestedAt >= TICK_MS) {
      requestedAt = Date.now();
      outbox = await klaus.store.outbox.deliver();
    }
    if (outbox) {
      finished.clear();
      for (const delivery of await outbox.due(Date.now())) {
        if (inFlight.size >= MAX_IN_FLIGHT) break;
        if (inFlight.has(delivery.id) || finished.has(delivery.id)) continue;
        const sent = deliver(delivery, outbox)
          .catch((error: unknown) => log.error('the state of a webhook could not be stored', { error }))
          .finally(() => {
            inFlight.delete(delivery.id);
            finished.add(delivery.id);
            void send();
          });
        inFlight.set(delivery.id, sent);
      }
    }
    const next = outbox && ((await outbox.nextAt()) ?? Infinity) - Date.now();
    clearTimeout(timer);
    // A message that is due and not in flight is sent when another one ends.
    if (!isClosing)
      timer = setTimeout(() => void send(), Math.min(TICK_MS, next !== undefined && next > 0 ? next : TICK_MS)).unref();
  };
  let sending = Promise.resolve();
  const send = (): Promise<void> => {
    sending = sending.then(sendOnce).catch((error: unknown) => {
      log.error('the pending webhooks could not be read', { error });
      if (!isClosing) timer = setTimeout(() => void send(), TICK_MS).unref();
    });
    return sending;
  };
  // Every commit of any process may have added a message. The query reads a small table.
  const stopWatching = klaus.store.view.watch(() => void send());
  void send();

  return {
    /** Waits shortly for messages in flight. The next server sends the rest. */
    async close(): Promise<void> {
      isClosing = true;
      stopWatching();
      await send();
      const giveUp = setTimeout(() => quit.abort(), GRACE_MS);
      while (inFlight.size > 0) await Promise.all(inFlight.values());
      clearTimeout(giveUp);
      clearTimeout(timer);
      quit.abort();
      await outbox?.release();
    },
  };
}

/** Undefined if the message was accepted; otherwise the reason. */
async function post(
  delivery: Delivery,
  { url, secret }: Pick<WebhookOptions, 'url' | 'secret'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { body } = delivery;
  const time = String(Math.floor(Date.now() / 1_000));
  const signature = secret === undefined ? {} : { 'x-klaus-signature': `sha256=${sign(secret, time, body)}` };
  const own = { 'x-klaus-delivery': toDeliveryId(delivery), 'x-klaus-timestamp': time };
  try {
    const response = await fetch(url, {
      method: 'POST',
      // The user chose this address, and not the target of a redirect.
      redirect: 'manual',
      headers: { 'content-type': 'application/json', ...own, ...signature },
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    await response.body?.cancel();
    if (response.status >= 300 && response.status < 400) return `status ${response.status}: redirects are not followed`;
    return response.ok ? undefined : `status ${response.status}`;
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
    return `${messageOf(error)}${cause}`;
  }
}

/** HMAC-SHA256 over `TIMESTAMP.BODY`, hexadecimal. The signed time prevents the replay of an old message. */
function sign(secret: string, time: string, body: string): string {
  return createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
}

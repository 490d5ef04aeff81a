import { createHmac } from 'node:crypto';
import type { Delivery, Event, EventOf, Klaus, OutboxDelivery, SessionRow } from '@klaus/sdk';
import type { Log } from '../observability/log.ts';

/** Milliseconds that one try may take. */
const TIMEOUT_MS = 10_000;
/** Milliseconds between two tries at most. */
const MAX_PAUSE_MS = 900_000;
/** Messages on their way at the same time, each of another session. */
const AT_ONCE = 4;
/** Milliseconds between two looks whether the process that delivers is gone. */
const TICK_MS = 5_000;
/** Milliseconds that a server which goes down waits for what is on its way. */
const GRACE_MS = 2_000;

export interface WebhookOptions {
  klaus: Klaus;
  url: string;
  /** Signs each message. Absent: none is signed. */
  secret: string | undefined;
  /** Milliseconds before the second try; four times as many before each further one, up to 15 minutes. */
  retryMs: number;
  /** Milliseconds after which a message is given up. */
  giveUpMs: number;
  /** True for a session that is worked on here: others, and copies of them, are not told. */
  isOurs: (session: string) => boolean;
  log: Log;
}

/** Tells another server when a run has ended, or waits for a human. */
export interface Webhook {
  /** Waits a moment for what is on its way; what is left goes out with the next server. */
  close(): Promise<void>;
}

/**
 * What is told is written with the event, so that it survives whatever happens to this process: each message is sent
 * until it is taken or given up, those of one session in their order, and again only where it cannot be known whether
 * it was taken. Of several servers on one database one sends.
 */
export function createWebhook(options: WebhookOptions): Webhook {
  const { klaus, isOurs, log } = options;
  const quit = new AbortController();
  const underWay = new Map<number, Promise<void>>();
  /** Delivered or given up since the last query began: its answer may still contain them. */
  const finished = new Set<number>();
  let right: OutboxDelivery | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosing = false;
  let asked = 0;

  klaus.store.outbox.collect((event, readSession) =>
    (event.type === 'run.finished' || event.type === 'approval.asked') && isOurs(event.session)
      ? JSON.stringify(toMessage(event, readSession()))
      : undefined,
  );

  const deliver = async (delivery: Delivery, outbox: OutboxDelivery): Promise<void> => {
    const { id, session, seq, attempts } = delivery;
    const problem = await post(delivery, options, quit.signal);
    // Whether it was taken is not known: the next server asks again, by the same id.
    if (quit.signal.aborted && problem !== undefined) return;
    if (problem === undefined) return outbox.remove(id);
    const told = { session, seq, attempt: attempts + 1, problem };
    if (Date.now() - delivery.createdAt >= options.giveUpMs) {
      log.error('a webhook is given up: it was never taken', told);
      return outbox.remove(id);
    }
    log.warn('a webhook was not taken', told);
    return outbox.postpone(id, Date.now() + Math.min(MAX_PAUSE_MS, options.retryMs * 4 ** attempts));
  };

  const lookOnce = async (): Promise<void> => {
    clearTimeout(timer);
    if (quit.signal.aborted) return;
    if (!right && Date.now() - asked >= TICK_MS) {
      asked = Date.now();
      right = await klaus.store.outbox.deliver();
    }
    const outbox = right;
    if (outbox) {
      finished.clear();
      for (const delivery of await outbox.due(Date.now())) {
        if (underWay.size >= AT_ONCE) break;
        if (underWay.has(delivery.id) || finished.has(delivery.id)) continue;
        const sent = deliver(delivery, outbox)
          .catch((error: unknown) => log.error('a webhook could not be kept', { error }))
          .finally(() => {
            underWay.delete(delivery.id);
            finished.add(delivery.id);
            void look();
          });
        underWay.set(delivery.id, sent);
      }
    }
    const next = outbox && ((await outbox.nextAt()) ?? Infinity) - Date.now();
    clearTimeout(timer);
    // One that is due and not under way waits for a place, which comes with the end of another.
    if (!isClosing)
      timer = setTimeout(() => void look(), Math.min(TICK_MS, next !== undefined && next > 0 ? next : TICK_MS)).unref();
  };
  let looking = Promise.resolve();
  const look = (): Promise<void> => (looking = looking.then(lookOnce));
  // A command, an event, an answer of any process: what is new among them is found by one look at a small table.
  const stopWatching = klaus.store.view.watch(() => void look());
  void look();

  return {
    async close() {
      isClosing = true;
      stopWatching();
      await look();
      const giveUp = setTimeout(() => quit.abort(), GRACE_MS);
      while (underWay.size > 0) await Promise.all(underWay.values());
      clearTimeout(giveUp);
      clearTimeout(timer);
      quit.abort();
      await right?.release();
    },
  };
}

function toMessage(event: EventOf<'run.finished' | 'approval.asked'>, row: SessionRow | undefined): object {
  const about = {
    id: toDeliveryId(event),
    type: event.type,
    at: event.at,
    session: event.session,
    run: event.run,
    title: row?.title ?? null,
  };
  if (event.type === 'approval.asked') {
    return {
      ...about,
      approval: event.approval,
      question: event.title,
      reason: event.reason,
      expiresAt: event.expiresAt,
    };
  }
  const { outcome, reason, usage, usd, turns, toolCalls } = event;
  return { ...about, workspace: row?.workspace, model: row?.model, outcome, reason, usage, usd, turns, toolCalls };
}

/** The same for each try, over every restart. */
function toDeliveryId({ session, seq }: Pick<Event, 'session' | 'seq'>): string {
  return `${session}-${seq}`;
}

/** Undefined when it was taken; what went wrong otherwise. */
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
      // The address is the user's own choice; where it points to further is not.
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
    return error instanceof Error ? `${error.message}${cause}` : String(error);
  }
}

/** HMAC-SHA256 over `TIMESTAMP.BODY`, hexadecimal: the time is signed too, so that no old message can be sent again. */
function sign(secret: string, time: string, body: string): string {
  return createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
}

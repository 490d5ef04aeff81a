import { createHmac } from 'node:crypto';
import type { Event, EventOf, Klaus } from '@klaus/sdk';
import type { Log } from './log.ts';

/** Tries for one message, the first included. */
const ATTEMPTS = 5;
/** Milliseconds that one try may take. */
const TIMEOUT_MS = 10_000;

export interface WebhookOptions {
  klaus: Klaus;
  url: string;
  /** Signs each message. Absent: none is signed. */
  secret: string | undefined;
  /** Milliseconds before the second try; four times as many before each further one. */
  retryMs: number;
  log: Log;
}

/** Tells another server when a run has ended, or waits for a human. */
export interface Webhook {
  /** An event of a session that this server works on. */
  tell(event: Event): void;
  /** Gives up what is not delivered yet. */
  close(): void;
}

export function createWebhook({ klaus, url, secret, retryMs, log }: WebhookOptions): Webhook {
  const quit = new AbortController();

  const deliver = async (body: string, id: string): Promise<void> => {
    for (let attempt = 1; ; attempt++) {
      const problem = await post({ url, body, id, secret, signal: quit.signal });
      if (problem === undefined || quit.signal.aborted) return;
      log.warn('a webhook was not taken', { attempt, problem });
      if (attempt === ATTEMPTS) return;
      await pause(retryMs * 4 ** (attempt - 1), quit.signal);
    }
  };

  return {
    tell(event) {
      if (event.type !== 'run.finished' && event.type !== 'approval.asked') return;
      const id = `${event.session}-${event.seq}`;
      void deliver(JSON.stringify(toMessage(klaus, event, id)), id);
    },
    close: () => quit.abort(),
  };
}

function toMessage(klaus: Klaus, event: EventOf<'run.finished' | 'approval.asked'>, id: string): object {
  const row = klaus.store.session(event.session);
  const about = {
    id,
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

interface Post {
  url: string;
  body: string;
  id: string;
  secret: string | undefined;
  signal: AbortSignal;
}

/** Undefined when it was taken; what went wrong otherwise. */
async function post({ url, body, id, secret, signal }: Post): Promise<string | undefined> {
  const time = String(Math.floor(Date.now() / 1_000));
  const signature = secret === undefined ? {} : { 'x-klaus-signature': `sha256=${sign(secret, time, body)}` };
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'error',
      headers: { 'content-type': 'application/json', 'x-klaus-delivery': id, 'x-klaus-timestamp': time, ...signature },
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    await response.body?.cancel();
    return response.ok ? undefined : `status ${response.status}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** HMAC-SHA256 over `TIMESTAMP.BODY`, hexadecimal: the time is signed too, so that no old message can be sent again. */
function sign(secret: string, time: string, body: string): string {
  return createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms).unref();
    signal.addEventListener('abort', done, { once: true });
  });
}

import { createParser } from 'eventsource-parser';
import { messageOf } from '@klaus/core/message-of';
import { byeSchema, type Bye } from '../contract/index.ts';
import { isProblemError } from './problem-error.ts';
import { type Connection, request } from './request.ts';

/** `live`: connected. `waiting`: disconnected until `retryAt` (Unix milliseconds). */
export type StreamState =
  | { state: 'connecting' }
  | { state: 'live' }
  | { state: 'waiting'; retryAt: number; reason: string }
  /** No more attempts: the token is wrong, or the resource no longer exists. */
  | { state: 'ended'; reason: string };

/** @typeParam S The data of the events by their names. */
export interface FollowOptions<S> {
  connection: Connection;
  /** Returns the address before each attempt: it may contain the last seq. */
  path: () => string;
  on: { readonly [N in keyof S]?: (data: S[N]) => void };
  onState?: (state: StreamState) => void;
  signal: AbortSignal;
}

/** Milliseconds without data after which a connection counts as broken: two keep-alives were missed. */
const SILENCE_MS = 40_000;
const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 15_000;

/**
 * Reads a stream of server-sent events and reconnects until the signal is aborted or the server refuses. Resolves at the
 * end; never rejects.
 */
export async function follow<S>(options: FollowOptions<S>): Promise<void> {
  const { signal, onState } = options;
  const report = (state: StreamState): void => {
    if (!signal.aborted) onState?.(state);
  };
  let failures = 0;
  while (!signal.aborted) {
    report({ state: 'connecting' });
    let reason = 'The connection was closed.';
    let wait: number | undefined;
    try {
      const bye = await readOnce(options, () => {
        failures = 0;
        report({ state: 'live' });
      });
      wait = bye?.retryMs;
      reason = bye?.reason ?? reason;
    } catch (error) {
      if (signal.aborted) return;
      reason = messageOf(error);
      if (isProblemError(error) && [401, 403, 404, 410].includes(error.problem.status)) {
        report({ state: 'ended', reason });
        return;
      }
    }
    if (signal.aborted) return;
    const backoff = Math.min(FIRST_RETRY_MS * 2 ** failures, LAST_RETRY_MS);
    failures += 1;
    const ms = wait ?? backoff * (0.75 + Math.random() / 2);
    report({ state: 'waiting', retryAt: Date.now() + ms, reason });
    await pause(ms, signal);
  }
}

/** @returns The `bye` event of the server with the time to reconnect; undefined without one. */
async function readOnce<S>(options: FollowOptions<S>, onOpen: () => void): Promise<Bye | undefined> {
  const { connection, path, on, signal } = options;
  const quit = new AbortController();
  const either = AbortSignal.any([signal, quit.signal]);
  let silence: ReturnType<typeof setTimeout> | undefined;
  const listen = (): void => {
    clearTimeout(silence);
    silence = setTimeout(() => quit.abort(), SILENCE_MS);
  };
  let bye: Bye | undefined;
  const parser = createParser({
    onEvent({ event = '', data }) {
      if (event === 'bye') bye = byeSchema.parse(JSON.parse(data));
      if (!signal.aborted && Object.hasOwn(on, event)) on[event as keyof S]?.(JSON.parse(data) as S[keyof S]);
    },
  });
  try {
    listen();
    const headers = { accept: 'text/event-stream' };
    const response = await request(connection, { method: 'GET', path: path(), headers, signal: either });
    onOpen();
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return bye;
      listen();
      parser.feed(value);
    }
  } finally {
    clearTimeout(silence);
    quit.abort();
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });
}

import type { ServerResponse } from 'node:http';
import type { PlayedWire } from './played-wire.ts';
import type { Fault, Step } from './script.ts';

export interface Delivery {
  frames: Iterable<string>;
  toErrorFrame: PlayedWire['toErrorFrame'];
  step: Pick<Step, 'pace'>;
  fault: Fault | undefined;
}

const KEEP_ALIVE = ': keep-alive\n\n';
/** Milliseconds between the comments of a hang. */
const KEEP_ALIVE_EVERY = 20;

/** Sends a stream of server-sent events, with the fault in it. Resolves when nothing more will be sent. */
export async function deliverStream(
  response: ServerResponse,
  { frames, toErrorFrame, step, fault }: Delivery,
): Promise<void> {
  const at = fault && 'after' in fault ? fault.after : Infinity;
  const slow = fault?.kind === 'slow' ? fault : undefined;
  if (fault?.kind === 'reset' && at === 0) {
    response.socket?.resetAndDestroy();
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  response.flushHeaders();
  let sent = 0;
  for (const frame of frames) {
    if (sent >= at) break;
    const pace = slow?.pace ?? step.pace ?? 0;
    if (pace > 0 && sent > 0) await wait(pace, response);
    if (slow?.keepAlive) response.write(KEEP_ALIVE);
    if (response.destroyed) return;
    if (!response.write(frame)) await drained(response);
    sent++;
  }
  await end(response, fault && 'after' in fault ? fault : undefined, toErrorFrame);
}

type MidStream = Extract<Fault, { after: number }>;

async function end(response: ServerResponse, fault: MidStream | undefined, toErrorFrame: Delivery['toErrorFrame']) {
  switch (fault?.kind) {
    case 'reset':
      // A TCP reset could overtake what was written; closing in mid-response breaks it just as well.
      await flushed(response);
      response.socket?.destroy();
      return;
    case 'malformed':
      response.end('event: message_delta\ndata: {"this is not": JSON\n\n');
      return;
    case 'error':
      response.end(toErrorFrame(fault.status, toFaultMessage(fault)));
      return;
    case 'hang':
      return hang(response, fault.keepAlive);
    case 'truncate':
    case undefined:
      response.end();
  }
}

export async function deliverDocument(
  response: ServerResponse,
  document: unknown,
  { fault, toError }: { fault: Fault | undefined; toError: PlayedWire['toError'] },
): Promise<void> {
  const text = JSON.stringify(document);
  switch (fault?.kind) {
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
    case 'truncate':
      return send(response, text.slice(0, text.length / 2));
    case 'malformed':
      return send(response, '{"this is not": JSON');
    case 'error':
      return send(response, JSON.stringify(toError(fault.status, toFaultMessage(fault))));
    case 'hang':
      response.writeHead(200, { 'content-type': 'application/json' });
      response.flushHeaders();
      return hang(response, false);
    default:
      if (fault?.kind === 'slow') await wait(fault.pace, response);
      send(response, text);
  }
}

function send(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(text);
}

export function toFaultMessage({ status, message }: { status: number; message?: string }): string {
  if (message !== undefined) return message;
  if (status === 429) return 'This request would exceed your rate limit.';
  if (status === 529 || status === 503) return 'Overloaded';
  if (status >= 500) return 'Internal server error';
  if (status === 401) return 'invalid x-api-key';
  return `Injected fault ${status}.`;
}

/** Sends nothing more, or nothing but comments, until the client leaves or the server closes. */
async function hang(response: ServerResponse, keepAlive: boolean): Promise<void> {
  while (!response.destroyed) {
    if (keepAlive) response.write(KEEP_ALIVE);
    await wait(keepAlive ? KEEP_ALIVE_EVERY : 2 ** 31 - 1, response);
  }
}

/** Resolves after `ms`, or at once when the connection is gone. */
export function wait(ms: number, response: ServerResponse): Promise<void> {
  return until(response, (resolve) => {
    const timer = setTimeout(resolve, ms);
    return () => clearTimeout(timer);
  });
}

function drained(response: ServerResponse): Promise<void> {
  return until(response, (resolve) => {
    response.once('drain', resolve);
    return () => response.off('drain', resolve);
  });
}

function flushed(response: ServerResponse): Promise<void> {
  return until(response, (resolve) => {
    response.write('', () => setImmediate(resolve));
    return () => {};
  });
}

function until(response: ServerResponse, start: (resolve: () => void) => () => void): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed) return resolve();
    const finish = () => {
      stop();
      response.off('close', finish);
      resolve();
    };
    const stop = start(finish);
    response.once('close', finish);
  });
}

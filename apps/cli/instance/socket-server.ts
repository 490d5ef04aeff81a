import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { z } from 'zod';
import { CliError } from '../program/cli-error.ts';
import { ACTIONS, PAYLOADS, type Action, type Actions } from './protocol.ts';
import { SocketError, toSentError } from './socket-error.ts';

/** Characters of a request line. */
const MAX_LINE = 1_048_576;

const requestSchema = z.object({ action: z.string(), payload: z.unknown().optional() });

/** Actions whose payload has no required field, so that it can be absent. */
const OPTIONAL_PAYLOAD: ReadonlySet<Action> = new Set(['ping', 'status', 'checkout', 'interrupt']);

/**
 * Serves a protocol of one JSON object a line on a Unix socket with mode 0600. Requests of one connection are answered
 * in order, one after the other; connections do not wait for each other.
 *
 * @returns A function that closes the socket and its connections, after the answers to requests that are in progress.
 */
export async function serveSocket(path: string, actions: Actions): Promise<() => Promise<void>> {
  const connections = new Map<Socket, Promise<void>>();
  const server = createServer({ allowHalfOpen: true }, (connection) => {
    connection.on('error', () => connection.destroy());
    connection.once('close', () => connections.delete(connection));
    connections.set(connection, answerAll(connection, actions));
  });
  const mask = process.umask(0o177);
  try {
    server.listen(path);
    await once(server, 'listening');
  } catch (cause) {
    throw new CliError('config', `The socket ${path} cannot be opened: ${(cause as Error).message}.`, {
      hint: 'Set `socketDir` (KLAUS_SOCKET_DIR) to a folder in which this system allows sockets.',
      cause,
    });
  } finally {
    process.umask(mask);
  }
  chmodSync(path, 0o600);
  return async () => {
    const closed = once(server, 'close');
    server.close();
    for (const connection of connections.keys()) connection.pause().push(null);
    await Promise.all(connections.values());
    await closed;
  };
}

async function answerAll(connection: Socket, actions: Actions): Promise<void> {
  connection.setEncoding('utf8');
  try {
    for await (const line of readLines(connection)) {
      if (line.trim() === '') continue;
      connection.write(`${JSON.stringify(await answer(line, actions))}\n`);
    }
  } catch (error) {
    if (error instanceof SocketError) connection.write(`${JSON.stringify({ ok: false, error: toSentError(error) })}\n`);
  }
  connection.end();
  // A client that still sends would otherwise lose the answer.
  connection.resume();
}

/** @throws SocketError `E_REQUEST_TOO_LARGE`. */
async function* readLines(connection: Socket): AsyncGenerator<string, void, undefined> {
  let rest = '';
  for await (const piece of connection.iterator({ destroyOnReturn: false }) as AsyncIterable<string>) {
    const lines = `${rest}${piece}`.split('\n');
    rest = lines.pop()!;
    for (const line of lines) yield toAllowed(line);
    toAllowed(rest);
  }
  yield rest;
}

/** @throws SocketError `E_REQUEST_TOO_LARGE`. */
function toAllowed(line: string): string {
  if (line.length <= MAX_LINE) return line;
  throw new SocketError('E_REQUEST_TOO_LARGE', `A request has at most ${MAX_LINE} characters.`);
}

async function answer(line: string, actions: Actions): Promise<unknown> {
  try {
    const { action, payload } = parseRequest(line);
    const parsed = PAYLOADS[action].safeParse(payload ?? (OPTIONAL_PAYLOAD.has(action) ? {} : undefined));
    if (!parsed.success) throw new SocketError('E_INVALID_PAYLOAD', z.prettifyError(parsed.error));
    // The table pairs each action with its payload.
    const act = actions[action] as (given: unknown) => Promise<unknown>;
    return { ok: true, result: await act(parsed.data) };
  } catch (error) {
    return { ok: false, error: toSentError(error) };
  }
}

function parseRequest(line: string): { action: Action; payload: unknown } {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new SocketError('E_INVALID_JSON', 'The line is not JSON.');
  }
  const request = requestSchema.safeParse(value);
  if (!request.success) throw new SocketError('E_INVALID_JSON', 'A request is an object with a text `action`.');
  const { action, payload } = request.data;
  const known = ACTIONS.find((each) => each === action);
  if (!known)
    throw new SocketError(
      'E_UNSUPPORTED_ACTION',
      `There is no action ${JSON.stringify(action)}; there are ${ACTIONS.join(', ')}.`,
    );
  return { action: known, payload };
}

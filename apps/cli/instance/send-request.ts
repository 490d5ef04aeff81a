import { connect } from 'node:net';
import { CliError } from '../program/cli-error.ts';
import { checkForeign } from './socket-path.ts';
import type { Action, SocketAnswer, SocketRequest } from './protocol.ts';

/**
 * Sends a request to the socket of an instance, if it and the folders above it belong to the user.
 *
 * @throws CliError `store.busy` if no process answers, `config` if another user could answer.
 */
export async function sendRequest<A extends Action>(
  socket: string,
  request: SocketRequest & { action: A },
): Promise<SocketAnswer<A>> {
  checkForeign(socket);
  const connection = connect(socket);
  try {
    connection.setEncoding('utf8');
    connection.end(`${JSON.stringify(request)}\n`);
    let text = '';
    for await (const piece of connection as AsyncIterable<string>) text += piece;
    return JSON.parse(text) as SocketAnswer<A>;
  } catch (cause) {
    throw new CliError('store.busy', `No process answers at ${socket}: ${(cause as Error).message}.`, {
      hint: '`klaus instances` lists the running instances.',
      cause,
    });
  } finally {
    connection.destroy();
  }
}

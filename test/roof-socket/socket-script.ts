import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** An answer of the socket. */
export interface Answer {
  ok: boolean;
  // oxlint-disable-next-line typescript/no-explicit-any
  result?: any;
  error?: { code: string; message: string };
}

/** A connection of a plain script to the socket of an instance. */
export interface Connection extends Disposable {
  readonly socket: Socket;
  /** Sends one line and resolves with the answer. */
  line(text: string): Promise<Answer>;
  ask(action: string, payload?: unknown): Promise<Answer>;
}

/** Speaks the protocol with nothing of this project: one JSON object a line, one answer a line, in order. */
export function connectScript(path: string): Connection {
  const socket = connect(path);
  const answers = createInterface({ input: socket })[Symbol.asyncIterator]();
  const line = async (text: string): Promise<Answer> => {
    socket.write(`${text}\n`);
    const { value, done } = await answers.next();
    if (done) throw new Error('The connection ended without an answer.');
    return JSON.parse(value as string) as Answer;
  };
  return {
    socket,
    line,
    ask: (action, payload) => line(JSON.stringify({ action, payload })),
    [Symbol.dispose]: () => socket.destroy(),
  };
}

import { PassThrough } from 'node:stream';
import type { Exec, V1Status } from '@kubernetes/client-node';

type Handler = Exec['handler'];
type Socket = Awaited<ReturnType<Handler['connect']>>;

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const STATUS = 3;
const CLOSE = 255;
/** Closing the input alone is possible from this version on, which Kubernetes has since 1.30. */
const PROTOCOL = 'v5.channel.k8s.io';
const CHUNK_BYTES = 32_768;
/** A connection without an answer to a ping for two intervals is lost. */
const PING_MS = 15_000;

/** The streams of a process in a pod. */
export interface PodStream {
  /** End with the process, or with the connection. */
  readonly stdout: PassThrough;
  readonly stderr: PassThrough;
  /** The status of the process when it has ended; undefined if the connection was lost before. Never rejects. */
  readonly ended: Promise<V1Status | undefined>;
  write(bytes: Uint8Array, done: (error?: Error | null) => void): void;
  /** Ends the input. */
  endInput(): void;
  /** Closes the connection. The process may continue. */
  close(): void;
}

export interface PodStreamOptions {
  /** A new one. */
  handler: Handler;
  namespace: string;
  pod: string;
  container: string;
  /** Absent: the main process of the container. */
  command?: readonly string[];
  wait: (request: Promise<Socket>) => Promise<Socket>;
}

/** @throws KlausError `sandbox.failed` from `wait`. */
export async function openPodStream(options: PodStreamOptions): Promise<PodStream> {
  const { handler, namespace, pod, container, command = [], wait } = options;
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  let status: V1Status | undefined;
  const query = new URLSearchParams({ container, stdin: 'true', stdout: 'true', stderr: String(command.length > 0) });
  for (const word of command) query.append('command', word);
  const action = command.length > 0 ? 'exec' : 'attach';
  const path = `/api/v1/namespaces/${namespace}/pods/${pod}/${action}?${query.toString()}`;
  // By default the client would end the streams of this process when the server closes one.
  Object.assign(handler, {
    streams: { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() },
  });
  const onData = (stream: number, bytes: Buffer): boolean => {
    if (stream === STDOUT) stdout.write(bytes);
    else if (stream === STDERR) stderr.write(bytes);
    else if (stream === STATUS) status ??= parseStatus(bytes);
    return status === undefined;
  };
  const socket = await wait(connect(handler, path, onData));
  socket.binaryType = 'nodebuffer';
  const ended = new Promise<V1Status | undefined>((resolve) => {
    const finish = () => {
      clearInterval(timer);
      stdout.end();
      stderr.end();
      resolve(status);
    };
    let answered = true;
    const timer = setInterval(() => {
      if (!answered) return socket.terminate();
      answered = false;
      socket.ping();
    }, PING_MS).unref();
    socket.on('pong', () => (answered = true));
    socket.onerror = () => undefined;
    socket.onclose = finish;
    if (socket.readyState === socket.CLOSED) finish();
  });
  const send = (stream: number, bytes: Uint8Array, done: (error?: Error | null) => void): void =>
    socket.send(Buffer.concat([Buffer.from([stream]), bytes]), done);
  return {
    stdout,
    stderr,
    ended,
    write(bytes, done) {
      for (let at = 0; at < bytes.length || at === 0; at += CHUNK_BYTES) {
        const isLast = at + CHUNK_BYTES >= bytes.length;
        send(STDIN, bytes.subarray(at, at + CHUNK_BYTES), isLast ? done : () => undefined);
      }
    },
    endInput() {
      if (socket.readyState === socket.OPEN) send(CLOSE, Buffer.from([STDIN]), () => undefined);
    },
    close: () => socket.terminate(),
  };
}

async function connect(
  handler: Handler,
  path: string,
  onData: (stream: number, bytes: Buffer) => boolean,
): Promise<Socket> {
  const socket = await handler.connect(path, null, onData);
  if (socket.protocol === PROTOCOL) return socket;
  socket.terminate();
  throw new Error(`the API server does not support ${PROTOCOL}: Kubernetes 1.30 or newer is necessary`);
}

function parseStatus(bytes: Buffer): V1Status {
  try {
    return JSON.parse(bytes.toString()) as V1Status;
  } catch {
    return { status: 'Failure', message: bytes.toString('utf8', 0, 1_000) };
  }
}

import type { InitializeRequest } from '@agentclientprotocol/sdk/unstable';
import type { Readable, Writable } from 'node:stream';
import type { AcpOptions } from './acp-options.ts';
import { toInitializeResponse } from './initialize-response.ts';

/** Bytes of a first line that is read here. A longer one is no `initialize`. */
const MAX_FIRST_LINE = 1_048_576;

/** The byte streams of a connection, for the SDK of the protocol. */
export interface ByteStreams {
  input: ReadableStream<Uint8Array>;
  output: WritableStream<Uint8Array>;
}

/**
 * Answers `initialize` before the SDK of the protocol is loaded, which takes longer than the start of Node. The returned
 * streams still contain the request, so that the SDK knows the client; the SDK's own answer to it is left out.
 */
export async function answerInitialize({
  stdin,
  stdout,
  isRemote,
  protocolVersion,
}: Pick<AcpOptions, 'stdin' | 'stdout' | 'isRemote' | 'protocolVersion'>): Promise<ByteStreams> {
  const input = createInput(stdin);
  const first = await input.firstLine;
  // With the draft, the SDK selects the version.
  const answered = first === undefined || protocolVersion === 2 ? undefined : toRequest(first);
  if (answered) {
    const result = toInitializeResponse({ client: answered.params.clientCapabilities, isRemote });
    await write(stdout, `${JSON.stringify({ jsonrpc: '2.0', id: answered.id, result })}\n`);
  }
  let isPending = answered !== undefined;
  const output = new WritableStream<Uint8Array>({
    async write(bytes) {
      if (isPending && isAnswerTo(bytes, answered!.id)) {
        isPending = false;
        return;
      }
      await write(stdout, bytes);
    },
  });
  return { input: input.stream, output };
}

/** Standard input as a stream that keeps everything, and its first line, which is undefined if there is none. */
function createInput(stdin: Readable) {
  const { promise: firstLine, resolve } = Promise.withResolvers<string | undefined>();
  let head: Buffer | undefined = Buffer.alloc(0);
  let end = (): void => {};
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const add = (bytes: Buffer): void => {
          controller.enqueue(bytes);
          if (controller.desiredSize! <= 0) stdin.pause();
          if (head === undefined) return;
          head = Buffer.concat([head, bytes]);
          const at = head.indexOf(10);
          if (at < 0 && head.length <= MAX_FIRST_LINE) return;
          resolve(at < 0 ? undefined : head.toString('utf8', 0, at));
          head = undefined;
        };
        const close = (): void => {
          resolve(undefined);
          end();
          controller.close();
        };
        end = () => {
          stdin.off('data', add).off('end', close).off('close', close).off('error', close);
        };
        stdin.on('data', add).on('end', close).on('close', close).on('error', close);
      },
      pull: () => void stdin.resume(),
      cancel() {
        // The SDK reads no more. Without a reader the process would not end.
        end();
        stdin.destroy();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 2 * MAX_FIRST_LINE }),
  );
  return { stream, firstLine };
}

interface EarlyRequest {
  id: string | number;
  params: InitializeRequest;
}

/** Only a request that the SDK accepts too; the SDK refuses any other one. */
function toRequest(line: string): EarlyRequest | undefined {
  try {
    const { jsonrpc, id, method, params } = JSON.parse(line);
    const isId = typeof id === 'string' || Number.isInteger(id);
    const version: unknown = params?.protocolVersion;
    const isVersion = Number.isInteger(version) && (version as number) >= 0 && (version as number) <= 65_535;
    return jsonrpc === '2.0' && method === 'initialize' && isId && isVersion ? { id, params } : undefined;
  } catch {
    return undefined;
  }
}

function isAnswerTo(bytes: Uint8Array, id: string | number): boolean {
  const message: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
  return typeof message === 'object' && message !== null && 'result' in message && 'id' in message && message.id === id;
}

function write(stdout: Writable, bytes: Uint8Array | string): Promise<void> {
  return new Promise((resolve, reject) => {
    stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

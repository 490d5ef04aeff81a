import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { Writable } from 'node:stream';
import {
  client,
  ndJsonStream,
  type ClientCapabilities,
  type ClientContext,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk/unstable';
import { MAIN, toEnv, type KlausOptions } from '../fixtures/klaus.ts';
import { check, type ProtocolVersion } from './protocol-schema.ts';

export interface EditorOptions extends Pick<KlausOptions, 'place' | 'server' | 'env'> {
  /** Options of `klaus acp`. */
  words?: readonly string[];
  capabilities?: ClientCapabilities;
  /** Text of open files, by absolute path. */
  files?: Record<string, string>;
  /** Answers a form. Default: the user closes it. */
  fill?: (request: CreateElicitationRequest) => CreateElicitationResponse;
}

/** A question of the agent, until the test answers it. */
export interface Asked {
  params: RequestPermissionRequest;
  choose(optionId: string): void;
  respond(response: RequestPermissionResponse): void;
  fail(): void;
  /** Aborts when the agent withdraws the question. */
  signal: AbortSignal;
}

/** Every kind of update is asked for. */
const EVERYTHING: ClientCapabilities = { session: { notices: {}, compaction: {} } };

/** An editor: the client of the official SDK, with the real program behind it. Each message is checked by the schema. */
export async function startEditor(options: EditorOptions) {
  const { place, words = [], capabilities = EVERYTHING, files = {} } = options;
  const { fill = () => ({ action: 'cancel' }) } = options;
  const child = spawn(process.execPath, [MAIN, 'acp', ...words], {
    cwd: place.workspace,
    env: toEnv(options),
    stdio: 'pipe',
  });
  const seen = record(child, 1);
  const updates: { session: string; update: SessionUpdate }[] = [];
  const asked: Asked[] = [];
  const written: { path: string; content: string }[] = [];
  const watchers = new Set<() => void>();
  const wake = (): void => watchers.forEach((watcher) => watcher());
  const app = client({ name: 'test' })
    .onNotification('session/update', ({ params }) => {
      updates.push({ session: params.sessionId, update: params.update });
      wake();
    })
    .onRequest('session/request_permission', ({ params, signal }) => {
      const { promise, resolve, reject } = Promise.withResolvers<RequestPermissionResponse>();
      const choose = (optionId: string): void => resolve({ outcome: { outcome: 'selected', optionId } });
      asked.push({ params, choose, respond: resolve, fail: () => reject(new Error('no dialog')), signal });
      wake();
      return promise;
    })
    .onRequest('elicitation/create', ({ params }) => fill(params))
    .onRequest('fs/read_text_file', ({ params }) => {
      const content = files[params.path];
      if (content === undefined) throw new Error('not open');
      return { content };
    })
    .onRequest('fs/write_text_file', ({ params }) => {
      written.push({ path: params.path, content: params.content });
      files[params.path] = params.content;
      return {};
    });
  const connection = app.connect(ndJsonStream(Writable.toWeb(child.stdin), seen.stdout));
  const agent: ClientContext = connection.agent;
  const until = async <T>(find: () => T | undefined): Promise<T> => {
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      const { promise, resolve } = Promise.withResolvers<void>();
      watchers.add(resolve);
      child.once('exit', resolve);
      await promise;
      child.off('exit', resolve);
      watchers.delete(resolve);
      if (child.exitCode !== null && find() === undefined) throw new Error(`klaus acp ended: ${seen.stderr()}`);
    }
  };
  const initialized = await agent.request('initialize', { protocolVersion: 1, clientCapabilities: capabilities });
  return {
    agent,
    child,
    initialized,
    updates,
    asked,
    written,
    ...seen,
    until,
    open: (cwd = place.workspace) => agent.request('session/new', { cwd, mcpServers: [] }),
    prompt: (sessionId: string, text: string) =>
      agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] }),
    untilAsked: (at = 0) => until(() => asked[at]),
    untilUpdate: <K extends SessionUpdate['sessionUpdate']>(
      kind: K,
      fits: (update: Extract<SessionUpdate, { sessionUpdate: K }>) => boolean = () => true,
    ) =>
      until(() => {
        const all = updates.map(({ update }) => update);
        return all.find(
          (update): update is Extract<SessionUpdate, { sessionUpdate: K }> =>
            update.sessionUpdate === kind && fits(update as Extract<SessionUpdate, { sessionUpdate: K }>),
        );
      }),
    /** The text of the agent's messages in a session. */
    text: (session?: string) =>
      updates
        .filter((it) => session === undefined || it.session === session)
        .flatMap(({ update }) =>
          update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text' ? [update.content.text] : [],
        )
        .join(''),
    /** Ends the connection as an editor does that is closed. */
    async end(): Promise<number | null> {
      child.stdin.end();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      return child.exitCode;
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

export type Editor = Awaited<ReturnType<typeof startEditor>>;

/** Checks each line of standard output while it is passed on. */
export function record(child: ChildProcessWithoutNullStreams, version: ProtocolVersion) {
  const lines: string[] = [];
  const methods = new Map<unknown, string>();
  const problems: string[] = [];
  let rest = '';
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (stderr += text));
  const write = child.stdin.write.bind(child.stdin) as (...args: unknown[]) => boolean;
  child.stdin.write = ((chunk: Uint8Array | string, ...more: unknown[]) => {
    for (const line of Buffer.from(chunk as string)
      .toString('utf8')
      .split('\n')
      .filter(Boolean)) {
      try {
        const { id, method } = JSON.parse(line) as { id?: unknown; method?: string };
        if (id !== undefined && method !== undefined) methods.set(id, method);
      } catch {
        // A test sends it on purpose.
      }
    }
    return write(chunk, ...more);
  }) as typeof child.stdin.write;
  const look = (line: string): void => {
    lines.push(line);
    try {
      const message = JSON.parse(line) as Record<string, unknown>;
      if (message['jsonrpc'] !== '2.0') throw new Error('it is no JSON-RPC');
      const { id, method, params, result } = message;
      if (typeof method === 'string' && method.startsWith('$/')) return;
      if (typeof method === 'string')
        check({ method, kind: id === undefined ? 'Notification' : 'Request', version }, params);
      else if (result !== undefined) check({ method: methods.get(id)!, kind: 'Response', version }, result);
    } catch (error) {
      problems.push(`${line}\n${String(error)}`);
    }
  };
  const stdout = new ReadableStream<Uint8Array>({
    start(controller) {
      child.stdout.on('data', (bytes: Buffer) => {
        const parts = (rest + bytes.toString('utf8')).split('\n');
        rest = parts.pop()!;
        parts.filter(Boolean).forEach(look);
        controller.enqueue(bytes);
      });
      child.stdout.once('end', () => controller.close());
    },
  });
  return { stdout, lines, problems, stderr: () => stderr };
}

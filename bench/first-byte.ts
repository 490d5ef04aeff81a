import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { createTestHome } from '../test/fixtures/test-home.ts';
import type { Benchmark } from './benchmark.ts';
import { interleave } from './measure.ts';
import {
  BARE,
  buildBundle,
  openModelServer,
  SOURCE,
  start,
  type StartOptions,
  timeToExit,
  toRunEnv,
} from './program.ts';

/** Start of `klaus run` to the first byte of the request to the model, seen at the socket. */
export const firstByte: Benchmark = {
  name: 'first-byte',
  async run({ quick }) {
    const bundle = [...buildBundle(), 'run', 'Say hello.'];
    const source = [...SOURCE, 'run', 'Say hello.'];
    using place = createTestHome();
    await using listener = await listen();
    const env = await toRunEnv(place, listener.url);
    await warm([bundle, source], { place, env });
    const taken = await interleave(
      {
        bare: () => timeToExit(BARE, { place }),
        bundle: () => listener.timeToFirstByte(bundle, { place, env }),
        source: () => listener.timeToFirstByte(source, { place, env }),
      },
      quick ? 5 : 21,
    );
    const bare = { value: taken.bare, what: 'node -e 0' };
    return [
      { name: 'start to the first byte of the request, bundle', value: taken.bundle, unit: 'ms', bare },
      { name: 'start to the first byte of the request, source', value: taken.source, unit: 'ms', bare },
    ];
  },
};

/** Complete runs, because the code cache is written when a program ends by itself. */
export async function warm(commands: readonly (readonly string[])[], { place, env }: StartOptions): Promise<void> {
  await using server = await openModelServer({ steps: [], fallback: { text: 'Hello.' } });
  const near = { ...env, ANTHROPIC_BASE_URL: server.url };
  for (const command of commands) await timeToExit(command, { place, env: near });
}

/** A socket that answers nothing. */
export async function listen() {
  let onPost: (at: number) => void = () => {};
  const server: Server = createServer((socket) => {
    socket.on('error', () => {}); // The client is ended in mid-request.
    socket.once('data', (chunk) => {
      const at = performance.now();
      if (chunk.subarray(0, 5).toString('latin1') === 'POST ') onPost(at);
      socket.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Milliseconds from the start of the program, which is ended then. */
    async timeToFirstByte(command: readonly string[], options: StartOptions): Promise<number> {
      const posted = new Promise<number>((resolve) => (onPost = resolve));
      const begun = performance.now();
      const child = start(command, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
      let complaints = '';
      child.stderr!.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
      const ended = once(child, 'exit');
      const at = await Promise.race([posted, ended.then(() => undefined)]);
      if (at === undefined) throw new Error(`${command.join(' ')} sent no request:\n${complaints}`);
      child.kill('SIGKILL');
      await ended;
      return at - begun;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      server.close();
      await once(server, 'close');
    },
  };
}

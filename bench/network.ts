import { once } from 'node:events';
import { Agent, createServer, request, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { openHostProxy } from '@klaus/adapters/sandboxes';
import { parseHostRule } from '@klaus/core/policy';
import type { Benchmark } from './benchmark.ts';
import { interleave, time } from './measure.ts';

/** Milliseconds. */
const MOST_ADDED = 2;

/** Requests of one measurement. */
const REQUESTS = 50;

/** What the proxy of a granted network costs: a request to a server of this machine, with a new connection each. */
export const network: Benchmark = {
  name: 'network',
  async run({ quick }) {
    const server = createServer((_, response) => response.end('ok'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const proxy = await openHostProxy({ rules: [parseHostRule(`localhost:${port}`)], env: {} });
    const at = Number(new URL(proxy.url).port);
    try {
      const measure = (ask: () => Promise<void>) => async (): Promise<number> => {
        const each: number[] = [];
        for (let count = 0; count < REQUESTS; count++) each.push(await time(ask));
        return each.toSorted((a, b) => a - b)[REQUESTS / 2]!;
      };
      const found = await interleave(
        {
          bare: measure(() => get({ port, path: '/' })),
          klaus: measure(() => get({ port: at, path: `http://localhost:${port}/` })),
          tunnel: measure(() => tunnel(at, port)),
          direct: measure(() => direct(port)),
        },
        quick ? 3 : 9,
      );
      return [
        {
          name: 'a request through the proxy of a granted network, p50',
          value: found.klaus,
          unit: 'ms',
          bare: { value: found.bare, what: 'the same request without a proxy' },
          most: found.bare + MOST_ADDED,
        },
        {
          name: 'opening a tunnel through it, p50',
          value: found.tunnel,
          unit: 'ms',
          bare: { value: found.direct, what: 'opening a connection' },
        },
      ];
    } finally {
      proxy[Symbol.dispose]();
      close(server);
    }
  },
};

function close(server: Server): void {
  server.closeAllConnections();
  server.close();
}

async function get(target: { port: number; path: string }): Promise<void> {
  const agent = new Agent();
  const sent = request({ host: '127.0.0.1', agent, ...target });
  sent.end();
  const [response] = (await once(sent, 'response')) as [AsyncIterable<Buffer>];
  for await (const _ of response);
  agent.destroy();
}

async function tunnel(proxy: number, port: number): Promise<void> {
  const asked = request({ host: '127.0.0.1', port: proxy, method: 'CONNECT', path: `localhost:${port}` });
  asked.end();
  const [, socket] = (await once(asked, 'connect')) as [unknown, { destroy(): void }];
  socket.destroy();
}

async function direct(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.destroy();
}

import { once } from 'node:events';
import { createTestHome } from '../../test/fixtures/test-home.ts';
import type { Benchmark } from '../benchmark.ts';
import { interleave } from '../measure.ts';
import { buildBundle, start, type StartOptions, toRunEnv } from '../program.ts';

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: 1, clientCapabilities: {} },
});

/** Start of `klaus acp` to the answer to an editor's first message. */
export const acp: Benchmark = {
  name: 'acp',
  async run({ quick }) {
    const klaus = [...buildBundle(), 'acp'];
    const bare = [process.execPath, '-e', "console.log('{}')"];
    using place = createTestHome();
    const env = await toRunEnv(place, 'http://127.0.0.1:9');
    const taken = await interleave(
      { bare: () => timeToLine(bare, { place }), klaus: () => timeToLine(klaus, { place, env }, '"protocolVersion"') },
      quick ? 5 : 31,
    );
    const beside = { value: taken.bare, what: 'node -e that prints a line' };
    return [
      {
        name: 'start of klaus acp to the answered initialize',
        value: taken.klaus,
        unit: 'ms',
        bare: beside,
        most: { times: 3 },
      },
    ];
  },
};

/** Milliseconds from the start until the first piece of output. */
async function timeToLine(command: readonly string[], options: StartOptions, expected = ''): Promise<number> {
  const begun = performance.now();
  const child = start(command, { ...options, stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = once(child, 'exit');
  child.stdin!.on('error', () => {});
  child.stdin!.write(`${INITIALIZE}\n`);
  const [piece] = (await once(child.stdout!, 'data')) as [Buffer];
  const taken = performance.now() - begun;
  if (!piece.toString().includes(expected)) throw new Error(`${command.join(' ')} answered ${piece.toString()}`);
  child.stdout!.resume();
  child.stdin!.end();
  await ended;
  return taken;
}

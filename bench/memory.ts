import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import type { Script } from '@klaus/sdk';
import { createTestHome } from '../test/fixtures/test-home.ts';
import type { Benchmark } from './benchmark.ts';
import { interleave } from './measure.ts';
import { BARE, buildBundle, openModelServer, start, type StartOptions, toRunEnv } from './program.ts';

const HOOK = join(import.meta.dirname, 'peak-memory.cjs');

const SCRIPT: Script = {
  steps: [
    { reply: { text: 'I look first.', calls: [{ name: 'read_file', input: { path: 'README.md' } }] } },
    { reply: { text: 'It is a test.' } },
  ],
};

/** Peak memory of a complete run with one tool call. */
export const memory: Benchmark = {
  name: 'memory',
  async run({ quick }) {
    const name = 'peak memory of a run with one tool call, bundle';
    if (!existsSync('/proc/self/status')) return [{ name, skipped: 'the peak is read from /proc, which is not here' }];
    const bundle = [...buildBundle(), 'run', 'Read the readme.'];
    using place = createTestHome();
    await using server = await openModelServer(SCRIPT);
    const env = await toRunEnv(place, server.url);
    const peak = await interleave(
      { bare: () => readPeak(BARE, { place }), klaus: () => readPeak(bundle, { place, env }) },
      quick ? 3 : 9,
    );
    return [{ name, value: peak.klaus, unit: 'MB', bare: { value: peak.bare, what: 'node -e 0' } }];
  },
};

/** @param command Node with its arguments. */
async function readPeak(command: readonly string[], options: StartOptions): Promise<number> {
  const hooked = [...command.slice(0, 1), '--require', HOOK, ...command.slice(1)];
  const child = start(hooked, { ...options, stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  const [kib, [code]] = await Promise.all([text(child.stdio[3] as Readable), once(child, 'exit')]);
  if (code !== 0 || kib === '') throw new Error(`${command.join(' ')} ended with ${code} and reported no peak`);
  return (Number(kib) * 1024) / 1e6;
}

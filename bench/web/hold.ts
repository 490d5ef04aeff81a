import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestHome } from '../../test/fixtures/test-home.ts';
import type { Benchmark } from '../benchmark.ts';
import { median } from '../measure.ts';
import { buildBundle } from '../program.ts';
import { readCpuOf, serve } from '../server/server-process.ts';
import { addLongLog, MESSAGES } from './long-log.ts';

const SESSION = '01KE0000000000000000BENCH4';
const HOOK = join(import.meta.dirname, 'loop-hook.cjs');

/** How long a server that sends a complete log blocks its other clients. */
export const hold: Benchmark = {
  name: 'hold',
  async run({ quick }) {
    const exchanges = quick ? 200 : 1_000;
    using place = createTestHome();
    await addLongLog(place, SESSION, { from: 0, count: exchanges });
    const report = join(place.home, 'loop');
    const [node = '', ...words] = buildBundle();
    await using server = await serve([node, '--require', HOOK, ...words], place, { LOOP_REPORT: report });
    const ask = async () => {
      process.kill(server.pid, 'SIGUSR2');
      while (!existsSync(report)) await sleep(5);
      const longest = Number(readFileSync(report, 'utf8'));
      rmSync(report);
      return longest;
    };
    const longest: number[] = [];
    const cpu: number[] = [];
    // The first compiles the code and opens the database.
    for (let round = -1; round < (quick ? 3 : 5); round++) {
      await ask();
      const before = readCpuOf(server.pid);
      (await server.follow(SESSION)).destroy();
      if (round >= 0) {
        cpu.push(readCpuOf(server.pid) - before);
        longest.push(await ask());
      }
    }
    const name = `stream of ${(exchanges * MESSAGES).toLocaleString('en')} messages opened`;
    return [
      { name: `${name}: longest hold of the server`, value: Math.max(...longest), unit: 'ms', most: 50 },
      { name: 'the same, median of the rounds', value: median(longest), unit: 'ms' },
      { name: 'CPU of the server for it', value: median(cpu), unit: 'ms' },
    ];
  },
};

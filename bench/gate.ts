import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decide, toDefaultGrant } from '@klaus/core/policy';
import type { Benchmark } from './benchmark.ts';
import { ROOT } from './program.ts';

const COMMANDS = join(ROOT, 'test/bypass/ordinary.txt');

/** One decision of the gate over an ordinary command, without a judge. */
export const gate: Benchmark = {
  name: 'gate',
  async run({ quick }) {
    const lines = readFileSync(COMMANDS, 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    const context = {
      grant: toDefaultGrant('/w'),
      mode: 'auto' as const,
      patchApproval: false,
      workspace: '/w',
      home: '/home/k/.klaus',
      now: 0,
    };
    const judge = (command: string): void => {
      const access = [{ kind: 'exec' as const, command }];
      decide({ name: 'run_command', effects: ['execute'], access, altered: false }, context);
    };
    for (const line of lines) judge(line);
    const times: number[] = [];
    for (let round = 0; round < (quick ? 2 : 10); round++) {
      for (const line of lines) {
        const begun = performance.now();
        judge(line);
        times.push(performance.now() - begun);
      }
    }
    times.sort((a, b) => a - b);
    const at = (part: number): number => times[Math.min(times.length - 1, Math.floor(times.length * part))]!;
    return [
      { name: 'gate decision over an ordinary command, median', value: at(0.5), unit: 'ms' },
      { name: 'the same, 99th percentile; below 1 ms', value: at(0.99), unit: 'ms' },
    ];
  },
};

import { setTimeout as pause } from 'node:timers/promises';
import { createTestHome } from '../../test/fixtures/test-home.ts';
import type { Benchmark } from '../benchmark.ts';
import { openProcessGroup } from '../peers/process-group.ts';
import { buildBundle, toRunEnv } from '../program.ts';
import { addLongLog, MESSAGES, toLastWords } from '../web/long-log.ts';
import { openPty } from './pty.ts';

const SESSION = '01KE0000000000000000BENCH4';
const KEYS = 200;
/** Milliseconds between two keys: a fast typist has 100. */
const KEY_MS = 50;
/** Milliseconds after which what was begun by opening the session has ended. */
const SETTLED_MS = 3_000;

/** What a typed character costs in a long session. */
export const keys: Benchmark = {
  name: 'keys',
  async run({ quick }) {
    const exchanges = quick ? 100 : 1_000;
    using place = createTestHome();
    const env = { ...place.env, ...(await toRunEnv(place, 'http://127.0.0.1:9')) };
    await addLongLog(place, SESSION, { from: 0, count: exchanges });
    const group = openProcessGroup();
    try {
      await using pty = await openPty(buildBundle(), { cwd: place.workspace, env, enter: group.enter });
      await pty.shows(/mode auto/);
      pty.type(`/resume ${SESSION}`);
      await pty.shows(new RegExp(SESSION));
      pty.type('\r');
      await pty.shows(new RegExp(`${toLastWords(exchanges - 1)}|What is left`));
      await pause(SETTLED_MS);
      const time = async (work: () => Promise<unknown>): Promise<number> => {
        const before = group.readCpu();
        await work();
        return group.readCpu() - before;
      };
      const idle = await time(() => pause(KEYS * KEY_MS));
      const typed = await time(async () => {
        for (let key = 0; key < KEYS; key++) {
          pty.type(key % 6 === 5 ? ' ' : 'abcde'[key % 6]!);
          await pause(KEY_MS);
        }
        pty.type('END');
        await pty.shows(/END/);
      });
      const name = `a key in a session of ${(exchanges * MESSAGES).toLocaleString('en')} messages, CPU`;
      return [
        { name, value: (typed - idle) / (KEYS + 3), unit: 'ms', most: 8 },
        {
          name: 'that session shown, CPU of a second without keys',
          value: (idle / (KEYS * KEY_MS)) * 1_000,
          unit: 'ms',
        },
      ];
    } finally {
      await group.close();
    }
  },
};

import { afterAll, describe } from 'vitest';
import { describeScheduler } from '../conformance/describe-scheduler.ts';
import { openTemporalScheduler, type TemporalScheduler } from './temporal-scheduler.ts';
import { provideTemporal, openTemporal, WORKFLOW_CACHE } from './temporal-server.fixture.ts';

const { program, reason } = provideTemporal();
const server = program === undefined ? undefined : await openTemporal(program);
afterAll(async () => await server?.[Symbol.asyncDispose]());

let queues = 0;

describe.skipIf(server === undefined)(`Temporal${reason === undefined ? '' : ` (skipped: ${reason})`}`, () => {
  describeScheduler(
    'temporal',
    async () => {
      const opened: TemporalScheduler[] = [];
      const prefix = `${(queues += 1)}-`;
      return {
        async open() {
          const { address, namespace } = server!;
          const options = { address, namespace, taskQueue: `${prefix}queue`, prefix, cacheFolder: WORKFLOW_CACHE };
          const scheduler = await openTemporalScheduler(options);
          opened.push(scheduler);
          return scheduler;
        },
        async [Symbol.asyncDispose]() {
          for (const scheduler of opened) await scheduler.close();
        },
      };
    },
    { timeoutMs: 60_000, soonMs: 6_000 },
  );
});

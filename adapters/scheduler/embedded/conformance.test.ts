import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeScheduler } from '../conformance/describe-scheduler.ts';
import { EmbeddedScheduler } from './embedded-scheduler.ts';

describeScheduler('embedded', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'klaus-scheduler-'));
  return {
    async open() {
      const scheduler = new EmbeddedScheduler({ folder });
      for (const session of scheduler.stored) await scheduler.wake(session, 'sweep');
      return scheduler;
    },
    [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true, force: true }),
  };
});

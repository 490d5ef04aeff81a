// `node worker-process.ts ADDRESS CACHE SLOTS`: runs sessions without work, and prints the id of each with the time of the
// first line of its run.
import { openTemporalScheduler } from '@klaus/adapters/scheduler';

const [address = '', cacheFolder = '', slots = ''] = process.argv.slice(2);

const onError = (error: unknown): void => console.error(error);
const scheduler = await openTemporalScheduler({ address, cacheFolder, onError });
const worker = scheduler.work(
  ({ session }) => {
    process.stdout.write(`${session} ${Date.now()}\n`);
    return Promise.resolve({ state: 'idle' });
  },
  { slots: Number(slots) },
);

process.once('SIGTERM', () => void worker.stop(1_000).then(() => scheduler.close()));

// `node worker-process.ts ORDER`: a worker of a cluster, with a sweep. Prints its problems.
import { createClusterKlaus, startClusterWorker, startSweep } from '@klaus/sdk/cluster';
import { openTemporalScheduler } from '@klaus/sdk/scheduler';
import { toOptions, type ClusterOrder } from './cluster-order.ts';

const order = JSON.parse(process.argv[2]!) as ClusterOrder;
const klaus = await createClusterKlaus(toOptions(order));
const scheduler = await openTemporalScheduler({ address: order.engine, cacheFolder: order.cache });
const report = (what: string) => (error: unknown) => console.error(what, error);
const worker = startClusterWorker({
  klaus,
  scheduler,
  slots: 4,
  onProblem: (session, error) => report(session)(error),
});
const sweep = startSweep({ store: klaus.store, scheduler, onError: report('sweep') });
process.once('SIGTERM', () => {
  sweep.stop();
  void worker
    .stop(5_000)
    .then(() => klaus.close())
    .then(() => process.exit(0));
});
console.log('ready');

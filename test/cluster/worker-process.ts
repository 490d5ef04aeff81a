// `node worker-process.ts ORDER`: a worker of a cluster, with a sweep. Prints `ready`, each problem as a line of JSON, and `stopping`.
import { createClusterKlaus, startClusterWorker, startSweep } from '@klaus/sdk/cluster';
import { openTemporalScheduler } from '@klaus/sdk/scheduler';
import { isKlausError } from '@klaus/sdk';
import { toOptions, type ClusterOrder, type WorkerProblem } from './cluster-order.ts';

const order = JSON.parse(process.argv[2]!) as ClusterOrder;
const klaus = await createClusterKlaus(toOptions(order));
const scheduler = await openTemporalScheduler({ address: order.engine, cacheFolder: order.cache });
const report = (what: string) => (error: unknown) => {
  const { code, message } = isKlausError(error) ? error : { code: 'unknown', message: String(error) };
  console.log(JSON.stringify({ what, code, message } satisfies WorkerProblem));
};
const worker = startClusterWorker({
  klaus,
  scheduler,
  tenants: klaus.tenants,
  slots: 4,
  ping: () => klaus.store.isClaimed(''),
  onProblem: (session, error) => report(session)(error),
});
const sweep = startSweep({ store: klaus.store, scheduler, tenants: klaus.tenants, onError: report('sweep') });
process.once('SIGTERM', () => {
  sweep.stop();
  const stopped = worker.stop(20_000);
  console.log('stopping');
  void stopped.then(() => klaus.close()).then(() => process.exit(0));
});
console.log('ready');

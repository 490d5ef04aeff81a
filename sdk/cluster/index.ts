export { createClusterKlaus, createClusterServer, type ClusterKlaus, type ClusterOptions } from './cluster-klaus.ts';
export { startClusterWorker, type ClusterWorkerOptions } from './cluster-worker.ts';
export { startSweep, type Sweep, type SweepOptions, type SweptStore } from './sweep.ts';

import type { Event } from '@klaus/sdk';
import type { ClusterKlaus } from '@klaus/sdk/cluster';
import type { WorkerStatus } from './worker-status.ts';

export interface WorkerMetrics {
  /** Counts an event that this worker appended. */
  count(event: Event): void;
  mediaType: string;
  /** In the text format of Prometheus. */
  toText(): Promise<string>;
  close(): void;
}

/** The metrics of the server, for the sessions of this worker. Undefined when `server.metrics` is false. */
export async function openWorkerMetrics(
  klaus: Pick<ClusterKlaus, 'configuration' | 'store' | 'onSandboxStart'>,
  status: Pick<WorkerStatus, 'running' | 'readServices'>,
): Promise<WorkerMetrics | undefined> {
  if (!klaus.configuration.get('server.metrics')) return undefined;
  const { createMetrics } = await import('@klaus/server/metrics');
  // Of the cluster; not a number while Postgres cannot be reached.
  let queued = Number.NaN;
  let approvals = Number.NaN;
  let services: Awaited<ReturnType<WorkerStatus['readServices']>> | Record<string, never> = {};
  const metrics = createMetrics({
    running: () => status.running(),
    services: () => services,
    queued: () => queued,
    approvals: () => approvals,
    subscribers: () => ({}),
  });
  const stopCounting = klaus.onSandboxStart((start) => metrics.countStart(start));
  const read = async (count: () => Promise<{ length: number }>): Promise<number> => {
    try {
      return (await count()).length;
    } catch {
      return Number.NaN;
    }
  };
  return {
    mediaType: metrics.mediaType,
    count: (event) => metrics.count(event),
    async toText() {
      [services, queued, approvals] = await Promise.all([
        status.readServices(),
        read(() => klaus.store.wakes.overdue(0)),
        read(() => klaus.store.approvals({ open: true })),
      ]);
      return metrics.toText();
    },
    close() {
      stopCounting();
      metrics.close();
    },
  };
}

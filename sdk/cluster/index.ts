export {
  createClusterKlaus,
  createClusterServer,
  type ClusterKlaus,
  type ClusterOptions,
  type ClusterServerKlaus,
  type ClusterWorkspaces,
} from './cluster-klaus.ts';
export { CLUSTER_PACKAGES } from './cluster-packages.ts';
export { toClusterServices, type ClusterServices } from './cluster-services.ts';
export { startClusterWorker, type ClusterWorker, type ClusterWorkerOptions } from './cluster-worker.ts';
export type { WorkspaceOrigin } from './managed-workspaces.ts';
export { openCluster, openClusterServer, type OpenClusterOptions, type OpenedCluster } from './open-cluster.ts';
export type { WaitingSession } from '@klaus/adapters/postgres-store';
export { startSweep, type Sweep, type SweepOptions } from './sweep.ts';
export type { ClusterTenants } from './tenants.ts';
export { copySessions, type CopiedSession, type CopyOptions, type CopyReport } from './copy/copy-sessions.ts';
export type { CopyEnd, CopyParts } from './copy/copy-parts.ts';
export { openCopy, type OpenCopyOptions, type OpenedCopy } from './copy/open-copy.ts';
export { SESSION_STATES, type SessionState, type StuckReason } from './administration/judge-session.ts';
export {
  openAdministration,
  type ListedSession,
  type OpenedAdministration,
  type SessionList,
} from './administration/open-administration.ts';
export {
  repairSessions,
  retrySessions,
  type RepairedSession,
  type RepairReport,
} from './administration/repair-sessions.ts';
export {
  createWorkerId,
  reportWorker,
  type WorkerReport,
  type WorkerReportOptions,
} from './administration/report-worker.ts';

import { join, resolve } from 'node:path';
import { GuardLog } from '@klaus/sdk/guard-log';
import { EmbeddedScheduler } from '@klaus/sdk/scheduler';
import { createAllowedWorkspaces } from './access/allowed-workspaces.ts';
import { createHeldConnections } from './access/held-connections.ts';
import { EVERY_FOLDER } from './access/seen-folders.ts';
import { listSessionWorkspaces } from './handlers/files.ts';
import type { Context } from './http/handler.ts';
import { Clones } from './projects/clones.ts';
import { openProjectFolders } from './projects/project-folders.ts';
import { McpWork } from './mcp/mcp-work.ts';
import type { Metrics } from './observability/metrics.ts';
import { ClusterQueue, type ServedCluster } from './runs/cluster-queue.ts';
import { Deletions } from './runs/deletions.ts';
import { RunQueue } from './runs/run-queue.ts';
import { createWebhook } from './runs/webhook.ts';
import type { Sockets } from './sockets/sockets.ts';
import { InFlightText } from './streams/in-flight-text.ts';
import { SessionHubs } from './streams/session-hubs.ts';
import { SessionListFeed } from './streams/session-list-feed.ts';

/** Largest request body in bytes: enough for some pasted images. */
const MAX_BODY_BYTES = 32 * 1_024 * 1_024;

export interface ContextOptions extends Pick<
  Context,
  'klaus' | 'log' | 'signIn' | 'version' | 'hooks' | 'prepareDemo' | 'basePath'
> {
  /** Its workers run the sessions. Default: this process runs them. */
  cluster?: ServedCluster;
}

export function createContext({ klaus, log, cluster, ...given }: ContextOptions): Context {
  const { configuration } = klaus;
  const queue = cluster ? new ClusterQueue({ klaus, cluster, log }) : openRunQueue({ klaus, log });
  const live = new InFlightText({ klaus, queue });
  const hubs = new SessionHubs({ klaus, queue, live, log });
  const deletions = new Deletions({
    klaus,
    onChange(session, state) {
      if (state === 'deleted') {
        void queue.remove(session);
        hubs.endDeleted(session);
      }
      feed.changed(session);
    },
  });
  const feed = new SessionListFeed({ klaus, queue, undoUntil: (session) => deletions.undoUntil(session) });
  const allowed = openProjectFolders(join(klaus.home, 'server', 'allowed-folders.json'));
  const workspaces = createAllowedWorkspaces({
    listed: configuration.get('server.workspaces'),
    configured: resolve(configuration.get('workspace')),
    known: () => [
      ...listSessionWorkspaces(klaus).map((path) => klaus.copies.repositoryOf(path) ?? path),
      ...allowed.list(),
    ],
    klausHome: klaus.home,
    repositoryOf: (path) => klaus.copies.repositoryOf(path),
  });
  const projects = openProjectFolders(join(klaus.home, 'server', 'projects.json'));
  const clones = new Clones({
    folder: join(klaus.home, 'server', 'clones'),
    onDone: (path) => projects.add(path),
    onError: (error) => log.error('a clone failed', { error: String(error) }),
  });
  return {
    ...given,
    ...{ klaus, log, workspaces, allowed, projects, clones, queue, hubs, live, feed, deletions },
    seen: EVERY_FOLDER,
    guardLog: new GuardLog(klaus.store),
    mcp: new McpWork(),
    connections: createHeldConnections(),
    metrics: undefined,
    maxBodyBytes: MAX_BODY_BYTES,
  };
}

function openRunQueue({ klaus, log }: Pick<Context, 'klaus' | 'log'>): RunQueue {
  const scheduler = new EmbeddedScheduler({
    folder: join(klaus.home, 'server', 'runs'),
    isHeld: (session) => klaus.store.view.isClaimed(session),
  });
  return new RunQueue({ klaus, scheduler, limit: klaus.configuration.get('server.maxConcurrent'), log });
}

/** Undefined when metrics are disabled; their modules are not loaded then. */
export async function openMetrics(
  { klaus, queue, hubs, feed }: Context,
  sockets: Sockets,
): Promise<Metrics | undefined> {
  if (!klaus.configuration.get('server.metrics')) return undefined;
  const { createMetrics } = await import('./observability/metrics.ts');
  const metrics = createMetrics({
    running: () => queue.running.length,
    queued: () => queue.queued.length,
    approvals: () => klaus.store.view.approvals({ open: true }).length,
    subscribers: () => ({ ...hubs.subscribers, list: feed.subscribers, ...sockets.clients() }),
  });
  queue.onEvent((event) => metrics.count(event));
  return metrics;
}

/** Undefined when no webhook is configured. */
export function openWebhook({ klaus, queue, log }: Context): ReturnType<typeof createWebhook> | undefined {
  const { configuration } = klaus;
  const url = configuration.get('server.webhookUrl');
  if (url === undefined) return undefined;
  return createWebhook({
    klaus,
    url,
    secret: configuration.get('server.webhookSecret'),
    retryMs: configuration.get('retry.baseMs'),
    giveUpMs: configuration.get('server.webhookGiveUpMs'),
    isOwn: (session) => queue.isRunning(session),
    log,
  });
}

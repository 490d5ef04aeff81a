import { join } from 'node:path';
import {
  createWorkerId,
  openCluster,
  reportWorker,
  startClusterWorker,
  startSweep,
  type OpenedCluster,
} from '@klaus/sdk/cluster';
import { createServerLog, type ServerLog } from '@klaus/server/server-log';
import { toShutdownTimes } from '@klaus/server/shutdown-times';
import { collectWebhooks } from '@klaus/server/webhook-message';
import { messageOf } from '@klaus/sdk/message-of';
import { toScriptedServer } from '../client/open-klaus.ts';
import { err, out } from '../output/sink.ts';
import { EXIT, isKlausError } from '../program/exit-codes.ts';
import { startHealthServer, type HealthServer } from './health-server.ts';
import { openWorkerMetrics, type WorkerMetrics } from './worker-metrics.ts';
import { createWorkerStatus } from './worker-status.ts';

export interface WorkerOptions {
  /** Sessions that run at the same time. */
  slots: number;
  /** Where the health of the worker is served. Undefined: nowhere. */
  health: { host: string; port: number } | undefined;
  /** Print the ready line and the log as JSON. */
  json: boolean;
}

/** Milliseconds between two reports of the same failure: a lost service fails with each attempt. */
const REPORT_MS = 60_000;
/** Milliseconds between two checks of the sandbox. */
const SANDBOX_MS = 30_000;

/**
 * Runs sessions of the cluster that the settings name until a signal arrives. The first signal drains the worker within
 * `server.shutdownTimeoutMs`, the second one exits immediately.
 *
 * @throws KlausError as `openCluster`; `usage` for a port that is in use.
 */
export async function runWorker({ slots, health, json }: WorkerOptions): Promise<void> {
  let log: ServerLog | undefined;
  let metrics: WorkerMetrics | undefined;
  const warn = (text: string) => reportRarely((error) => log?.warn(text, { error }));
  await using cluster = await openCluster({
    endProcesses: 'close',
    scripted: toScriptedServer,
    onNotice: (text) => (log ? log.info(text) : err.write(`klaus: ${text}\n`)),
    onAppend: (events) => events.forEach((event) => metrics?.count(event)),
    onSchedulerError: warn('the connection to Temporal failed; the worker connects again'),
  });
  const { klaus, scheduler } = cluster;
  const ownLog = (log = openLog(cluster, json));
  const stopLoggingCrashes = logCrashes(ownLog);
  const ending = Promise.withResolvers<void>();
  void waitForSignal(ownLog).then(ending.resolve);
  // The servers of the cluster send what is stored.
  if (klaus.configuration.get('server.webhookUrl') !== undefined) collectWebhooks(klaus.store);
  // Fetches bubblewrap if it is missing: without a sandbox, each command of each session would fail.
  await klaus.checkSandbox();
  const services = {
    postgres: () => klaus.store.isClaimed(''),
    temporal: () => scheduler.check(),
    objects: () => klaus.checkObjects(),
    sandbox: createRareCheck(() => klaus.checkSandbox()),
  };
  const status = createWorkerStatus({ slots, services });
  const stopWatching = status.watch((service, isReachable) => {
    if (isReachable) ownLog.info('a service answers again', { service });
    else
      ownLog.warn('a service does not answer, or the sandbox does not work: sessions that need it fail', { service });
  });
  let served: HealthServer | undefined;
  if (health) {
    metrics = await openWorkerMetrics(klaus, status);
    served = await startHealthServer({ ...health, read: () => status.read(), metrics });
  }
  let isDraining = false;
  const id = createWorkerId();
  const worker = startClusterWorker({
    ...{ klaus, scheduler, slots, tenants: klaus.tenants },
    ping: services.postgres,
    onStore: (answers) =>
      answers
        ? ownLog.info('Postgres answers again: the worker takes sessions')
        : ownLog.warn('Postgres does not answer: the worker gives its sessions back, and takes none until it does'),
    onProblem(session, error) {
      ownLog.error('a session cannot run', { session, error });
      const { code, hint } = isKlausError(error) ? error : { code: 'internal', hint: undefined };
      const message = klaus.redact(messageOf(error));
      klaus.store.administration
        .reportProblem(session, { worker: id, code, message, hint: hint && klaus.redact(hint) })
        .catch(warn('a problem could not be stored in Postgres'));
    },
  });
  status.follow(worker);
  const report = await reportWorker({
    id,
    administration: klaus.store.administration,
    ...{ slots, health: served?.url ?? null },
    sessions: () => worker.sessions,
    isDraining: () => isDraining,
    onDrain() {
      ownLog.info('an administrator drains the worker');
      ending.resolve();
    },
    onRelease: (session) => worker.release(session),
    onError: warn('the worker could not report itself to Postgres; it tries again'),
  });
  const sweep = startSweep({
    store: klaus.store,
    scheduler,
    tenants: klaus.tenants,
    onError: warn('a sweep failed; the next one tries again'),
  });
  printReady({ slots, health: served?.url ?? null, pid: process.pid }, json);

  await ending.promise;
  isDraining = true;
  status.drain();
  sweep.stop();
  const { steps, exit } = toShutdownTimes(klaus.configuration.get('server.shutdownTimeoutMs'));
  // The timer is not cleared: the cluster closes after this, within the same time-out.
  setTimeout(() => exitEarly(ownLog), exit).unref();
  await worker.stop(steps);
  await report.end();
  await served?.close();
  stopWatching();
  metrics?.close();
  ownLog.info('stopped');
  stopLoggingCrashes();
  ownLog.close();
}

function openLog({ klaus }: OpenedCluster, json: boolean): ServerLog {
  const { configuration } = klaus;
  return createServerLog({
    level: configuration.get('server.logLevel'),
    folder: join(klaus.home, 'logs'),
    keepDays: configuration.get('server.logDays'),
    write: (line) => err.write(line),
    json,
    redact: (text) => klaus.redact(text),
  });
}

/** Logs an uncaught error before the process ends. Returns a function that stops it. */
function logCrashes(log: Pick<ServerLog, 'fatal'>): () => void {
  const onCrash = (error: unknown, origin: string): void =>
    log.fatal('the worker ends with an uncaught error', { error, origin });
  process.on('uncaughtExceptionMonitor', onCrash);
  return () => process.off('uncaughtExceptionMonitor', onCrash);
}

/** Resolves with the first signal; the second one ends the process. */
function waitForSignal(log: Pick<ServerLog, 'info'>): Promise<void> {
  return new Promise((resolve) => {
    let isStopping = false;
    const stop = (): void => {
      if (isStopping) process.exit(EXIT.interrupted);
      isStopping = true;
      log.info('stopping after the current step of each run; a second signal exits immediately');
      resolve();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  });
}

/** Nothing is lost, as after a kill: the sessions continue on other workers. */
function exitEarly(log: ServerLog): never {
  log.warn('the shutdown timed out: the worker exits before everything is closed');
  log.close();
  process.exit(EXIT.done);
}

function printReady(ready: { slots: number; health: string | null; pid: number }, json: boolean): void {
  if (json) return out.json(ready);
  out.write(`Ready with ${ready.slots} slots.\n`);
  if (ready.health !== null) err.write(`Health: ${ready.health}/health\n`);
  err.write('Ctrl-C stops the worker.\n');
}

/** Repeats a check that starts a program at most every half minute. */
function createRareCheck(check: () => Promise<unknown>): () => Promise<unknown> {
  let last: { at: number; answer: Promise<unknown> } | undefined;
  return () => {
    if (!last || Date.now() - last.at >= SANDBOX_MS) last = { at: Date.now(), answer: check() };
    return last.answer;
  };
}

function reportRarely(report: (error: unknown) => void): (error: unknown) => void {
  let next = 0;
  return (error) => {
    if (Date.now() < next) return;
    next = Date.now() + REPORT_MS;
    report(error);
  };
}

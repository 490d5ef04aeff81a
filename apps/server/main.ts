import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Klaus } from '@klaus/sdk';
import { toHostEnvironment } from '@klaus/sdk';
import { VERSION } from '@klaus/sdk/version';
import { type RunningServer, startServer } from './server.ts';
import type { JudgeHook, PrepareDemo } from './http/handler.ts';
import { createServerLog, logCrashes, type ServerLog } from './observability/server-log.ts';
import type { ServedCluster } from './runs/cluster-queue.ts';
import { toShutdownTimes } from './runs/shutdown-times.ts';

export type { ServedCluster } from './runs/cluster-queue.ts';

export interface ServeOptions {
  klaus: Klaus;
  /** Its workers run the sessions. Default: the server runs them. */
  cluster?: ServedCluster;
  host?: string;
  port?: number;
  /** Open the page in the user's browser. */
  open?: boolean;
  /** Print the address as one JSON object. */
  json?: boolean;
  /** True if the command line started it in the background: its log is in files only. Default false. */
  isDaemon?: boolean;
  /** Judges events of hooks of Claude Code. Default: they are refused. */
  hooks?: JudgeHook;
  /** Prepares the project of the demo. Default: there is no demo. */
  prepareDemo?: PrepareDemo;
}

/** Serves until a signal arrives, or the server has been idle for `server.idleExitMs`. The first signal shuts down within the time-out, the second exits immediately. */
export async function serve(options: ServeOptions): Promise<void> {
  const { klaus, host, port, open = false, json = false, isDaemon = false, hooks, prepareDemo } = options;
  const { configuration } = klaus;
  const log = createServerLog({
    level: configuration.get('server.logLevel'),
    folder: join(klaus.home, 'logs'),
    keepDays: configuration.get('server.logDays'),
    write: (line) => void (isDaemon || process.stderr.write(line)),
    json,
    redact: (text) => klaus.redact(text),
  });
  const { webhookSecret, oidcClientSecret } = configuration.values.server;
  for (const secret of [webhookSecret, oidcClientSecret]) if (secret !== undefined) log.hide(secret);
  const stopLoggingCrashes = logCrashes(log);
  const server = await startServer({
    klaus,
    cluster: options.cluster,
    log,
    version: VERSION,
    isDaemon,
    hooks,
    prepareDemo,
    host,
    port,
  });
  log.hide(server.token);
  const stopped = waitForSignal((text) => log.info(text));
  printReady(server, json);
  for (const session of server.resumed) log.info('resumed a session of an earlier server', { session });
  if (open) openBrowser(klaus.home, server);
  const isIdle = await Promise.race([stopped, server.idle.then(() => true)]);
  if (isIdle) log.info('stopping: the server has no work and no clients');
  // The timer is not cleared: the caller closes Klaus after this, within the same time-out.
  const { exit } = toShutdownTimes(configuration.get('server.shutdownTimeoutMs'));
  setTimeout(() => exitEarly(log), exit).unref();
  await server.close();
  log.info('stopped');
  stopLoggingCrashes();
  log.close();
}

/** Nothing is lost, as after a kill: the next server resumes the runs. */
function exitEarly(log: ServerLog): never {
  log.warn('the shutdown timed out: the server exits before everything is closed');
  log.close();
  process.exit(0);
}

/** Where a browser signs in. A secret that the user chose is not in it: others may see the screen. */
function toAddress({ url, tokenFile, token, isTokenForBrowsers }: RunningServer): string {
  return tokenFile === null || !isTokenForBrowsers ? `${url}/` : `${url}/#token=${token}`;
}

function printReady(server: RunningServer, json: boolean): void {
  const { url, socket, tokenFile, isTokenForBrowsers } = server;
  if (json) {
    process.stdout.write(`${JSON.stringify({ url, socket, tokenFile, pid: process.pid })}\n`);
    return;
  }
  process.stdout.write(`${toAddress(server)}\n`);
  if (!isTokenForBrowsers) return void process.stderr.write('Sign in on the page. Ctrl-C stops the server.\n');
  process.stderr.write(
    tokenFile === null
      ? 'Sign in with AGENT_API_SECRET. Ctrl-C stops the server.\n'
      : `The address contains the token: do not share it. The token is in ${tokenFile}. Ctrl-C stops the server.\n`,
  );
}

function waitForSignal(log: (text: string) => void): Promise<void> {
  return new Promise((resolve) => {
    let isStopping = false;
    const stop = (): void => {
      if (isStopping) process.exit(130);
      isStopping = true;
      log('stopping after the current step of each run; a second signal exits immediately');
      resolve();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  });
}

/** Passes the address in a file that only this user can read: every user of a machine sees the arguments of a program. */
function openBrowser(home: string, server: RunningServer): void {
  const { url } = server;
  const address = toAddress(server);
  const file = join(home, 'server', 'open.html');
  writeFileSync(file, `<!doctype html><meta http-equiv="refresh" content="0;url=${address}">\n`, { mode: 0o600 });
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(program, [file], { detached: true, stdio: 'ignore', env: toHostEnvironment() });
  child.on('error', () => process.stderr.write(`The browser could not be opened (${program}). Open ${url}.\n`));
  child.unref();
}

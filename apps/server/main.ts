import { optional } from '@klaus/sdk/optional';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Klaus } from '@klaus/sdk';
import { toHostEnvironment } from '@klaus/sdk';
import { VERSION } from '@klaus/sdk/version';
import { type RunningServer, startServer } from './server.ts';
import { createServerLog, logCrashes, type ServerLog } from './observability/server-log.ts';
import { toShutdownTimes } from './runs/shutdown-times.ts';

export interface ServeOptions {
  klaus: Klaus;
  host?: string;
  port?: number;
  /** Open the page in the user's browser. */
  open?: boolean;
  /** Say that it is ready as one JSON object. */
  json?: boolean;
}

/** Serves until a signal comes: the first ends it in good order and in time, the second at once. */
export async function serve({ klaus, host, port, open = false, json = false }: ServeOptions): Promise<void> {
  const { configuration } = klaus;
  const log = createServerLog({
    level: configuration.get('server.logLevel'),
    folder: join(klaus.home, 'logs'),
    keepDays: configuration.get('server.logDays'),
    write: (line) => void process.stderr.write(line),
    json,
    redact: (text) => klaus.redact(text),
  });
  const { webhookSecret } = configuration.values.server;
  if (webhookSecret !== undefined) log.hide(webhookSecret);
  const forget = logCrashes(log);
  const server = await startServer({
    klaus,
    log,
    version: VERSION,
    ...optional({ host, port }),
  });
  log.hide(server.token);
  const stopped = waitForSignal((text) => log.info(text));
  sayReady(server, json);
  for (const session of server.takenOver) log.info('goes on with a session of the server before', { session });
  if (open) openBrowser(klaus.home, server);
  await stopped;
  // It stays: klaus is closed after this, and may take its time too.
  const { exit } = toShutdownTimes(configuration.get('server.shutdownTimeoutMs'));
  setTimeout(() => leave(log), exit).unref();
  await server.close();
  log.info('stopped');
  forget();
  log.close();
}

/** What is not closed is as safe as after a kill: the next server goes on with it. */
function leave(log: ServerLog): never {
  log.warn('the time-out of the shutdown is over: the server leaves before everything is closed');
  log.close();
  process.exit(0);
}

function sayReady({ url, socket, tokenFile, token }: RunningServer, json: boolean): void {
  if (json) {
    process.stdout.write(`${JSON.stringify({ url, socket, tokenFile, pid: process.pid })}\n`);
    return;
  }
  // A secret that the user chose is known to the user, and may be seen by others on this screen.
  const address = tokenFile === null ? `${url}/` : `${url}/#token=${token}`;
  process.stdout.write(`${address}\n`);
  process.stderr.write(
    tokenFile === null
      ? 'Sign in with AGENT_API_SECRET. Ctrl-C stops the server.\n'
      : `The address signs you in: keep it to yourself. The token is in ${tokenFile}. Ctrl-C stops the server.\n`,
  );
}

function waitForSignal(say: (text: string) => void): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    const stop = (): void => {
      if (asked) process.exit(130);
      asked = true;
      say('stopping: runs end their present step; a second signal leaves at once');
      resolve();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  });
}

/** By way of a file of this user alone: the arguments of a program are shown to every user of a machine. */
function openBrowser(home: string, { url, token, tokenFile }: RunningServer): void {
  const address = tokenFile === null ? `${url}/` : `${url}/#token=${token}`;
  const file = join(home, 'server', 'open.html');
  writeFileSync(file, `<!doctype html><meta http-equiv="refresh" content="0;url=${address}">\n`, { mode: 0o600 });
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(program, [file], { detached: true, stdio: 'ignore', env: toHostEnvironment() });
  child.on('error', () => process.stderr.write(`No browser could be opened (${program}): open ${url} yourself.\n`));
  child.unref();
}

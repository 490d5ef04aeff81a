import { readFileSync } from 'node:fs';
import { connect, type NetConnectOpts } from 'node:net';
import { join } from 'node:path';
import { toKlausError } from '@klaus/core/protocol';
import { orUndefined } from '../or-undefined.ts';
import { VERSION } from '../version.ts';
import { type Finding, ok, warn } from './finding.ts';

/** The default port of `klaus serve`. */
const PORT = 3001;

/** Checks whether `klaus serve` runs for this state folder and, if not, whether its port is free. */
export async function checkServer(home: string): Promise<Finding> {
  const name = 'server';
  const socket = join(home, 'server', 'klaus.sock');
  if (await isAnswered({ path: socket })) {
    return ok(name, `klaus serve runs at ${readUrl(`${socket}.json`) ?? socket}`);
  }
  if (await isAnswered({ host: '127.0.0.1', port: PORT })) {
    const text = `Port ${PORT} is in use by another program, so klaus serve cannot begin there`;
    return warn(name, text, 'Type: klaus serve --port 0 (it takes a free one)');
  }
  return ok(name, `not running; port ${PORT} is free`);
}

function readUrl(file: string): string | undefined {
  const { url } = orUndefined(() => JSON.parse(readFileSync(file, 'utf8')) as { url?: unknown }) ?? {};
  return typeof url === 'string' ? url : undefined;
}

async function isAnswered(to: NetConnectOpts): Promise<boolean> {
  return (await tryToConnect(to, 1_000)) === undefined;
}

/** Undefined when the address accepts a connection, otherwise the reason. */
export function tryToConnect(to: NetConnectOpts, timeoutMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(to);
    const end = (reason: string | undefined) => {
      socket.destroy();
      resolve(reason);
    };
    socket.setTimeout(timeoutMs, () => end(`no answer within ${timeoutMs / 1_000} s`));
    socket.once('connect', () => end(undefined));
    // Several addresses of the host failed. The first failure is reported.
    socket.once('error', (error) =>
      end(toKlausError(error instanceof AggregateError ? error.errors[0] : error).message),
    );
  });
}

/** Milliseconds that a remote server has to answer. */
const PATIENCE_MS = 5_000;

/** Checks whether the server in KLAUS_SERVER answers. No finding without one. Sends no token. */
export async function checkRemote(given: string | undefined): Promise<Finding[]> {
  if (given === undefined || given === '' || given === 'local') return [];
  const name = 'remote server';
  const fix = 'See KLAUS_SERVER: --server local, or unsetting it, means this machine.';
  try {
    const version = readVersion(await ask(given));
    if (version === undefined) return [warn(name, `There is no klaus serve at ${given}, but something else`, fix)];
    const text = `KLAUS_SERVER: klaus serve ${version} answers at ${given}`;
    if (version === VERSION) return [ok(name, text)];
    const same = 'Install the same version on both where a command says that they do not understand each other.';
    return [warn(name, `${text}, and this is ${VERSION}`, same)];
  } catch (error) {
    return [warn(name, `KLAUS_SERVER: ${given} cannot be reached: ${toKlausError(error).message}`, fix)];
  }
}

function readVersion(answer: string): string | undefined {
  const found = orUndefined(() => JSON.parse(answer) as { status?: unknown; version?: unknown });
  return found?.status === 'ok' && typeof found.version === 'string' ? found.version : undefined;
}

async function ask(given: string): Promise<string> {
  const { get } = given.startsWith('https:') ? await import('node:https') : await import('node:http');
  const socketPath = given.startsWith('unix:') ? given.slice('unix:'.length).replace(/^\/\/(?=\/)/, '') : undefined;
  const url = socketPath === undefined ? `${given.replace(/\/+$/, '')}/health` : 'http://localhost/health';
  return new Promise((resolve, reject) => {
    const options = { socketPath, signal: AbortSignal.timeout(PATIENCE_MS) };
    const request = get(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        // This is not an answer of `klaus serve`.
        if (text.length > 10_000) response.destroy(new Error('its answer does not end'));
      });
      response.on('end', () => resolve(text));
      response.on('error', reject);
    });
    request.on('error', reject);
  });
}

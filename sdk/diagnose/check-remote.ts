import { optional } from '@klaus/core/optional';
import { VERSION } from '../version.ts';
import type { Finding } from './finding.ts';

/** Milliseconds that a server elsewhere has to answer. */
const PATIENCE_MS = 5_000;

/**
 * Whether the server answers that KLAUS_SERVER names; nothing where it names none. Sends no token.
 *
 * @param given The value of KLAUS_SERVER.
 */
export async function checkRemote(given: string | undefined): Promise<Finding[]> {
  if (given === undefined || given === '' || given === 'local') return [];
  const name = 'remote server';
  const fix = 'See KLAUS_SERVER: --server local, or unsetting it, means this machine.';
  try {
    const answer = await ask(given);
    const version = readVersion(answer);
    if (version === undefined) {
      return [{ name, status: 'warn', text: `There is no klaus serve at ${given}, but something else`, fix }];
    }
    const text = `KLAUS_SERVER: klaus serve ${version} answers at ${given}`;
    if (version === VERSION) return [{ name, status: 'ok', text }];
    const same = 'Install the same version on both where a command says that they do not understand each other.';
    return [{ name, status: 'warn', text: `${text}, and this is ${VERSION}`, fix: same }];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [{ name, status: 'warn', text: `KLAUS_SERVER: ${given} cannot be reached: ${why}`, fix }];
  }
}

function readVersion(answer: string): string | undefined {
  try {
    const { status, version } = JSON.parse(answer) as { status?: unknown; version?: unknown };
    return status === 'ok' && typeof version === 'string' ? version : undefined;
  } catch {
    return undefined;
  }
}

async function ask(given: string): Promise<string> {
  const { get } = given.startsWith('https:') ? await import('node:https') : await import('node:http');
  const socketPath = given.startsWith('unix:') ? given.slice('unix:'.length).replace(/^\/\/(?=\/)/, '') : undefined;
  const url = socketPath === undefined ? `${given.replace(/\/+$/, '')}/health` : 'http://localhost/health';
  return new Promise((resolve, reject) => {
    const options = { ...optional({ socketPath }), signal: AbortSignal.timeout(PATIENCE_MS) };
    const request = get(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        // Whatever it is, it is no answer of a Klaus.
        if (text.length > 10_000) response.destroy(new Error('its answer does not end'));
      });
      response.on('end', () => resolve(text));
      response.on('error', reject);
    });
    request.on('error', reject);
  });
}

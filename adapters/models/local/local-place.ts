import { isIP } from 'node:net';
import { findListener, isLoopback, type Environment, type Listener } from '@klaus/adapters/system';
import type { ModelServerSettings, ServerFamily } from '@klaus/core/protocol';
import { SERVERS } from '../dialect/families.ts';
import type { LocalProgram } from './local-program.ts';

/** Where a program that serves models is, or would be. */
export interface LocalPlace {
  family: ServerFamily;
  program: LocalProgram;
  /** Scheme, host and port. */
  origin: string;
  /** False: requests leave this machine. */
  isLoopback: boolean;
  owner: Listener;
}

/** Families whose programs are looked for, by the first step of names of models. */
export const LOCAL_FAMILIES: readonly ServerFamily[] = (Object.keys(SERVERS) as ServerFamily[]).filter(
  (family) => SERVERS[family].program !== undefined,
);

export function isLocalFamily(name: string): name is ServerFamily {
  return LOCAL_FAMILIES.some((family) => family === name);
}

/** The place of a program, with the owner of its socket. Sends nothing. */
export function toLocalPlace(family: ServerFamily, env: Environment): LocalPlace {
  const program = SERVERS[family].program!;
  const url = toUrl(program.address?.(env), program.port);
  const host = url.hostname === 'localhost' ? '127.0.0.1' : url.hostname.replace(/^\[|\]$/g, '');
  const onLoopback = isLoopback(host);
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const owner = onLoopback ? findListener({ host, port }) : { user: 'unknown', program: 'unknown' };
  return { ...{ family, program, origin: url.origin, isLoopback: onLoopback }, owner };
}

/** Settings of a server for models that are named `FAMILY/ID`. */
export function toLocalSettings({ family, origin }: LocalPlace): ModelServerSettings {
  return { baseUrl: `${origin}/v1`, wire: 'chat', family, price: { input: 0, output: 0 } };
}

/** One line about a place, such as `Ollama at http://127.0.0.1:11434 (this machine, program ollama, user ada)`. */
export function describePlace({ program, origin, isLoopback: onLoopback, owner }: LocalPlace): string {
  const where = onLoopback ? 'this machine' : 'another address than loopback: texts leave this machine';
  return `${program.title} at ${origin} (${where}, program ${owner.program}, user ${owner.user})`;
}

/**
 * The address of a program as a client uses it. A server that listens at all addresses is reached at loopback.
 *
 * @param text As in `OLLAMA_HOST`: a URL, a host, a port after a colon, or both. An invalid one is the default.
 */
function toUrl(text: string | undefined, port: number): URL {
  const fallback = new URL(`http://127.0.0.1:${port}`);
  const given = text?.trim().replaceAll(/^["']|["']$/g, '') ?? '';
  if (given === '') return fallback;
  const hasScheme = /^https?:\/\//.test(given);
  const rest = given.replace(/^https?:\/\//, '');
  const bare = isIP(rest) === 6 ? `[${rest}]` : rest.replace(/^:/, '127.0.0.1:');
  const full = `${hasScheme ? given.slice(0, given.indexOf('//') + 2) : 'http://'}${bare}`;
  if (!URL.canParse(full)) return fallback;
  const url = new URL(full);
  if (!hasScheme && url.port === '' && !/:80(?:\/|$)/.test(bare)) url.port = String(port);
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1';
  if (url.hostname === '[::]') url.hostname = '[::1]';
  return new URL(url.origin);
}

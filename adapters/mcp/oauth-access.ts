import { lookup } from 'node:dns/promises';
import { classifyAddress, type AddressClass } from '@klaus/core/policy';
import { KlausError } from '@klaus/core/protocol';
import type { OAuthDiscoveryState } from '@modelcontextprotocol/client';
import { toPlace } from './server-config.ts';

/** From the widest class to the closest one. */
const CLASSES: readonly AddressClass[] = ['public', 'private', 'local'];
const MAX_REDIRECTS = 5;

/** True if requests of the session may reach a place. */
export type AllowsPlace = (place: { host: string; port: number }) => boolean;

type Fetch = (target: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * True for what a session may ask the authorization server at which the user logged in: its token endpoint, and its
 * metadata. Nothing that the MCP server names later is accepted.
 */
export function isAcceptedAddress(at: URL, accepted: OAuthDiscoveryState | undefined): boolean {
  if (!accepted) return false;
  const { authorizationServerUrl: server, authorizationServerMetadata: metadata } = accepted;
  const token = metadata ? metadata.token_endpoint : new URL('/token', server).href;
  if (at.href === new URL(token).href) return true;
  return at.origin === new URL(server).origin && at.pathname.includes('/.well-known/');
}

/** The class of a host by its addresses: the closest one of several. @throws KlausError `mcp.failed` for an unknown name. */
async function classifyHost(host: string): Promise<AddressClass> {
  const found = await lookup(host, { all: true }).catch((cause: unknown) => {
    throw new KlausError('mcp.failed', `The host ${host} is unknown.`, { cause });
  });
  return CLASSES.findLast((each) => found.some(({ address }) => classifyAddress(address) === each)) ?? 'local';
}

/** @throws KlausError `denied` for an address of this machine or a private network that the session may not reach. */
export async function checkSessionAddress(at: URL, { name, allows }: { name: string; allows: AllowsPlace }) {
  const { host, port } = toPlace({ url: at.href });
  if (allows({ host, port }) || (await classifyHost(host)) === 'public') return;
  throw new KlausError('denied', `The authorization server of the MCP server ${name} has a private address, ${host}.`, {
    hint: `The user can grant net(${host}, ${port}).`,
  });
}

/**
 * Requests of a login to a server. Of the addresses that the server names, those are reached that are not closer to this
 * machine than the server itself; redirects are followed for reading, and each address is checked.
 */
export function createLoginFetch(serverUrl: string, send: Fetch): Fetch {
  const server = new URL(serverUrl);
  const check = async (at: URL): Promise<void> => {
    if (at.origin === server.origin) return;
    if (at.protocol !== 'https:' && (at.protocol !== 'http:' || server.protocol === 'https:'))
      throw refuse(at, 'not an encrypted address');
    const [own, other] = await Promise.all([classifyHost(toHost(server)), classifyHost(toHost(at))]);
    if (CLASSES.indexOf(other) > CLASSES.indexOf(own)) throw refuse(at, 'a private address');
  };
  return async (target, init) => {
    let at = new URL(target);
    for (let count = 0; count <= MAX_REDIRECTS; count++) {
      await check(at);
      const isRead = (init?.method ?? 'GET') === 'GET' && init?.redirect !== 'error';
      const answer = await send(at, { ...init, redirect: isRead ? 'manual' : 'error' });
      const location = answer.status >= 300 && answer.status < 400 ? answer.headers.get('location') : null;
      if (!isRead || location === null) return answer;
      await answer.body?.cancel();
      at = new URL(location, at);
    }
    throw refuse(at, 'at the end of too many redirects');
  };
}

function toHost({ href }: URL): string {
  return toPlace({ url: href }).host;
}

function refuse(at: URL, reason: string): KlausError {
  return new KlausError('auth', `The login would use ${at.host}, which is ${reason}.`);
}

// Covers adapters/sandboxes/network, core/policy/network: the decision about a host is the address that is dialled. All cases: `npm run test:network`.
import { createServer } from 'node:http';
import { isIP, SocketAddress, type Socket, type TcpNetConnectOpts } from 'node:net';
import { duplexPair, type Duplex } from 'node:stream';
import { createWebClient } from '@klaus/adapters/sandboxes';
import type { HostRule } from '@klaus/core/policy';
import { isKlausError } from '@klaus/core/protocol';
import { expect, test } from 'vitest';
import { createFilterProxy } from '../../adapters/sandboxes/network/filter-proxy.ts';
import { createRandom, makeCase, makeRules, type Case, type MadeAddress, type MadeRule } from './cases.ts';

const COUNT = Number(process.env['NETWORK_CASES'] ?? 5_000);
const SEED = Number(process.env['NETWORK_SEED'] ?? 1);
/** Cases with the same rules. */
const BATCH = 50;

/** What happened to a case. */
interface Seen {
  decision: 'refused' | 'unreachable' | 'dialled';
  /** Names that were resolved. */
  resolved: string[];
  /** Addresses that were offered to the connection, with the port. */
  dialled: string[];
  /** The value of `Host` that arrived, for requests. */
  host?: string;
}

/** The servers, in memory: one answers all requests with a redirect, or not. */
function createWorld(made: readonly MadeRule[]) {
  let current: Case;
  let seen: Seen;
  let next: string | undefined;
  const origin = createServer((request, response) => {
    seen.host = request.headers.host;
    response.writeHead(next === undefined ? 200 : 302, next === undefined ? {} : { location: next });
    response.end();
  });
  const resolve = async (host: string): Promise<readonly MadeAddress[]> => {
    seen.resolved.push(host);
    // The next answer is another one: a name that is resolved twice leads elsewhere.
    return seen.resolved.length === 1 ? current.answer : [{ address: '127.0.0.1', family: 4, kind: 'local' }];
  };
  const dial = (options: TcpNetConnectOpts): Socket => {
    const { host = '', port } = options;
    const note = (address: string): void => void seen.dialled.push(toPlace(address, port));
    // As `net.connect` does: an address is connected to, a name is looked up.
    if (isIP(host) !== 0) note(host);
    else options.lookup!(host, { all: true }, (_, found) => toList(found).forEach(note));
    const [near, far] = duplexPair();
    const socket = Object.assign(near, { setTimeout: () => near }) as unknown as Socket;
    if (current.way === 'tunnel') far.resume();
    else origin.emit('connection', far);
    process.nextTick(() => near.emit('connect'));
    return socket;
  };
  const rules = made.map(({ host, port }): HostRule => {
    const isBelow = host.startsWith('*.');
    return { host: isBelow ? host.slice(2) : host, isBelow, port };
  });
  const proxy = createFilterProxy({ rules, env: {}, resolve, dial, onRefused: () => {} });
  const client = createWebClient({ rules, env: {}, resolve, dial });

  return async (one: Case, location?: string): Promise<Seen & { location?: string }> => {
    current = one;
    next = location;
    seen = { decision: 'refused', resolved: [], dialled: [] };
    if (one.way === 'client') {
      try {
        const { headers } = await client.send({ url: one.text });
        return { ...seen, decision: 'dialled', location: headers['location'] };
      } catch (error) {
        const isRefused = isKlausError(error) && error.code !== 'tool.failed';
        return { ...seen, decision: isRefused ? 'refused' : 'unreachable' };
      }
    }
    const [near, far] = duplexPair();
    proxy.emit('connection', far);
    const line = one.way === 'tunnel' ? `CONNECT ${one.text} HTTP/1.1` : `GET ${one.text} HTTP/1.1`;
    near.write(`${line}\r\nHost: evil.com\r\nConnection: close\r\n\r\n`);
    const head = await readHead(near);
    near.destroy();
    const status = Number(/^HTTP\/1.1 (\d+)/.exec(head)?.[1] ?? 400);
    const decision = status === 502 ? 'unreachable' : status === 200 || status === 302 ? 'dialled' : 'refused';
    return { ...seen, decision, location: /^location: (.*)\r$/im.exec(head)?.[1] };
  };
}

/** One spelling for each address. */
function toPlace(address: string, port: number): string {
  return `${new SocketAddress({ address, family: isIP(address) === 6 ? 'ipv6' : 'ipv4' }).address} ${port}`;
}

function toList(found: string | readonly { address: string }[]): string[] {
  return typeof found === 'string' ? [found] : found.map(({ address }) => address);
}

/** The head of an answer; '' if the connection was closed. */
async function readHead(stream: Duplex): Promise<string> {
  let text = '';
  for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    text += chunk.toString('latin1');
    if (text.includes('\r\n\r\n')) return text;
  }
  return text;
}

/** What has to happen, from the construction of the case alone. */
function expectOf(one: Case, rules: readonly MadeRule[]): { decision: Seen['decision']; addresses: string[] } {
  const { meaning } = one;
  const rule = meaning && rules.find((each) => covers(each, meaning));
  if (!meaning || !rule) return { decision: 'refused', addresses: [] };
  const isMachine = ['localhost', '127.0.0.1', '10.0.0.7'].includes(rule.host);
  const kinds = isMachine ? ['local', 'private', 'public'] : rule.host === '*' ? ['public'] : ['private', 'public'];
  const found = meaning.literal ? [meaning.literal] : one.answer;
  const addresses = found
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ address }) => toPlace(address, meaning.port));
  return { decision: addresses.length > 0 ? 'dialled' : 'unreachable', addresses };
}

function covers({ host, port }: MadeRule, meant: { host: string; port: number }): boolean {
  if (port !== 0 && port !== meant.port) return false;
  if (host === '*') return true;
  if (!host.startsWith('*.')) return host === meant.host;
  const labels = meant.host.split('.');
  const own = host.slice(2).split('.');
  return labels.length > own.length && labels.slice(-own.length).join('.') === own.join('.');
}

function compare(one: Case, seen: Seen, rules: readonly MadeRule[]): object[] {
  const wanted = expectOf(one, rules);
  const isName = wanted.decision !== 'refused' && one.meaning?.literal === undefined;
  const isSame =
    seen.decision === wanted.decision &&
    JSON.stringify(seen.dialled) === JSON.stringify(wanted.addresses) &&
    seen.resolved.length === (isName ? 1 : 0) &&
    // The server is asked for the host that was decided, not for another one.
    (seen.host === undefined || seen.host !== 'evil.com');
  return isSame ? [] : [{ one, seen, wanted, rules }];
}

test(`${COUNT} hosts, URLs and redirects are decided as they are dialled`, { timeout: 900_000 }, async () => {
  const random = createRandom(SEED);
  const mismatches: object[] = [];
  const decisions = { refused: 0, unreachable: 0, dialled: 0 };
  let redirects = 0;
  for (let done = 0; done < COUNT;) {
    const rules = makeRules(random);
    const visit = createWorld(rules);
    for (let at = 0; at < BATCH && done < COUNT; at++) {
      let one: Case | undefined = makeCase(random, ['tunnel', 'plain', 'client']);
      // The targets of redirects, which a program follows: each is a new request.
      for (let hop = 0; one && done < COUNT; hop++) {
        const target: Case | undefined = one.way === 'tunnel' || hop === 3 ? undefined : makeCase(random, [one.way]);
        const { location, ...seen }: Awaited<ReturnType<typeof visit>> = await visit(one, target?.text);
        mismatches.push(...compare(one, seen, rules));
        decisions[seen.decision]++;
        done++;
        if (location !== undefined) redirects++;
        one = location === undefined ? undefined : target;
      }
    }
  }
  expect(mismatches.slice(0, 3)).toEqual([]);
  expect(mismatches).toHaveLength(0);
  // The cases are of use only if each decision occurs often.
  for (const count of [...Object.values(decisions), redirects]) expect(count).toBeGreaterThan(COUNT / 50);
});

import { describe, expect, test } from 'vitest';
import type { Access, Effect, Grant, Mode } from '../protocol/index.ts';
import { decide } from './gate.ts';
import { parseGrant } from './grant/parse-grant.ts';
import type { CallFacts, GateContext } from './rule.ts';
import { findAddresses, toAddress, toChoiceBits, type AddressOrigin, type Taint } from './taint.ts';

const EVERYTHING = 'file-operations, code-execution, web-access, deploy, secret(KEY, api.example.com)';
const grantOf = (text: string): Grant => parseGrant(text, { workspace: '/project', now: 0 });

const taint = (more: Partial<Taint> = {}): Taint => ({
  source: 'https://evil.example/',
  isPassed: false,
  addresses: new Map<string, AddressOrigin>([
    ['https://docs.example/a', 'user'],
    ['https://docs.example/b', 'web'],
  ]),
  spentBits: 0,
  fetched: new Map(),
  prompts: () => ['How do I use the parser of libfoo in C?'],
  pages: () => ['The parser has an option called strict.'],
  ...more,
});

const context = (more: Partial<GateContext> = {}): GateContext => ({
  grant: grantOf(EVERYTHING),
  mode: 'auto',
  patchApproval: false,
  workspace: '/project',
  home: '/home/me/.klaus',
  now: 0,
  isOffline: true,
  taint: taint(),
  ...more,
});

const call = (effects: Effect[], access: Access[], more: Partial<CallFacts> = {}): CallFacts => ({
  ...{ name: 'some_tool', effects, access, altered: false, ...more },
});
const NET: Access = { kind: 'net', host: 'docs.example', port: 443 };
const fetching = (url: string) => call(['network'], [NET], { name: 'web_fetch', fetches: url });
const searching = (query: string) => call(['network'], [NET], { name: 'web_search', searches: query });
const askers = (facts: CallFacts, gate: GateContext) =>
  decide(facts, gate)
    .findings.filter(({ verdict }) => verdict === 'ask')
    .map(({ rule }) => rule);

describe('a session that has read untrusted content', () => {
  test.each<[string, CallFacts]>([
    ['a request to a host', call(['network'], [NET])],
    [
      'a command with the network',
      call(
        ['execute'],
        [
          { kind: 'exec', command: 'ls' },
          { ...NET, host: '*', port: 0 },
        ],
      ),
    ],
    ['input of a process with the network', call(['execute'], [{ kind: 'exec', command: 'ls', hasNetwork: true }])],
    ['a credential', call(['network'], [{ kind: 'secret', name: 'KEY', host: 'api.example.com' }])],
    ['a deployment', call(['deploy'], [])],
    ['a tool of unknown effects', call(['read', 'write', 'execute', 'network', 'deploy'], [])],
    ['a note for later sessions', call(['write'], [], { isForLater: true })],
    ['an address that it made', fetching('https://docs.example/b?d=1')],
    ['another path', fetching('https://docs.example/c')],
    ['another host', fetching('https://secret.docs.example/b')],
  ])('asks before %s, in every mode', (_, facts) => {
    for (const mode of ['ask', 'edits', 'auto'] satisfies Mode[])
      expect(askers(facts, context({ mode }))).toContain('taint');
    expect(askers(facts, context({ taint: undefined } as never))).not.toContain('taint');
  });

  test.each<[string, CallFacts]>([
    ['an address of the user', fetching('https://docs.example/a')],
    ['a link of a page', fetching('https://docs.example/b')],
    ['a search with words of the user and of pages', searching('libfoo parser strict option C')],
    ['reading and editing', call(['write'], [{ kind: 'fs', path: '/project/a', right: 'w' }])],
    ['a command without a network', call(['execute'], [{ kind: 'exec', command: 'ls' }])],
    ['a command of the user', call(['execute'], [{ kind: 'exec', command: 'ls' }, NET], { byUser: true })],
  ])('does not ask before %s', (_, facts) => {
    expect(askers(facts, context())).toEqual([]);
  });

  test.each([
    ['a word of a file', 'libfoo canary7f3a'],
    ['letters of pages', 'b a'],
    ['a long query', 'parser '.repeat(40)],
  ])('asks before a search with %s', (_, query) => {
    expect(askers(searching(query), context({ taint: taint({ pages: () => ['a b c'] }) }))).toContain('taint');
  });

  test.each(['https://docs.example/a', 'https://docs.example/b'])(
    'asks when the choice of addresses has sent enough: %s',
    (url) => {
      expect(askers(fetching(url), context({ taint: taint({ spentBits: 70 }) }))).toEqual([]);
      expect(askers(fetching(url), context({ taint: taint({ spentBits: 71 }) }))).toContain('taint');
    },
  );

  test('asks when it has read one address many times', () => {
    const fetched = new Map([['https://docs.example/a', 32]]);
    expect(askers(fetching('https://docs.example/a'), context({ taint: taint({ fetched }) }))).toContain('taint');
    expect(askers(fetching('https://docs.example/b'), context({ taint: taint({ fetched }) }))).toEqual([]);
  });

  test('asks before every command where commands have the network', () => {
    expect(askers(call(['execute'], [{ kind: 'exec', command: 'ls' }]), context({ isOffline: false }))).toContain(
      'taint',
    );
  });

  test('may reach the web if it can read nothing private, unless another session passed data on', () => {
    const grant: Grant = {
      authorities: [
        { kind: 'net', host: '*', port: 443 },
        { kind: 'tool', name: 'web_fetch' },
      ],
    };
    const facts = fetching('https://other.example/');
    expect(askers(facts, context({ grant }))).toEqual([]);
    expect(askers(facts, context({ grant, taint: taint({ isPassed: true }) }))).toContain('taint');
  });
});

describe('addresses', () => {
  test('are compared as they are sent', () => {
    expect(toAddress('HTTPS://Docs.Example:443/a#part')).toBe('https://docs.example/a');
    expect(toAddress('https://me:pass@docs.example/')).toBeUndefined();
    expect(toAddress('file:///etc/passwd')).toBeUndefined();
    expect(toAddress(`https://docs.example/${'a'.repeat(2_000)}`)).toBeUndefined();
  });

  test('are found without what ends a sentence', () => {
    expect(findAddresses('See https://a.example/x. Or (http://b.example/y), [z](https://c.example/z).')).toEqual(
      expect.arrayContaining(['https://a.example/x', 'http://b.example/y', 'https://c.example/z']),
    );
  });

  const known = (origins: readonly AddressOrigin[]) =>
    new Map(origins.map((origin, at): [string, AddressOrigin] => [`https://a.example/${at}`, origin]));
  const list = (count: number, origin: AddressOrigin) => Array.from({ length: count }, () => origin);

  test('are a choice of more bits, the more there are', () => {
    const bits = (count: number) =>
      toChoiceBits({ addresses: known(list(count, 'web')), fetched: new Map() }, 'https://a.example/0');
    expect([1, 2, 26, 300].map(bits)).toEqual([1, 2, 6, 10]);
  });

  test('of a prompt in their order, and the last one again, are two bits', () => {
    const addresses = known([...list(20, 'user'), ...list(300, 'web')]);
    const bits = (fetched: [string, number][], address: string) =>
      toChoiceBits({ addresses, fetched: new Map(fetched) }, `https://a.example/${address}`);
    expect(bits([], '0')).toBe(2);
    expect(bits([['https://a.example/0', 1]], '1')).toBe(2);
    expect(bits([['https://a.example/0', 3]], '0')).toBe(2);
    expect(bits([['https://a.example/0', 1]], '7')).toBe(10);
  });

  test('never send more than is counted', () => {
    for (const users of [0, 1, 2, 3, 17])
      for (const pages of [0, 1, 2, 5, 300])
        for (const last of [undefined, 0, 1, users]) {
          const addresses = known([...list(users, 'user'), ...list(pages, 'web')]);
          const fetched = new Map(last === undefined ? [] : [[`https://a.example/${last}`, 1] as const]);
          const shares = [...addresses.keys()].map((address) => 2 ** -toChoiceBits({ addresses, fetched }, address));
          expect(shares.reduce((sum, share) => sum + share, 0)).toBeLessThanOrEqual(1);
        }
  });
});

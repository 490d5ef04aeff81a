import { describe, expect, test } from 'vitest';
import { authoritySchema, grantSchema, type Access, type Authority, type Grant } from '../../protocol/index.ts';
import { allowsAccess, allowsTool } from './access.ts';
import { intersect, isCovered, toGrant, unite } from './algebra.ts';
import { toDefaultGrant } from './bundle.ts';
import { attenuate } from './attenuate.ts';
import { parseGrant } from './parse-grant.ts';
import { revoke } from './revoke.ts';
import { toGrantText } from './grant-text.ts';
import { both, createRandom, either, excess, reachOf, reachOfGrant, toRandomGrant, USES } from './universe.fixture.ts';

const grant = (text: string): Grant => parseGrant(text, { workspace: '/w' });
const pairs = Array.from({ length: 3_000 }, (_, seed) => {
  const random = createRandom(seed);
  return { a: toRandomGrant(random, 5), b: toRandomGrant(random, 5) };
});

describe('against every use of a small world, at every moment', () => {
  test('an intersection allows what both allow, and delegates what both delegate', () => {
    for (const { a, b } of pairs) {
      const [left, right, found] = [reachOfGrant(a), reachOfGrant(b), reachOfGrant(intersect(a, b))];
      expect(found).toEqual({ held: both(left.held, right.held), handed: both(left.handed, right.handed) });
    }
  });

  test('a union allows what either allows', () => {
    for (const { a, b } of pairs) {
      expect(reachOfGrant(unite([a, b])).held).toEqual(either(reachOfGrant(a).held, reachOfGrant(b).held));
    }
  });

  test('what is covered allows nothing more, and an intersection is covered by both', () => {
    for (const { a, b } of pairs) {
      const common = intersect(a, b);
      expect(isCovered(common, a) && isCovered(common, b)).toBe(true);
      if (isCovered(a, b)) expect(excess(reachOfGrant(a).held, reachOfGrant(b).held, 0)).toEqual([]);
    }
  });

  test('a grant in fewer pieces is the same grant', () => {
    for (const { a } of pairs) {
      const short = toGrant(
        a.authorities.map((one) => ({ ...one, expiresAt: Math.min(one.expiresAt ?? 99, a.expiresAt ?? 99) })),
      );
      expect(reachOf(short.authorities, short.expiresAt).map((ends) => Math.min(ends, 99))).toEqual(
        reachOf(a.authorities, Math.min(a.expiresAt ?? 99, 99)),
      );
      expect(short.authorities.length).toBeLessThanOrEqual(a.authorities.length + 4);
    }
  });

  test('a revocation takes nothing but its parts, and all of them', () => {
    for (const { a, b } of pairs) {
      const gone = reachOf(b.authorities.map(({ expiresAt: _, ...rest }) => rest));
      const left = reachOfGrant(revoke(a, b.authorities, { partial: 'all' })).held;
      expect(USES.filter((_, index) => gone[index]! > 0 && left[index]! > 0)).toEqual([]);
      expect(excess(left, reachOfGrant(a).held, 0)).toEqual([]);
    }
  });

  test('the gate allows an access exactly when the grant reaches it', () => {
    const accesses: [string, Access][] = [
      ['r /a/x', { kind: 'fs', path: '/a/x', right: 'r' }],
      ['w /ab', { kind: 'fs', path: '/ab', right: 'w' }],
      ['x /a/x/1', { kind: 'fs', path: '/a/x/1', right: 'x' }],
      ['a.h.io:1', { kind: 'net', host: 'A.h.io.', port: 1 }],
      ['npm test', { kind: 'exec', command: 'npm  test' }],
      ['git log', { kind: 'exec', command: 'git log' }],
    ];
    for (const { a } of pairs.slice(0, 1_000)) {
      const { held } = reachOfGrant(a);
      for (const now of [0, 5, 9, 14]) {
        for (const [name, access] of accesses) {
          const ends = held[USES.findIndex((use) => use.name === name)]!;
          expect(allowsAccess(a, access, now)).toBe(ends > now);
        }
        expect(allowsTool(a, 't1', now)).toBe(held[USES.findIndex((use) => use.name === 't1')]! > now);
      }
    }
  });
});

describe('absence is denial', () => {
  test.each<[string, Access]>([
    ['fs(/w, rw)', { kind: 'fs', path: '/w-evil/a', right: 'r' }],
    ['fs(/w, rw)', { kind: 'fs', path: '/w/../etc/passwd', right: 'r' }],
    ['fs(/w, rw)', { kind: 'fs', path: '/w', right: 'x' }],
    ['net(*, 443)', { kind: 'net', host: '*', port: 0 }],
    ['net(*.h.io)', { kind: 'net', host: 'h.io', port: 1 }],
    ['net(*.h.io)', { kind: 'net', host: 'evilh.io', port: 1 }],
    ['net(h.io)', { kind: 'net', host: 'h.io\u0000.evil.io', port: 1 }],
    ['fs(/, rwx) net(*)', { kind: 'exec', command: 'ls' }],
    ['exec(npm test)', { kind: 'exec', command: 'npm run' }],
    ['exec(npm)', { kind: 'exec', command: 'npmx' }],
    ['exec(npm)', { kind: 'exec', command: 'npm test; rm -rf .' }],
    ['exec(npm)', { kind: 'exec', command: 'npm $(id)' }],
    ['exec(npm)', { kind: 'exec', command: 'npm\nrm' }],
    ['exec(npm)', { kind: 'exec', command: 'A=1 npm' }],
    ['exec(npm)', { kind: 'exec', command: 'npm *' }],
    ['exec(npm)', { kind: 'exec', command: 'npm > x' }],
    ['exec(npm)', { kind: 'exec', command: '' }],
    ['exec(npm)', { kind: 'exec', command: 'npm test && git log' }],
    ['exec(npm)', { kind: 'exec', command: 'npm test | tee x' }],
    ['exec(npm)', { kind: 'exec', command: 'npm test & git log' }],
    ['exec(npm)', { kind: 'exec', command: 'npm test && ' }],
    ['exec(npm)', { kind: 'exec', command: './npm test' }],
    ['exec(npm)', { kind: 'exec', command: '"npm" test' }],
  ])('%s does not allow %j', (text, access) => {
    expect(allowsAccess(grant(text), access, 0)).toBe(false);
  });

  test('a line of several commands needs authority for each', () => {
    const held = grant('exec(npm test) exec(git)');
    for (const command of ['npm test && git log', 'git log | git apply', 'npm test; npm test --watch']) {
      expect(allowsAccess(held, { kind: 'exec', command }, 0)).toBe(true);
    }
    expect(allowsAccess(held, { kind: 'exec', command: 'npm test || npm publish' }, 0)).toBe(false);
  });

  test('an authority is none from its expiry on', () => {
    const fs: Access = { kind: 'fs', path: '/w/a', right: 'r' };
    for (const held of [{ ...grant('fs(., r)'), expiresAt: 10 }, grant('fs(., r) until 1970-01-01T00:00:00.010Z')]) {
      expect([9, 10, 11].map((now) => allowsAccess(held, fs, now))).toEqual([true, false, false]);
    }
  });
});

describe('shapes', () => {
  test('a grant of an older log reads as it did', () => {
    const old = {
      authorities: [{ kind: 'fs', path: '/p', rights: 'rwx' }, { kind: 'exec' }, { kind: 'tool', name: '*' }],
    };
    expect(grantSchema.parse(old)).toEqual(old);
    expect(toDefaultGrant('/p')).toEqual(old);
  });

  test.each([
    ['/srv//app/./x/', '/srv/app/x'],
    ['/', '/'],
    ['/srv/äö 漢', '/srv/äö 漢'],
    ['/..a', '/..a'],
  ])('the path %j is %j', (path, normal) => {
    expect(authoritySchema.parse({ kind: 'fs', path, rights: 'r' })).toMatchObject({ path: normal });
  });

  test.each(['src', '', '.', '/srv/../etc', '/..', '/a\0b', '/a\ud800'])('the path %j is refused', (path) => {
    expect(authoritySchema.safeParse({ kind: 'fs', path, rights: 'r' }).success).toBe(false);
  });

  test.each(['h.io/x', 'http://h.io', 'h io', 'h.io:443', 'hö.io', 'a*.io', '', '-x.io', 'h..io'])(
    'the host %j is refused',
    (host) => {
      expect(authoritySchema.safeParse({ kind: 'net', host, port: 0 }).success).toBe(false);
    },
  );
});

describe('revocation', () => {
  const held = grant('fs(., rwx) exec tool(*) net(h.io) spend($5) delegable: fs(., r) spend($5)');

  test('revokes rights, one tool of all, and a part of an amount', () => {
    const parts: Authority[] = grant('fs(/, w) tool(b) spend($2)').authorities;
    expect(toGrantText(revoke(held, parts, { tools: ['a', 'b', 'c'] }))).toBe(
      'fs(/w, rx) · net(h.io) · exec · tool(a) · tool(c) · spend($3) · delegable: fs(/w, r) · spend($3)',
    );
  });

  test('of everything leaves nothing', () => {
    expect(revoke(held, undefined)).toEqual({ authorities: [] });
  });

  test('of what a grant cannot leave out is refused, and nothing is lost', () => {
    const refusal = (message: RegExp) =>
      expect.objectContaining({ code: 'usage', message: expect.stringMatching(message) as string });
    expect(() => revoke(held, grant('fs(src, r)').authorities)).toThrow(refusal(/fs\(\/w, r\).*fs\(\/w\/src, r\)/));
    expect(() => revoke(held, grant('exec(rm)').authorities)).toThrow(refusal(/exec\(rm\)/));
  });
});

describe('attenuation', () => {
  test('money moves, and the parent has the rest', () => {
    const parent = grant('tool(*) spend($5) spawn(1, 2) delegable: tool(a) spend($4)');
    const { child, rest, moved } = attenuate(parent, grant('tool(*) spend($3) exec delegable: tool(*)'), 0);
    expect(toGrantText(child)).toBe('tool(a) · spend($3) · delegable: tool(a)');
    expect(toGrantText(rest)).toBe('tool(*) · spend($2) · spawn(1, 1) · delegable: tool(a) · spend($1)');
    expect(moved).toEqual({ usd: 3, turns: 0, agents: 0 });
  });

  test('without authority to create agents it is denied', () => {
    expect(() => attenuate(grant('tool(*) delegable: tool(*)'), grant('tool(*)'), 0)).toThrow(
      expect.objectContaining({ code: 'denied', hint: expect.stringContaining('spawn(') as string }),
    );
  });
});

import { describe, expect, test } from 'vitest';
import { grantSchema, type Grant } from '../../protocol/index.ts';
import { explainAccess, toNeedsText } from './explain-access.ts';
import { toGrantText } from './grant-text.ts';
import { readTime, toTimeText } from './grant-time.ts';
import { isNothing } from './authority.ts';
import { allowsAccess } from './access.ts';
import { unite } from './algebra.ts';
import { parseAuthorities, parseGrant, parseGrants } from './parse-grant.ts';
import { WIDEST } from './revoke.ts';
import { createRandom, pick, toRandomGrant, type Random } from './universe.fixture.ts';

const at = { workspace: '/srv/app' };

test('a grant is one readable line', () => {
  const grant: Grant = {
    authorities: [{ kind: 'fs', path: '/srv/app', rights: 'rwx' }, { kind: 'exec' }, { kind: 'tool', name: '*' }],
    delegable: [{ kind: 'fs', path: '/srv/app', rights: 'r' }],
    expiresAt: Date.UTC(2026, 11, 1),
  };
  const text = 'fs(/srv/app, rwx) · exec · tool(*) · expires 2026-12-01T00:00Z · delegable: fs(/srv/app, r)';
  expect(toGrantText(grant)).toBe(text);
  expect(parseGrant(text, at)).toEqual(grant);
});

const PIECES = [
  'a',
  'Z',
  '0',
  ' ',
  '"',
  '\\',
  '(',
  ')',
  ',',
  '·',
  ';',
  '→',
  '->',
  '=>',
  '\n',
  '\u200b',
  '\u202e',
  'é',
  'e\u0301',
  '漢',
  '🧮',
  '\u00a0',
  '$',
  '*',
  '=',
  "'",
  '#',
];

function toWord(random: Random): string {
  return Array.from({ length: 1 + random(6) }, () => pick(random, PIECES)).join('');
}

/** A grant with words that are hard to write down. */
function toOddGrant(random: Random): Grant {
  const grant = toRandomGrant(
    random,
    random(2) === 0 ? 5 : Date.UTC(2_000 + random(900), random(12), 1 + random(28), random(24)),
  );
  const odd = (): Grant['authorities'] => [
    { kind: 'fs', path: `/${toWord(random).replaceAll('/', '')}`, rights: 'rw' },
    { kind: 'exec', argv: [toWord(random), toWord(random)] },
    { kind: 'tool', name: toWord(random) },
    { kind: 'secret', name: toWord(random), host: pick(random, ['*', 'h.io', '::1']) },
    { kind: 'model', ids: [toWord(random), 'm/1'] },
    { kind: 'spend', usd: random(1_000) / 7 + 1e-9 },
    { kind: 'net', host: '2001:db8::1', port: random(65_536) },
  ];
  const shown = (all: Grant['authorities']) => all.filter((one) => !isNothing(one));
  const authorities = shown([...grant.authorities, ...odd()]);
  const delegable = shown(authorities.filter(() => random(2) === 0));
  const { expiresAt } = grant;
  return grantSchema.parse({
    authorities,
    ...(delegable.length > 0 ? { delegable } : {}),
    expiresAt,
  });
}

test('every grant reads back as it was written, in plain visible characters', () => {
  for (let seed = 0; seed < 3_000; seed++) {
    const grant = toOddGrant(createRandom(seed));
    const text = toGrantText(grant);
    expect(parseGrant(text, at)).toEqual(grant);
    expect(text).toMatch(/^[\p{L}\p{N}\x20-\x7e·→]+$/u);
  }
});

test('times are those of the calendar', () => {
  const random = createRandom(7);
  for (let i = 0; i < 5_000; i++) {
    const ms = random(253_402_300) * 1_000_000 + random(3) * 500;
    const exact = new Date(ms).toISOString();
    expect(toTimeText(ms)).toBe(exact.replace(/:00\.000Z$/, 'Z'));
    expect(readTime(exact)).toBe(ms);
  }
  expect(
    ['2027-02-29', '2026-13-01', '2026-00-01', '2026-12-01T24:00Z', 'tomorrow', '2h'].map((text) => readTime(text)),
  ).toEqual(Array.from({ length: 6 }));
  expect(readTime('2h', 1_000)).toBe(7_201_000);
});

describe('what people write', () => {
  test.each([
    ['file-operations code-execution', 'fs(/srv/app, rwx) · exec · tool(*)'],
    ['file-operations,web-access', 'fs(/srv/app, rw) · net(*, 443) · net(*, 80) · tool(*)'],
    ['agent-creation', 'tool(*) · spawn(1, 8)'],
    ['deploy', 'fs(/srv/app, rx) · net(*) · exec · tool(*)'],
    ['fs(., wr); fs(src/, r) fs(/x//y, x)', 'fs(/srv/app, rw) · fs(/x/y, x)'],
    ['net(H.io., *) net([::1], 80)', 'net(h.io) · net([::1], 80)'],
    ['secret(npm -> registry.test)', 'secret(npm → registry.test)'],
    ['spend(2.50) turns(10)', 'spend($2.5) · turns(10)'],
    ['nothing', 'nothing'],
    ['exec until 2h', 'exec · expires 1970-01-01T02:00Z'],
  ])('%s', (text, normal) => {
    expect(toGrantText(unite([parseGrant(text, { ...at, now: 0 })]))).toBe(normal);
  });

  test('several texts are one grant, each with its own end', () => {
    const texts = ['exec expires 2026-12-01 delegable: exec', 'tool(*)'];
    expect(toGrantText(parseGrants(texts, at))).toBe(
      'exec until 2026-12-01T00:00Z · tool(*) · delegable: exec until 2026-12-01T00:00Z',
    );
  });

  test.each([
    ['fs(., rw) exce', 'character 11', 'exec?'],
    ['file-operation', '"file-operation"', 'file-operations?'],
    ['fs(., q)', 'character 4', 'fs(path, rwx)'],
    ['fs(../x, r)', '`..`', 'fs(path, rwx)'],
    ['fs(my folder, r)', 'fs', 'fs(path, rwx)'],
    ['tool(a, b)', 'tool', 'tool(name)'],
    ['net(h.io, 70000)', 'net', 'net(host, port)'],
    ['spend($-1)', 'spend', 'spend($5)'],
    ['exec(npm', 'character 9', ''],
    ['tool("a)', 'character 6', ''],
    ['exec expires soon', 'character 14', 'UTC'],
    ['exec expires 2h', 'character 14', 'UTC'],
    ['exec expires 2026-01-01 expires 2026-01-02', 'character 25', ''],
    ['tool(a\u200bb)', 'character 7', ''],
    ['exec delegable: net(*)', 'net(*)', '"delegable:"'],
    ['deploy(x)', 'bundle deploy', ''],
  ])('%j is refused with the place and a way out', (text, message, hint) => {
    expect(() => parseGrant(text, at)).toThrow(
      expect.objectContaining({
        code: 'usage',
        message: expect.stringContaining(message) as string,
        ...(hint === '' ? {} : { hint: expect.stringContaining(hint) as string }),
      }),
    );
  });

  test('in a revocation, a kind alone means all of it', () => {
    expect(parseAuthorities('net exec(npm) fs', { ...at, widest: WIDEST })).toEqual([
      WIDEST.net,
      { kind: 'exec', argv: ['npm'] },
      WIDEST.fs,
    ]);
  });
});

describe('explaining', () => {
  const call = {
    name: 'run_command',
    effects: ['execute'] as const,
    access: [
      { kind: 'exec', command: 'npm test' },
      { kind: 'fs', path: '/srv/app/a', right: 'w' },
      { kind: 'net', host: '*', port: 0 },
    ] as const,
  };

  test('names what covers, what comes closest, and what would do', () => {
    const grant = parseGrant('exec(npm) fs(., r) net(h.io, 443) tool(*)', at);
    const rows = explainAccess(grant, call, 0);
    expect(rows.map(({ covered }) => covered)).toEqual([true, true, false, false]);
    expect(rows[1]!.by).toEqual([{ kind: 'exec', argv: ['npm'] }]);
    expect(rows[2]!.nearest).toEqual({ authority: { kind: 'fs', path: '/srv/app', rights: 'r' }, why: 'it lacks w' });
    expect(toNeedsText(rows)).toBe('fs(/srv/app/a, w) · net(*)');
  });

  test('says that an authority would do but has expired', () => {
    const rows = explainAccess(parseGrant('tool(run_command) until 2026-01-01', at), call, Date.UTC(2026, 1, 1));
    expect(rows[0]).toMatchObject({ covered: false, nearest: { why: 'it expired at 2026-01-01T00:00Z' } });
  });

  test('what it says would do, does', () => {
    for (let seed = 0; seed < 500; seed++) {
      const grant = toRandomGrant(createRandom(seed), 5);
      const rows = explainAccess(grant, call, 7);
      const wider = parseGrants([toGrantText(unite([grant])), toNeedsText(rows) || 'nothing'], at);
      expect(call.access.every((access) => allowsAccess(wider, access, 7))).toBe(true);
    }
  });
});

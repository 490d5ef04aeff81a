import { describe, expect, test } from 'vitest';
import { isUlid, readUlidTime, toUlid } from './ulid.ts';
import { isKlausError, KlausError, toKlausError } from './klaus-error.ts';
import { toCanonical } from './events/canonical.ts';
import { EVENT_VERSION, type Event } from './events/event.ts';

describe('ulid', () => {
  test('gives its time back', () => {
    for (const time of [0, 1, 1_795_431_480_298, 2 ** 48 - 1])
      expect(readUlidTime(toUlid(time, new Uint8Array(10)))).toBe(time);
    expect(readUlidTime('none')).toBeUndefined();
  });

  test('encodes the published example of the time part', () => {
    expect(toUlid(1_469_918_176_385, new Uint8Array(10)).slice(0, 10)).toBe('01ARYZ6S41');
  });

  test('sorts by time, then by randomness', () => {
    const low = toUlid(1_000, new Uint8Array(10).fill(255));
    const high = toUlid(1_001, new Uint8Array(10));
    expect(low < high).toBe(true);
    expect(toUlid(5, new Uint8Array(10).fill(1)) < toUlid(5, new Uint8Array(10).fill(2))).toBe(true);
    expect(isUlid(low)).toBe(true);
    expect(toUlid(2 ** 48 - 1, new Uint8Array(10).fill(255))).toBe('7ZZZZZZZZZZZZZZZZZZZZZZZZZ');
  });

  test.each([-1, 1.5, 2 ** 48])('refuses the time %s', (time) => {
    expect(() => toUlid(time, new Uint8Array(10))).toThrow(RangeError);
  });
});

describe('KlausError', () => {
  test('is known by its mark, not by its class', () => {
    class Other extends Error {}
    const error = new KlausError('denied', 'no', { hint: 'ask' });
    const copy = Object.create({}, Object.getOwnPropertyDescriptors(error));
    expect(isKlausError(error)).toBe(true);
    expect(isKlausError(copy)).toBe(true);
    expect(isKlausError(new Other('no'))).toBe(false);
    expect(toKlausError(error, 'internal')).toBe(error);
    expect(toKlausError(new Other('no'), 'tool.failed')).toMatchObject({ code: 'tool.failed', message: 'no' });
  });
});

describe('canonical log', () => {
  const base = { v: EVENT_VERSION, seq: 1, prev: '', session: 's', at: 0 } as const;
  const finished = (index: number, at: number): Event => ({
    ...base,
    at,
    type: 'tool.finished',
    run: '01ARYZ6S410000000000000000',
    turn: 1,
    call: `c${index}`,
    index,
    name: 'read_file',
    outcome: 'ok',
    output: `in /tmp/x${at}`,
    changes: [],
    durationMs: at,
  });

  test('results of parallel calls stand in call order whatever came first', () => {
    const a = toCanonical(
      [finished(0, 1), finished(1, 2)],
      new Map([
        ['/tmp/x1', '/w'],
        ['/tmp/x2', '/w'],
      ]),
    );
    const b = toCanonical(
      [finished(1, 2), finished(0, 1)],
      new Map([
        ['/tmp/x1', '/w'],
        ['/tmp/x2', '/w'],
      ]),
    );
    expect(a).toEqual(b);
    expect(JSON.stringify(a)).not.toContain('01ARYZ6S41');
  });

  test('instructions that parallel calls found stand behind their results, whoever found them first', () => {
    const context = (folder: string): Event => ({
      ...base,
      type: 'message.added',
      run: '01ARYZ6S410000000000000000',
      turn: 1,
      message: { id: `context:${folder}`, role: 'user', origin: 'context', parts: [{ type: 'text', text: folder }] },
    });
    const a = toCanonical([finished(0, 1), context('a'), finished(1, 1), context('b')]);
    const b = toCanonical([finished(1, 1), context('b'), finished(0, 1), context('a')]);
    expect(a).toEqual(b);
    expect(a).toHaveLength(4);
    expect(toCanonical([context('a'), context('b')])).not.toEqual(toCanonical([context('b'), context('a')]));
  });

  test('a different output is a difference', () => {
    expect(toCanonical([finished(0, 1)])).not.toEqual(toCanonical([finished(0, 2)]));
  });
});

import type { SessionMove } from '@klaus/adapters/store';
import { isKlausError } from '@klaus/core/protocol';
import { expect, test } from 'vitest';
import { judgeKeep, judgeMove, type CopyFacts } from './judge-copy.ts';

const FACTS: Omit<CopyFacts, 'relation' | 'sourceMove' | 'targetMove' | 'unknownCommands'> = {
  session: 'A',
  from: 'here',
  to: 'there',
};
const toMove = (state: SessionMove['state'], place = 'there'): SessionMove => ({ state, place });

type Case = [
  relation: CopyFacts['relation'],
  sourceMove: SessionMove | undefined,
  targetMove: SessionMove | undefined,
  unknownCommands: number,
  expected: string,
];

const run = (judge: typeof judgeMove, [relation, sourceMove, targetMove, unknownCommands]: Case): string => {
  try {
    return judge({ ...FACTS, relation, sourceMove, targetMove, unknownCommands });
  } catch (error) {
    return isKlausError(error) ? error.code : String(error);
  }
};

test.each<Case>([
  ['new', undefined, undefined, 0, 'store'],
  ['behind', undefined, undefined, 0, 'store'],
  ['behind', undefined, toMove('copy', 'here'), 0, 'store'],
  ['differs', undefined, undefined, 0, 'session.differs'],
  // A move that was interrupted before, and after, the session runs at the target.
  ['same', toMove('leaving'), toMove('arriving', 'here'), 0, 'store'],
  ['same', toMove('leaving'), undefined, 0, 'left'],
  ['ahead', toMove('leaving'), undefined, 0, 'left'],
  ['new', toMove('leaving', 'elsewhere'), undefined, 0, 'session.moved'],
  // A move that is complete.
  ['ahead', toMove('moved'), undefined, 0, 'skip'],
  ['new', toMove('moved'), undefined, 0, 'session.moved'],
  ['behind', toMove('copy', 'elsewhere'), toMove('moved', 'here'), 0, 'session.moved'],
  // It can run at both places.
  ['same', undefined, undefined, 0, 'left'],
  ['same', undefined, undefined, 1, 'store'],
  ['ahead', undefined, undefined, 0, 'left'],
  ['ahead', undefined, undefined, 1, 'session.differs'],
  ['ahead', undefined, toMove('moved', 'here'), 0, 'session.differs'],
])('a move: target %s, source %o, target %o, %i commands: %s', (...given) => {
  expect(run(judgeMove, given)).toBe(given[4]);
});

test.each<Case>([
  ['new', undefined, undefined, 0, 'store'],
  ['new', toMove('moved'), undefined, 0, 'store'],
  ['behind', undefined, toMove('copy', 'here'), 0, 'store'],
  ['behind', undefined, undefined, 0, 'usage'],
  ['behind', undefined, toMove('arriving', 'here'), 0, 'session.moved'],
  ['new', toMove('leaving'), undefined, 0, 'session.moved'],
  ['same', undefined, undefined, 3, 'skip'],
  ['ahead', toMove('moved'), undefined, 0, 'skip'],
  ['differs', undefined, undefined, 0, 'session.differs'],
])('a plain copy: target %s, source %o, target %o, %i commands: %s', (...given) => {
  expect(run(judgeKeep, given)).toBe(given[4]);
});

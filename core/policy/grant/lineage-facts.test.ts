import { describe, expect, test } from 'vitest';
import { EVENT_VERSION, type Event, type EventBody, type EventOf, type Grant } from '../../protocol/index.ts';
import { toGrantText } from './grant-text.ts';
import { mergeFacts, toLineageFacts } from './lineage-facts.ts';
import { chainOf, foldLineage, NO_LINEAGE, toEffectiveGrant, type Lineage } from './lineage.ts';
import { parseGrant } from './parse-grant.ts';

const grant = (text: string): Grant => parseGrant(text, { workspace: '/w' });
const ALL = 'tool(*) exec spawn(4, 20) delegable: tool(*) exec spawn(4, 20)';
const FEW = 'tool(*) spawn(4, 5) delegable: tool(*) spawn(4, 5)';

type Body = Partial<EventBody> & Pick<EventBody, 'type'>;

const open = (text: string, more: object = {}): Body => ({ type: 'session.opened', grant: grant(text), ...more });
const below = (session: string, more: object = {}): object => ({ parent: { session, call: 'c' }, ...more });
const child = (id: string, text: string, edge: 'spawn' | 'invoke' = 'spawn'): Body => ({
  type: 'child.opened',
  child: id,
  agent: id,
  edge,
  grant: grant(text),
});

/** The lineage of logs, the first one above the others; each entry has the time of its event. */
function read(logs: Readonly<Record<string, readonly (readonly [at: number, Body])[]>>): Lineage {
  const facts = Object.entries(logs).map(([session, entries]) => {
    const events = entries.map(
      ([at, body], index) => ({ v: EVENT_VERSION, seq: index + 1, prev: '', session, at, ...body }) as Event,
    );
    return events.flatMap((event) => toLineageFacts(event, events[0] as EventOf<'session.opened'>));
  });
  return mergeFacts(facts).reduce(foldLineage, NO_LINEAGE);
}

const textOf = (lineage: Lineage, agent: string): string => toGrantText(toEffectiveGrant(lineage, agent, 200));

describe('clocks that differ', () => {
  const root = [
    [10, open(ALL)],
    [100, child('c', ALL)],
  ] as const;

  test('a child whose clock is behind has the same authority, and so has its child', () => {
    const c = [
      [50, open(ALL, below('r'))],
      [51, child('g', 'tool(*) exec')],
    ] as const;
    const lineage = read({ r: root, c, g: [[52, open(ALL, below('c'))]] });
    expect(textOf(lineage, 'g')).toBe('exec · tool(*)');
  });

  test('a revocation before a fork applies to it, also if the clock of the fork is behind', () => {
    const forked = { session: 'c', seq: 1, head: '', root: 'c', settled: 1 };
    const lineage = read({
      r: [
        [10, open(ALL)],
        [100, child('c', 'tool(*) exec')],
      ],
      c: [
        [101, open(ALL, below('r'))],
        [150, { type: 'grant.changed', grant: grant('tool(*)') }],
      ],
      f: [
        [101, open(ALL, below('r', { forked }))],
        [140, { type: 'grant.changed', grant: grant('tool(*)') }],
      ],
    });
    expect(textOf(lineage, 'f')).toBe('tool(*)');
  });
});

describe('logs that claim too much give nothing', () => {
  test('a child lists workers of its own', () => {
    const workers = [{ agent: 'w', definition: '', grant: grant(ALL) }];
    const c = [
      [101, open(FEW, below('r', { workers }))],
      [102, child('w', ALL, 'invoke')],
    ] as const;
    expect(
      textOf(
        read({
          r: [
            [10, open(FEW)],
            [100, child('c', FEW)],
          ],
          c,
        }),
        'w',
      ),
    ).toBe('nothing');
  });

  test('a session without a record lists itself as a worker', () => {
    const workers = [{ agent: 'c', definition: '', grant: grant(ALL) }];
    const c = [
      [101, open(FEW, below('r', { workers }))],
      [102, child('c', ALL, 'invoke')],
    ] as const;
    for (const r of [[[10, open(FEW)]] as const, []]) expect(textOf(read({ r, c }), 'c')).toBe('nothing');
  });

  test('a session below another one is a fork of it', () => {
    const forked = { session: 'r', seq: 1, head: '', root: 'r', settled: 1 };
    const x = [
      [20, open(ALL, below('r', { forked }))],
      [21, { type: 'session.changed' }],
    ] as const;
    expect(textOf(read({ r: [[10, open(ALL)]], x }), 'x')).toBe('nothing');
  });
});

test('the chain of a worker begins with it, because the user gave it its authority', () => {
  const workers = [{ agent: 'w', definition: '', grant: grant(FEW) }];
  const lineage = read({
    r: [
      [10, open(ALL, { workers })],
      [100, child('w', FEW, 'invoke')],
    ],
    w: [
      [101, open(FEW, below('r'))],
      [102, child('g', 'tool(*)')],
    ],
  });
  expect(chainOf(lineage, 'w')).toEqual(['w']);
  expect(chainOf(lineage, 'g')).toEqual(['w', 'g']);
});

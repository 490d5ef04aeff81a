import { describe, expect, test } from 'vitest';
import type { Event, Grant } from '../../protocol/index.ts';
import { playHistory, type View } from './history.fixture.ts';

/** `npm run test:grants` asks for more. */
const HISTORIES = Number(process.env['GATE_HISTORIES'] ?? 600);
const SEED = Number(process.env['GRANT_SEED'] ?? 1);

test(
  `${HISTORIES} random histories of sessions and their children: the gate allows exactly what was given, at every moment`,
  { timeout: 7_200_000 },
  async () => {
    let failure: string | undefined;
    for (let seed = SEED; seed < SEED + HISTORIES && failure === undefined; seed++) {
      const fault = await playHistory(seed);
      if (fault) failure = `seed ${seed}: ${fault}`;
    }
    expect(failure).toBeUndefined();
  },
);

const map =
  (change: (event: Event, events: readonly Event[]) => Event | undefined): View =>
  (events) =>
    events.flatMap((event) => change(event, events) ?? []);
const delegateAll = (grant: Grant): Grant => ({ ...grant, delegable: grant.authorities });

/** Gates with one mistake each: how they see a log. */
const MISTAKES: Readonly<Record<string, View>> = {
  'the opening in its own log gives a child authority': map((event) => {
    if (event.type !== 'session.opened') return event;
    const { parent: _, ...rest } = event;
    return rest as Event;
  }),
  'a revocation has no effect': map((event) => (event.type === 'grant.changed' ? undefined : event)),
  'an approval does not expire': map((event) =>
    event.type === 'grant.escalated' ? { ...event, expiresAt: 1_000_000 } : event,
  ),
  'an approval for another chain has an effect': (events, all) => {
    const toChain = (id: string): string[] => {
      const [opened] = all.get(id) ?? [];
      const parent = opened?.type === 'session.opened' ? opened.parent?.session : undefined;
      return parent === undefined ? [id] : [...toChain(parent), id];
    };
    return events.map((event) =>
      event.type === 'grant.escalated' ? { ...event, chain: toChain(event.session) } : event,
    );
  },
  'a fork keeps the approvals of its original': (events) => {
    const [opened] = events;
    if (opened?.type !== 'session.opened' || !opened.forked || !opened.parent) return events;
    const at = events.at(-1)!;
    const copies = events.flatMap((event): Event[] => {
      if (event.type !== 'grant.escalated' || event.seq > opened.forked!.seq) return [];
      const chain = [...event.chain.slice(0, -1), opened.session];
      return [{ ...event, chain, seq: at.seq + event.seq, at: at.at }];
    });
    return [...events, ...copies];
  },
  'a worker has the grant of its record': (events, all) => {
    const records = [...all.values()].flat().filter((event) => event.type === 'child.opened');
    return events.map((event) => {
      if (event.type !== 'session.opened' || !event.workers) return event;
      const workers = event.workers.map((worker) => {
        const record = records.find(({ agent, edge }) => edge === 'invoke' && agent === worker.agent);
        return record ? { ...worker, grant: record.grant } : worker;
      });
      return { ...event, workers };
    });
  },
  'holding is delegating': map((event) =>
    event.type === 'session.opened' || event.type === 'child.opened'
      ? { ...event, grant: delegateAll(event.grant) }
      : event,
  ),
  'a closed child keeps its authority': map((event) => (event.type === 'child.closed' ? undefined : event)),
  'the children of the original are those of its fork': map((event) => {
    if (event.type !== 'session.opened' || !event.forked || event.parent) return event;
    const { forked: _, ...rest } = event;
    return rest as Event;
  }),
};

describe('the same histories find a gate where', () => {
  test.each(Object.entries(MISTAKES))('%s', async (_name, view) => {
    let found: number | undefined;
    for (let seed = SEED; seed < SEED + 3_000 && found === undefined; seed++) {
      if (await playHistory(seed, view)) found = seed;
    }
    expect(found).toBeDefined();
  });
});

import { expect, test } from 'vitest';
import { addSession, DAY, toOpened } from '../fixtures/add-session.ts';
import { START } from '../fixtures/sample-events.ts';
import type { CreateStoreHarness } from './store-harness.ts';

/** Sessions of defined agents. */
export function describeAgentUses(create: CreateStoreHarness): void {
  test('the latest use of each agent is that of its sessions', async () => {
    await using harness = await create();
    await using store = await harness.open();
    const toAgent = (at: number, agent: string) =>
      toOpened(at).map((draft) => (draft.type === 'session.opened' ? { ...draft, agent } : draft));
    await addSession(store, 'A', toAgent(START + DAY, 'reviewer'));
    await addSession(store, 'B', toAgent(START, 'reviewer'));
    await addSession(store, 'C', toOpened(START));
    expect((await store.sessions()).map(({ id, agentType }) => [id, agentType])).toEqual([
      ['A', 'reviewer'],
      ['C', 'klaus'],
      ['B', 'reviewer'],
    ]);
    const toIso = (at: number): string => new Date(at).toISOString();
    expect(Object.fromEntries(await store.agentUses())).toEqual({
      reviewer: toIso(START + DAY),
      klaus: toIso(START),
    });
  });
}

import type { Draft } from '@klaus/core/agent';
import type { HostEventBody } from '@klaus/core/protocol';
import { expect, test } from 'vitest';
import { addSession, toOpened } from '../fixtures/add-session.ts';
import { START, toNotice } from '../fixtures/sample-events.ts';
import type { CreateStoreHarness } from './store-harness.ts';

const RUN = '01KE0000000000000000000RUN';
const USED = { usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, usd: 0, turns: 0, toolCalls: 0 };

/** The record of a child session. @param task A text in its grant. */
function toChildOpened(child: string, task = 'x'): Draft {
  return {
    type: 'child.opened',
    run: RUN,
    turn: 1,
    call: 'call "child":"other"',
    child,
    agent: 'helper',
    definition: 'a'.repeat(64),
    edge: 'spawn',
    grant: { authorities: [{ kind: 'tool', name: task }] },
    limits: { tokens: 0, usd: 0, toolCalls: 0, turns: 0 },
    at: START,
  };
}

const toChildClosed = (child: string): Draft => ({ type: 'child.closed', child, agent: 'helper', ...USED, at: START });

function toGuardChange(of: string, state: 'on' | 'off'): HostEventBody {
  return { type: 'guard.changed', workspace: '/srv/shop', of, place: 'user', state, reason: 'a test' };
}

const DECIDED: HostEventBody = {
  type: 'guard.decided',
  workspace: '/srv/shop',
  guarded: 'session',
  event: 'PreToolUse',
  text: 'ls',
  verdict: 'allow',
  rule: 'read',
  reason: 'It only reads.',
};

/** The view. */
export function describeView(create: CreateStoreHarness): void {
  test('the open children of a session are those that were opened and not closed, in order', async () => {
    await using harness = await create();
    await using store = await harness.open();
    await addSession(store, 'PARENT', toOpened(START));
    await addSession(store, 'OTHER', [...toOpened(START), toChildOpened('C9')]);
    const lease = (await store.claim('PARENT'))!;
    expect(store.view.openChildren('PARENT')).toEqual([]);
    await store.append(
      'PARENT',
      ['C3', 'C1', 'C2'].map((id) => toChildOpened(id, '"child":"C7"')),
      { lease },
    );
    expect(store.view.openChildren('PARENT')).toEqual(['C3', 'C1', 'C2']);
    await store.append('PARENT', [toChildClosed('C1'), toNotice('between'), toChildOpened('C4')], { lease });
    expect(store.view.openChildren('PARENT')).toEqual(['C3', 'C2', 'C4']);
    expect(store.view.openChildren('OTHER')).toEqual(['C9']);
    expect(store.view.openChildren('unknown')).toEqual([]);
    // Another process sees the same, and what is appended after its start.
    await using second = await harness.open();
    expect(second.view.openChildren('PARENT')).toEqual(['C3', 'C2', 'C4']);
    const noticed = new Promise<void>((resolve) => {
      second.view.watch(() => second.view.openChildren('PARENT').length === 0 && resolve());
    });
    await store.append('PARENT', ['C3', 'C2', 'C4'].map(toChildClosed), { lease });
    await noticed;
    expect(store.view.openChildren('PARENT')).toEqual([]);
  });

  test('the view has the changes of the guard in order, and the position of the last event about it', async () => {
    await using harness = await create();
    await using store = await harness.open();
    expect([store.view.guardChanges(), store.view.guardSeq()]).toEqual([[], 0]);
    await store.appendHost({ type: 'agent.used', agent: 'klaus', by: 'test' });
    const first = await store.appendHost(toGuardChange('/one', 'on'));
    expect([store.view.guardChanges(), store.view.guardSeq()]).toEqual([[first], first.seq]);
    const decided = await store.appendHost(DECIDED);
    expect([store.view.guardChanges(), store.view.guardSeq()]).toEqual([[first], decided.seq]);
    // Not about the guard.
    await store.appendHost({ type: 'agent.used', agent: 'klaus', by: 'test' });
    expect(store.view.guardSeq()).toBe(decided.seq);
    await using second = await harness.open();
    expect([second.view.guardChanges(), second.view.guardSeq()]).toEqual([[first], decided.seq]);
    const noticed = new Promise<void>((resolve) => {
      second.view.watch(() => second.view.guardChanges().length === 3 && resolve());
    });
    const last = [
      await store.appendHost(toGuardChange('/one', 'off')),
      await store.appendHost(toGuardChange('/two', 'on')),
    ];
    await noticed;
    for (const { view } of [store, second]) {
      expect([view.guardChanges(), view.guardSeq()]).toEqual([[first, ...last], last[1]!.seq]);
    }
  });
}

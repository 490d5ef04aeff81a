import { addUsage, toText, type EventBody } from '../../protocol/index.ts';
import { accountOf, addUsd } from '../budget/ledger.ts';
import { minutesOf } from '../budget/limit-check.ts';
import type { Engine } from '../loop/engine.ts';
import type { ChildReport, ChildUse } from '../ports/children.ts';
import { loadState } from '../state/load-state.ts';
import type { ChildState, State } from '../state/state.ts';

/** Maximum addresses of a child session that its parent may request. */
const MAX_LINKS = 100;

/** The complete log of a child session, as its parent needs it. */
export async function readChild(engine: Pick<Engine, 'store'>, child: ChildState): Promise<ChildReport> {
  const state = await loadState(engine, child.id);
  const { id, agent, edge, limits } = child;
  const { lastRun } = state;
  const prompts = state.closed
    ? []
    : (await engine.store.inbox(id)).filter(({ type }) => type === 'prompt' || type === 'resume');
  const isWorking = state.run !== undefined || prompts.length > 0 || (!lastRun && !state.closed);
  return {
    ...{ id, agent, edge, limits },
    state: child.isClosed || state.closed ? 'closed' : isWorking ? 'working' : 'finished',
    ...(lastRun ? { outcome: lastRun.outcome, reason: lastRun.reason } : {}),
    result: toResult(state),
    ...(state.taint ? { untrusted: { source: `${agent} (${id})`, addresses: listLinks(state) } } : {}),
    ...toUse(state),
  };
}

/** Addresses of the pages that a session has read, for its parent. */
function listLinks({ addresses }: State): string[] {
  const links = [...addresses].filter(([, origin]) => origin === 'web').map(([address]) => address);
  return links.slice(0, MAX_LINKS);
}

function toResult({ messages }: State): string {
  const last = messages.findLast(({ role }) => role === 'assistant');
  return last ? toText(last) : '';
}

/** What a session and its children used. */
function toUse(state: State): ChildUse {
  const { ledger, session, spent, children } = state;
  const { usage, usd } = accountOf(ledger, session?.session ?? '');
  let sum: ChildUse = { usage, usd, ...spent, minutes: minutesOf(state) };
  for (const child of children.values()) {
    sum = {
      usage: addUsage(sum.usage, child.usage),
      usd: addUsd(sum.usd, child.usd),
      turns: sum.turns + child.turns,
      toolCalls: sum.toolCalls + child.toolCalls,
      minutes: sum.minutes + child.minutes,
    };
  }
  return sum;
}

export function toClosed({ id: child, agent, usage, usd, turns, toolCalls, minutes }: ChildReport): EventBody {
  return { type: 'child.closed', child, agent, usage, usd, turns, toolCalls, minutes };
}

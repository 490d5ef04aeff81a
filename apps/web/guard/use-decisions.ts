import type { GuardDecisionView } from '@klaus/server/contract';
import { useEffect, useState } from 'react';
import { attempt } from '../actions/attempt.ts';
import { client } from '../state/client.ts';
import { host } from '../state/host.ts';
import { useStore } from '../state/store.ts';
import { useQuery, type Query } from '../ui/use-query.ts';

export interface DecisionFilter {
  verdict: GuardDecisionView['verdict'] | undefined;
  decider: string | undefined;
  workspace: string | undefined;
}

/** Decisions up to which new ones make the list longer. */
const MAX_FOLLOWED = 300;

interface Page {
  decisions: GuardDecisionView[];
  next: number | null;
}

/** Decisions, the newest first. New ones are added at the beginning, and older ones by `showOlder`. */
export function useDecisions(filter: DecisionFilter): {
  query: Query<Page>;
  decisions: readonly GuardDecisionView[];
  /** Undefined if there are no older ones. */
  showOlder: (() => Promise<void>) | undefined;
} {
  const { guardSeq } = useStore(host);
  const key = JSON.stringify(filter);
  const load = (before?: number, signal?: AbortSignal): Promise<Page> =>
    client.guardDecisions({ query: toQuery(filter, before) }, signal ? { signal } : {});
  const query = useQuery(`${key} ${guardSeq}`, (signal) => load(undefined, signal));
  const [shown, setShown] = useState<Page & { key: string }>();
  const newest = query.isLoading ? undefined : query.value;
  useEffect(() => {
    if (newest) setShown((before) => ({ key, ...(before?.key === key ? merge(newest, before) : newest) }));
  }, [newest, key]);
  const next = shown?.key === key ? shown.next : null;
  const showOlder = async () => {
    const older = await attempt(() => load(next ?? undefined));
    if (!older) return;
    setShown((before) =>
      before?.key === key && before.next === next
        ? { key, decisions: [...before.decisions, ...older.decisions], next: older.next }
        : before,
    );
  };
  return { query, decisions: shown?.decisions ?? [], showOlder: next === null ? undefined : showOlder };
}

function toQuery({ verdict, decider, workspace }: DecisionFilter, before: number | undefined) {
  return {
    verdict,
    decider,
    workspace,
    before,
  };
}

/** The newest page with the older decisions that are known. A gap between them drops the older ones. */
function merge(newest: Page, before: Page): Page {
  const first = before.decisions[0]?.seq ?? 0;
  if (newest.next !== null && newest.next > first) return newest;
  const all = [...newest.decisions.filter(({ seq }) => seq > first), ...before.decisions];
  const decisions = all.slice(0, Math.max(MAX_FOLLOWED, before.decisions.length));
  const last = decisions.at(-1);
  if (last && decisions.length < all.length) return { decisions, next: last.seq };
  return { decisions, next: before.decisions.length === 0 ? newest.next : before.next };
}

import { accountOf, type State } from '@klaus/core/agent';
import type { ProcessStore } from '../stores/life-stores.ts';

/** Checks that `klaus sessions` agrees with the log. */
export async function checkRow(
  store: Pick<ProcessStore, 'session'>,
  { session, ledger }: { session: string; ledger: State['ledger'] },
  fail: (what: string) => void,
): Promise<void> {
  const row = await store.session(session);
  const { usage } = accountOf(ledger, session);
  const inRow = [row?.inputTokens, row?.outputTokens, row?.cacheReadTokens, row?.cacheWriteTokens];
  const inLog = [usage.input, usage.output, usage.cacheRead, usage.cacheWrite];
  if (JSON.stringify(inRow) !== JSON.stringify(inLog))
    fail(`the session's row says ${JSON.stringify(inRow)}, the log ${JSON.stringify(inLog)}`);
}

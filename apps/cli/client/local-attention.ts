import type { Klaus } from '@klaus/sdk';
import type { AttentionClient } from '@klaus/sdk/client';
import { readGuardStates, toGuardAlerts } from '@klaus/sdk/guard-log';

/** Milliseconds for which changes are collected. */
const COLLECT_MS = 500;

/** What needs the user on this machine. */
export function createLocalAttention({ store }: Klaus): AttentionClient {
  const readAlerts = () => toGuardAlerts(readGuardStates(store.view));
  return {
    attention: async ({ limit } = {}) => ({ ...(await store.attention({ limit })), alerts: readAlerts() }),
    followAttention(listener) {
      let timer: NodeJS.Timeout | undefined;
      const report = (): void => {
        timer = undefined;
        listener({ ...store.view.attention(), alerts: readAlerts() });
      };
      const plan = (): void => void (timer ??= setTimeout(report, COLLECT_MS).unref());
      const stop = store.view.watch(plan);
      plan();
      return () => {
        stop();
        clearTimeout(timer);
      };
    },
    markSeen: (session, seq) => store.markSeen({ session, seq }),
    claimNotification: (item) => store.claimNotification(item),
  };
}

import { host, sessionOf } from '../state/host.ts';
import { useSelected } from '../state/store.ts';

/** True for a session whose run has no end, and on which no process works. */
export function useIsInterrupted(session: string): boolean {
  return useSelected(host, (value) => sessionOf(value, session)?.state === 'interrupted');
}

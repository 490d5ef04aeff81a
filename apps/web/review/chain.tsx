import type { EventOf } from '@klaus/core/protocol';
import { useText } from '../text/text.ts';

/** The agents from the one that the user started to the one that asks; nothing for a session of the user. */
export function Chain({ asked: { chain } }: { asked: EventOf<'approval.asked'> }) {
  const t = useText();
  if (!chain) return null;
  return <p className="approval-chain small warn">{t.children.asks(chain.map(({ agent }) => agent).join(' › '))}</p>;
}

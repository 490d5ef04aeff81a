import { Undo2 } from 'lucide-react';
import { useChangesText } from '../text/changes/changes-text.ts';
import { Button } from '../ui/button.tsx';
import { toCovered } from './covered.ts';
import type { Approvals } from './use-approvals.ts';

interface RememberedApprovalsProps {
  title: string;
  rows: Approvals['remembered'];
  onRevoke: (approval: string) => Promise<boolean>;
}

/** Approvals that stay valid. Revoking one means that the call asks again. Nothing without any. */
export function RememberedApprovals({ title, rows, onRevoke }: RememberedApprovalsProps) {
  const t = useChangesText();
  if (rows.length === 0) return null;
  return (
    <section className="remembered ruled" aria-label={title}>
      <h2>{title}</h2>
      <ul>
        {rows.map(({ approval, remembered }) => (
          <li key={approval} className="line">
            <span className="mono">{remembered.tool}</span>
            <code className="grow ellipsis" title={toCovered(remembered)}>
              {toCovered(remembered)}
            </code>
            <Button
              needs="operator"
              icon={Undo2}
              variant="quiet"
              aria-label={t.gate.revokeOf(toCovered(remembered))}
              onClick={() => void onRevoke(approval)}
            >
              {t.gate.change.once}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

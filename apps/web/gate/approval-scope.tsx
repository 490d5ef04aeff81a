import type { Scope } from '@klaus/core/protocol';
import type { GivenApprovalView } from '@klaus/server/contract';
import { BookmarkPlus, Undo2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { useChangesText } from '../text/changes/changes-text.ts';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { toCovered } from './covered.ts';

const SCOPES = ['session', 'project', 'once'] as const satisfies readonly Scope[];

interface ApprovalScopeProps {
  given: GivenApprovalView;
  onChange: (scope: Scope) => Promise<boolean>;
}

/** How long a given approval applies, what it covers then, and the other scopes that its question offered. */
export function ApprovalScope({ given, onChange }: ApprovalScopeProps) {
  const t = useText();
  const words = useChangesText();
  const [isSending, setSending] = useState(false);
  const group = useRef<HTMLDivElement>(null);
  const { scope, remembered } = given;
  const change = async (to: Scope) => {
    setSending(true);
    await onChange(to);
    setSending(false);
    // The button of the new scope is gone.
    group.current?.focus();
  };
  return (
    <div
      ref={group}
      className="decision-scope"
      role="group"
      tabIndex={-1}
      aria-label={`${words.gate.scope}: ${t.approval.scopes[scope]}`}
    >
      <p>
        <span className="muted">{words.gate.scope}:</span> {t.approval.scopes[scope]}
      </p>
      <p className="line">
        <span className="muted">{scope === 'once' ? words.gate.wouldCover : words.gate.covers}:</span>
        <code className="grow wrap">{toCovered(remembered)}</code>
      </p>
      {remembered.scripts ? (
        <p className="muted">
          {t.approval.scripts} {remembered.scripts.map(({ path }) => path).join(', ')}
        </p>
      ) : null}
      <div className="line decision-scopes">
        {SCOPES.filter((it) => it !== scope).map((it) => (
          <Button
            key={it}
            needs="operator"
            icon={it === 'once' ? Undo2 : BookmarkPlus}
            disabled={isSending}
            onClick={() => void change(it)}
          >
            {words.gate.change[it]}
          </Button>
        ))}
      </div>
    </div>
  );
}

import { limitsOf, type Conversation } from '@klaus/core/conversation';
import type { LimitName, Limits } from '@klaus/core/protocol';
import { useState } from 'react';
import { attempt } from '../actions/attempt.ts';
import { conversationOf } from '../log/session-log.ts';
import { client } from '../state/client.ts';
import { closeOverlay } from '../state/overlay.ts';
import { formatCost, formatCount, formatLimit, formatShare } from '../text/format.ts';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Loading } from '../ui/empty.tsx';

export function BudgetDialog({ session }: { session: string }) {
  const t = useText();
  const conversation = conversationOf(session);
  return (
    <Dialog title={t.budget.title} onClose={closeOverlay}>
      {conversation ? <BudgetBody conversation={conversation} /> : <Loading rows={8} />}
    </Dialog>
  );
}

function BudgetBody({ conversation }: { conversation: Conversation }) {
  const t = useText();
  const { session, usage, usd, held, contextTokens, contextWindow } = conversation;
  const limits = limitsOf(conversation);
  const [caps, setCaps] = useState<Partial<Record<LimitName, string>>>({});
  const [isSending, setSending] = useState(false);
  const changed = toChanged(caps, limits);
  const save = async (event: { preventDefault(): void }) => {
    event.preventDefault();
    setSending(true);
    const done = await attempt(() => client.changeSession({ params: { id: session }, body: { limits: changed } }));
    setSending(false);
    if (done) closeOverlay();
  };
  const rows = [
    { name: t.usage.input, value: formatCount(usage.input), text: t.budget.input },
    { name: t.usage.cacheRead, value: formatCount(usage.cacheRead), text: t.budget.cacheRead },
    { name: t.usage.cacheWrite, value: formatCount(usage.cacheWrite), text: t.budget.cacheWrite },
    { name: t.usage.output, value: formatCount(usage.output), text: t.budget.output },
    {
      name: t.status.money,
      value: formatCost(usd, held.usd),
      text: usd === null ? t.budget.unknownPrice : t.budget.money,
    },
  ];
  if (contextWindow > 0) {
    const text = t.budget.context(formatCount(contextTokens), formatCount(contextWindow));
    rows.push({ name: t.status.context, value: formatShare(contextTokens / contextWindow), text });
  }
  return (
    <form className="dialog-body column budget" onSubmit={(event) => void save(event)}>
      <dl className="budget-classes">
        {rows.map(({ name, value, text }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="number">{value}</dd>
            <dd className="muted small">{text}</dd>
          </div>
        ))}
      </dl>
      <fieldset className="column">
        <legend>{t.budget.limits}</legend>
        <p className="muted">{t.budget.limitsHint}</p>
        {limits.map(({ limit, used, cap }) => (
          <label key={limit} className="budget-limit">
            <span>{t.budget.names[limit]}</span>
            <span className="number muted">{t.budget.used(formatLimit(limit, used))}</span>
            <input
              className="field number"
              type="number"
              inputMode="decimal"
              min={0}
              step={limit === 'usd' ? 'any' : 1}
              value={caps[limit] ?? String(cap)}
              onChange={(event) => setCaps({ ...caps, [limit]: event.target.value })}
            />
          </label>
        ))}
      </fieldset>
      <div className="dialog-foot line">
        <Button onClick={closeOverlay}>{t.app.cancel}</Button>
        <Button
          needs="operator"
          type="submit"
          variant="primary"
          disabled={isSending || Object.keys(changed).length === 0}
        >
          {t.sessions.save}
        </Button>
      </div>
    </form>
  );
}

function toChanged(
  caps: Partial<Record<LimitName, string>>,
  limits: readonly { limit: LimitName; cap: number }[],
): Partial<Limits> {
  const changed: Partial<Limits> = {};
  for (const { limit, cap } of limits) {
    const value = Number(caps[limit] ?? cap);
    if (caps[limit] !== '' && Number.isFinite(value) && value >= 0 && value !== cap) changed[limit] = value;
  }
  return changed;
}

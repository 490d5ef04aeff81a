import type { GuardRatesView } from '@klaus/server/contract';
import { useGuardText } from '../text/guard-text.ts';
import { toDeciderName } from './decider-name.ts';
import type { DecisionFilter } from './use-decisions.ts';

const VERDICTS = ['all', 'allow', 'ask', 'deny'] as const;

interface FiltersProps {
  filter: DecisionFilter;
  onChange: (filter: DecisionFilter) => void;
  rates: GuardRatesView | undefined;
  workspaces: readonly string[];
}

export function Filters({ filter, onChange, rates, workspaces }: FiltersProps) {
  const t = useGuardText();
  const deciders = ['gate', ...(rates?.reviewers ?? []).map(({ reviewer }) => reviewer), 'late'];
  const { verdict, decider, workspace } = filter;
  return (
    <div className="line guard-filters" role="group" aria-label={t.filters}>
      <div className="segments" role="group" aria-label={t.verdict}>
        {VERDICTS.map((it) => (
          <button
            key={it}
            type="button"
            aria-pressed={it === (verdict ?? 'all')}
            onClick={() => onChange({ ...filter, verdict: it === 'all' ? undefined : it })}
          >
            {t.verdicts[it]}
          </button>
        ))}
      </div>
      <Choice
        label={t.decider}
        any={t.anyDecider}
        value={decider}
        values={deciders}
        toName={(it) => toDeciderName(it, t)}
        onChange={(chosen) => onChange({ ...filter, decider: chosen })}
      />
      <Choice
        label={t.project}
        any={t.anyProject}
        value={workspace}
        values={workspaces}
        toName={(it) => it}
        onChange={(chosen) => onChange({ ...filter, workspace: chosen })}
      />
    </div>
  );
}

interface ChoiceProps {
  label: string;
  any: string;
  value: string | undefined;
  values: readonly string[];
  toName: (value: string) => string;
  onChange: (value: string | undefined) => void;
}

function Choice({ label, any, value, values, toName, onChange }: ChoiceProps) {
  return (
    <label className="check line">
      <span className="muted">{label}</span>
      <select
        className="field"
        value={value ?? ''}
        onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
      >
        <option value="">{any}</option>
        {values.map((it) => (
          <option key={it} value={it}>
            {toName(it)}
          </option>
        ))}
      </select>
    </label>
  );
}

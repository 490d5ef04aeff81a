import type { DecisionView } from '@klaus/server/contract';
import { useMemo } from 'react';
import { formatCount } from '../text/format.ts';
import { useChangesText } from '../text/changes/changes-text.ts';
import { useText } from '../text/text.ts';
import { rulesOf, SHOWN, type DecisionFilter } from './decision-filter.ts';

interface GateFiltersProps {
  /** Undefined until they are loaded. */
  decisions: readonly DecisionView[] | undefined;
  filter: DecisionFilter;
  onChange: (filter: DecisionFilter) => void;
}

/** The filters of the decisions: verdict with counts, tool, rule and text. */
export function GateFilters({ decisions, filter, onChange }: GateFiltersProps) {
  const t = useText();
  const words = useChangesText();
  const all = decisions ?? [];
  const tools = useMemo(() => [...new Set(all.map(({ tool }) => tool))].sort(), [decisions]);
  const rules = useMemo(() => [...new Set(all.flatMap(rulesOf))].sort(), [decisions]);
  const count = (it: DecisionFilter['verdict']) =>
    it === 'all' ? all.length : all.filter(({ verdict }) => verdict === it).length;
  return (
    <div className="pane-head line ruled">
      <div className="segments" role="group" aria-label={t.gate.verdict}>
        {SHOWN.map((it) => (
          <button
            key={it}
            type="button"
            aria-pressed={it === filter.verdict}
            onClick={() => onChange({ ...filter, verdict: it })}
          >
            {t.gate.shown[it]} <span className="number">{decisions ? formatCount(count(it)) : ''}</span>
          </button>
        ))}
      </div>
      <Choice
        label={words.gate.tool}
        all={words.gate.allTools}
        value={filter.tool}
        options={tools}
        onChange={(tool) => onChange({ ...filter, tool })}
      />
      <Choice
        label={t.gate.rule}
        all={words.gate.allRules}
        value={filter.rule}
        options={rules}
        onChange={(rule) => onChange({ ...filter, rule })}
      />
      <input
        className="field gate-text"
        type="search"
        aria-label={words.gate.text}
        placeholder={words.gate.text}
        value={filter.text}
        onChange={(event) => onChange({ ...filter, text: event.target.value })}
      />
    </div>
  );
}

interface ChoiceProps {
  label: string;
  all: string;
  value: string;
  options: readonly string[];
  onChange: (value: string) => void;
}

function Choice({ label, all, value, options, onChange }: ChoiceProps) {
  return (
    <select className="field" aria-label={label} value={value} onChange={(event) => onChange(event.target.value)}>
      <option value="">{all}</option>
      {options.map((option) => (
        <option key={option} value={option}>
          {option}
        </option>
      ))}
    </select>
  );
}

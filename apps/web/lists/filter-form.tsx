import { useMemo, type ReactNode } from 'react';
import { hasAccess } from '../state/access.ts';
import {
  changeFilters,
  clearFilters,
  countMenuFilters,
  filters,
  PERIODS,
  STATES,
  type Filters,
} from '../state/filters.ts';
import { host } from '../state/host.ts';
import { startSelection } from '../state/selection.ts';
import { useStore } from '../state/store.ts';
import { useListsText } from '../text/lists/lists-text.ts';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';

/** The filters of the list, except the project and the text. */
export function FilterForm({ onClose }: { onClose: () => void }) {
  const t = useText();
  const { filters: words } = useListsText();
  const given = useStore(filters);
  const { sessions } = useStore(host);
  const models = useMemo(() => {
    const used = [...sessions.values()].flatMap(({ model }) => model ?? []);
    return [...new Set([...used, ...(given.model === undefined ? [] : [given.model])])].toSorted();
  }, [sessions, given.model]);
  return (
    <div className="column filter-fields">
      <Choice label={words.state} name="state" any={words.any}>
        {STATES.map((state) => (
          <option key={state} value={state}>
            {t.state[state]}
          </option>
        ))}
      </Choice>
      <Choice label={words.model} name="model" any={words.any}>
        {models.map((model) => (
          <option key={model} value={model}>
            {model}
          </option>
        ))}
      </Choice>
      <Choice label={words.period} name="period" any={words.any}>
        {PERIODS.map((period) => (
          <option key={period} value={period}>
            {words.periods[period]}
          </option>
        ))}
      </Choice>
      <label className="check line">
        <input
          type="checkbox"
          checked={given.archived ?? false}
          onChange={(event) => changeFilters({ archived: event.target.checked ? true : undefined })}
        />
        {words.archived}
      </label>
      <div className="line filter-foot">
        <Button disabled={countMenuFilters(given) === 0} onClick={clearFilters}>
          {words.clear}
        </Button>
        {hasAccess('operator') ? (
          <Button
            onClick={() => {
              onClose();
              startSelection();
            }}
          >
            {words.select}
          </Button>
        ) : null}
      </div>
    </div>
  );
}

interface ChoiceProps {
  label: string;
  name: 'state' | 'model' | 'period';
  any: string;
  children: ReactNode;
}

function Choice({ label, name, any, children }: ChoiceProps) {
  const value = useStore(filters)[name] ?? '';
  return (
    <label className="column filter-field">
      <span className="small muted">{label}</span>
      <select
        className="field"
        value={value}
        onChange={(event) => changeFilters({ [name]: event.target.value || undefined } as Partial<Filters>)}
      >
        <option value="">{any}</option>
        {children}
      </select>
    </label>
  );
}

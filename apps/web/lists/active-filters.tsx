import { X } from 'lucide-react';
import { changeFilters, clearFilters, filters, MENU_FILTERS, type Filters } from '../state/filters.ts';
import { useStore } from '../state/store.ts';
import { useListsText } from '../text/lists/lists-text.ts';
import { useText } from '../text/text.ts';

/** The active filters of the menu, each with a button that removes it. */
export function ActiveFilters() {
  const t = useText();
  const { filters: words } = useListsText();
  const given = useStore(filters);
  const toLabel = (name: (typeof MENU_FILTERS)[number], { state, model, period }: Filters) => {
    if (name === 'state') return t.state[state!];
    if (name === 'period') return words.periods[period!];
    return name === 'model' ? model!.slice(model!.indexOf('/') + 1) : words.archived;
  };
  const active = MENU_FILTERS.filter((name) => given[name] !== undefined);
  return (
    <div className="active-filters line" role="group" aria-label={words.active}>
      {active.map((name) => {
        const label = toLabel(name, given);
        return (
          <button
            key={name}
            type="button"
            className="chip line"
            aria-label={words.remove(label)}
            title={words.remove(label)}
            onClick={() => changeFilters({ [name]: undefined })}
          >
            <span className="ellipsis">{label}</span>
            <X size={12} />
          </button>
        );
      })}
      {active.length > 1 ? (
        <button type="button" className="chip chip-quiet" onClick={clearFilters}>
          {words.clear}
        </button>
      ) : null}
    </div>
  );
}

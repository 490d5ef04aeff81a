import { ListFilter } from 'lucide-react';
import { countMenuFilters, filters } from '../state/filters.ts';
import { useStore } from '../state/store.ts';
import { useText } from '../text/text.ts';
import { Loading } from '../ui/empty.tsx';
import { lazyComponent } from '../ui/lazy-component.tsx';
import { Popup } from '../ui/popup.tsx';

const FilterForm = lazyComponent(async () => (await import('./filter-form.tsx')).FilterForm, <Loading rows={3} />);

/** The button that opens the filters of the list, with the number of active ones. */
export function FilterMenu() {
  const t = useText();
  const count = countMenuFilters(useStore(filters));
  return (
    <Popup
      role="dialog"
      label={t.lists.filters(count)}
      className="filter-menu"
      popupClassName="menu-below menu-end filter-form"
      button={
        <>
          <ListFilter size={14} />
          {count > 0 ? <span className="count-mark number" data-count={count} /> : null}
        </>
      }
    >
      {(close) => <FilterForm onClose={close} />}
    </Popup>
  );
}

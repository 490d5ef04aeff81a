import { Search } from 'lucide-react';
import { useId, useMemo, useState, type KeyboardEvent, type ReactNode } from 'react';
import { OptionList, toOptionId } from './option-list.tsx';
import { useChoice } from './use-choice.ts';

export interface FilterItem {
  key: string;
  /** True if the item is shown but cannot be taken. */
  isDisabled?: boolean;
  run: () => void;
}

interface FilterListProps<T> {
  label: string;
  /** Accessible name and placeholder of the field. */
  placeholder: string;
  noMatches: string;
  /** Prefix of the class names of the field and the list. */
  variant: 'palette' | 'picker';
  find: (query: string) => readonly T[];
  /** Index of the initially active item. Default 0. */
  start?: number;
  onClose: () => void;
  /** The heading above the first item of each group. */
  toGroup?: (item: T) => string | undefined;
  /** A line below the list. */
  note?: string;
  /** Alt-Enter on an item. */
  onMark?: (item: T) => void;
  children: (item: T) => ReactNode;
}

const OPTIONS = { palette: 'palette-row line', picker: 'menu-item bare line' } as const;

/** A text field with a list of items that match it. Arrow keys move the selection, Enter runs the selected item. */
export function FilterList<T extends FilterItem>(props: FilterListProps<T>) {
  const { label, placeholder, noMatches, variant, find, start = 0, onClose, toGroup, note, onMark, children } = props;
  const id = useId();
  const [query, setQuery] = useState('');
  const items = useMemo(() => find(query), [find, query]);
  const { at, choose, step } = useChoice(items.length, { start, hasEnds: query === '' });
  const take = (item: T | undefined) => {
    if (!item || item.isDisabled) return;
    onClose();
    item.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const marked = event.altKey && event.key === 'Enter' ? items[at] : undefined;
    if (marked && onMark) onMark(marked);
    else if (event.key === 'Enter') take(items[at]);
    else if (!step(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      <div className={`${variant}-search search line ruled`}>
        <Search size={16} className="muted" />
        <input
          data-first
          autoFocus
          role="combobox"
          aria-expanded
          aria-controls={id}
          aria-activedescendant={toOptionId(id, at)}
          aria-label={placeholder}
          placeholder={placeholder}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            choose(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <OptionList
        id={id}
        label={label}
        items={items}
        toKey={({ key }) => key}
        active={at}
        className={`${variant}-rows`}
        optionClassName={OPTIONS[variant]}
        isDisabled={({ isDisabled = false }) => isDisabled}
        onHover={choose}
        onTake={take}
        {...(toGroup ? { toGroup } : {})}
      >
        {children}
      </OptionList>
      {items.length === 0 ? <p className="palette-none muted">{noMatches}</p> : null}
      {note === undefined ? null : <p className="picker-note small muted wide">{note}</p>}
    </>
  );
}

import { Check } from 'lucide-react';
import { useCallback, useEffect, type ReactNode } from 'react';
import { matchWords } from '../shell/match-words.ts';
import { useText } from '../text/text.ts';
import { FilterList, type FilterItem } from './filter-list.tsx';
import { Popup } from './popup.tsx';

export interface PickerItem extends FilterItem {
  label: string;
  description?: string;
  /** A short text at the end of the row, such as the reason why the item is disabled. */
  hint?: string;
  isChosen: boolean;
  /** The heading above the first item of each group. */
  group?: string;
  /** At the start of the row. */
  mark?: ReactNode;
}

interface PickerProps {
  label: string;
  children: ReactNode;
  items: readonly PickerItem[];
  /** A line below the list. */
  note?: string;
  /** Alt-Enter on an item. */
  onMark?: (item: PickerItem) => void;
  onOpen?: () => void;
}

export function Picker({ label, children, ...list }: PickerProps) {
  return (
    <Popup role="dialog" label={label} button={children} popupClassName="menu-above menu-start picker-list">
      {(close) => <Choice label={label} {...list} onClose={close} />}
    </Popup>
  );
}

type ChoiceProps = Omit<PickerProps, 'children'> & { onClose: () => void };

function Choice({ label, items, note, onMark, onOpen, onClose }: ChoiceProps) {
  const t = useText();
  useEffect(() => onOpen?.(), []);
  const find = useCallback(
    (query: string) =>
      items.filter((item) => matchWords(`${item.label} ${item.description ?? ''} ${item.group ?? ''}`, query.trim())),
    [items],
  );
  return (
    <FilterList
      label={label}
      placeholder={t.app.filter}
      noMatches={t.app.noMatches}
      variant="picker"
      find={find}
      start={Math.max(
        0,
        items.findIndex(({ isChosen }) => isChosen),
      )}
      onClose={onClose}
      toGroup={({ group }) => group}
      {...(note === undefined ? {} : { note })}
      {...(onMark ? { onMark } : {})}
    >
      {(item) => (
        <>
          <span className="menu-icon">{item.isChosen ? <Check size={14} aria-label={t.app.chosen} /> : null}</span>
          <span className="menu-words column grow">
            <span>
              {item.label} {item.mark}
            </span>
            {item.description === undefined ? null : <small className="muted">{item.description}</small>}
          </span>
          {item.hint === undefined ? null : <span className="menu-hint small muted">{item.hint}</span>}
        </>
      )}
    </FilterList>
  );
}

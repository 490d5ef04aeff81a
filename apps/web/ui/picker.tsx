import { Check, Search } from 'lucide-react';
import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { matchWords } from '../shell/match-words.ts';
import { useText } from '../text/text.ts';
import { useChoice } from './use-choice.ts';

export interface PickerItem {
  key: string;
  label: string;
  /** One line below the label. */
  description?: string;
  /** A few characters at the end of the row. */
  hint?: string;
  isChosen: boolean;
  /** It is shown, and says in its hint why it cannot be chosen. */
  isDisabled?: boolean;
  run: () => void;
}

interface PickerProps {
  /** Read out for the button. */
  label: string;
  /** What the button shows. */
  children: ReactNode;
  items: readonly PickerItem[];
}

/** A button that opens a list to choose one of, narrowed by what is typed. */
export function Picker({ label, children, items }: PickerProps) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isOpen) return undefined;
    const leave = (event: Event) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    addEventListener('pointerdown', leave);
    addEventListener('focusin', leave);
    return () => {
      removeEventListener('pointerdown', leave);
      removeEventListener('focusin', leave);
    };
  }, [isOpen]);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <div className="menu" ref={root}>
      <button
        type="button"
        ref={button}
        className="menu-button"
        aria-label={label}
        title={label}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {children}
      </button>
      {isOpen ? <Choice label={label} items={items} onClose={close} /> : null}
    </div>
  );
}

type ChoiceProps = Pick<PickerProps, 'label' | 'items'> & { onClose: () => void };

function Choice({ label, items, onClose }: ChoiceProps) {
  const t = useText();
  const id = useId();
  const [query, setQuery] = useState('');
  const shown = useMemo(
    () => items.filter((item) => matchWords(`${item.label} ${item.description ?? ''}`, query.trim())),
    [items, query],
  );
  const current = items.findIndex(({ isChosen }) => isChosen);
  const { at, choose, step } = useChoice(shown.length, { start: Math.max(0, current), hasEnds: query === '' });
  const take = (item: PickerItem | undefined) => {
    if (!item || item.isDisabled) return;
    onClose();
    item.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') take(shown[at]);
    else if (event.key === 'Escape') onClose();
    else if (!step(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div role="dialog" aria-label={label} className="menu-list menu-above menu-start picker-list">
      <div className="picker-search">
        <Search size={14} className="muted" />
        <input
          autoFocus
          role="combobox"
          aria-expanded
          aria-controls={id}
          aria-activedescendant={shown[at] ? `${id}-${at}` : undefined}
          aria-label={t.app.filter}
          placeholder={t.app.filter}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            choose(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div role="listbox" id={id} aria-label={label} className="picker-rows">
        {shown.map((item, index) => (
          <div
            key={item.key}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            aria-disabled={item.isDisabled}
            className="menu-item"
            ref={(element) => {
              if (index === at) element?.scrollIntoView({ block: 'nearest' });
            }}
            onClick={() => take(item)}
          >
            <span className="menu-icon">{item.isChosen ? <Check size={14} aria-label={t.app.chosen} /> : null}</span>
            <span className="menu-words">
              <span>{item.label}</span>
              {item.description === undefined ? null : <small>{item.description}</small>}
            </span>
            {item.hint === undefined ? null : <span className="menu-hint">{item.hint}</span>}
          </div>
        ))}
      </div>
      {shown.length === 0 ? <p className="palette-none muted">{t.app.noMatches}</p> : null}
    </div>
  );
}

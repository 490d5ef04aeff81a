import { Check } from 'lucide-react';
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { stepInList } from './use-choice.ts';

export interface MenuItem {
  key: string;
  label: string;
  icon?: ReactNode;
  /** A line below the label. */
  description?: string;
  /** A few characters at the end of the row. */
  hint?: string;
  isChosen?: boolean;
  isDisabled?: boolean;
  isDanger?: boolean;
  run: () => void;
}

interface MenuProps {
  /** Read out for the button. */
  label: string;
  /** What the button shows. */
  children: ReactNode;
  items: readonly MenuItem[];
  className?: string;
  /** Where the list opens. Default below, at the right. */
  side?: 'below' | 'above';
  align?: 'start' | 'end';
}

/** A button that opens a list of things to do or choose from. Arrow keys, letters, Enter and Escape work. */
export function Menu({ label, children, items, className = '', side = 'below', align = 'end' }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  useEffect(() => {
    if (!isOpen) return undefined;
    const rows = root.current?.querySelectorAll<HTMLElement>('[role^="menuitem"]');
    ([...(rows ?? [])].find((row) => row.ariaChecked === 'true') ?? rows?.[0])?.focus();
    const leave = (event: PointerEvent) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    addEventListener('pointerdown', leave);
    return () => removeEventListener('pointerdown', leave);
  }, [isOpen]);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isOpen) return;
    if (event.key === 'Escape') close();
    else if (event.key === 'Tab') return setOpen(false);
    else if (!moveFocus(root.current, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const isChoice = items.some(({ isChosen }) => isChosen !== undefined);
  return (
    <div className={`menu ${className}`} ref={root} onKeyDown={onKeyDown}>
      <button
        type="button"
        ref={button}
        className="menu-button"
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {children}
      </button>
      {isOpen ? (
        <div role="menu" id={id} aria-label={label} className={`menu-list menu-${side} menu-${align}`}>
          {items.map((item) => (
            <button
              key={item.key}
              type="button"
              role={isChoice ? 'menuitemradio' : 'menuitem'}
              aria-checked={isChoice ? item.isChosen === true : undefined}
              aria-disabled={item.isDisabled}
              tabIndex={-1}
              className={`menu-item ${item.isDanger ? 'menu-danger' : ''}`}
              onClick={() => {
                if (item.isDisabled) return;
                close();
                item.run();
              }}
            >
              <span className="menu-icon">{item.isChosen ? <Check size={14} /> : item.icon}</span>
              <span className="menu-words">
                <span>{item.label}</span>
                {item.description === undefined ? null : <small>{item.description}</small>}
              </span>
              {item.hint === undefined ? null : <span className="menu-hint">{item.hint}</span>}
            </button>
          ))}
        </div>
      ) : null}
    </div>
  );
}

/** Moves the focus among the rows of a list. False for a key that means nothing there. */
function moveFocus(root: HTMLElement | null, key: string): boolean {
  const rows = [...(root?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const to = stepInList(key, { at, count: rows.length, hasEnds: true });
  if (to !== undefined) rows[to]!.focus();
  else if (key.length === 1 && key !== ' ') {
    const after = [...rows.slice(at + 1), ...rows.slice(0, at + 1)];
    after.find((row) => row.textContent.trim().toLowerCase().startsWith(key.toLowerCase()))?.focus();
  } else return false;
  return true;
}

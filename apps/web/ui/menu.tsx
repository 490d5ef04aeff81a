import type { Role } from '@klaus/server/contract';
import { Check, type LucideIcon } from 'lucide-react';
import { useRef, type KeyboardEvent, type ReactNode } from 'react';
import { hasAccess } from '../state/access.ts';
import { stepInList } from './use-choice.ts';
import { Popup } from './popup.tsx';

export interface MenuItem {
  key: string;
  label: string;
  icon?: LucideIcon;
  description?: string;
  /** True or false for the items of a choice; undefined for actions. */
  isChosen?: boolean;
  /** The item of a multiple choice: the menu stays open. */
  isMultiple?: true;
  isDanger?: boolean;
  /** The role without which the item is not offered. */
  needs?: Role;
  run: () => void;
}

interface MenuProps {
  label: string;
  children: ReactNode;
  items: readonly MenuItem[];
  className?: string;
  /** Where the menu opens. Default below. */
  side?: 'below' | 'above';
  /** The edge of the button with which the menu is aligned. Default end. */
  align?: 'start' | 'end';
}

/** A button with a menu of actions or of a choice. Supports arrow keys, Home, End, type-ahead and Escape. */
export function Menu({ label, children, items, className = '', side = 'below', align = 'end' }: MenuProps) {
  return (
    <Popup
      role="menu"
      label={label}
      button={children}
      className={className}
      popupClassName={`menu-${side} menu-${align}`}
    >
      {(close) => <Items items={items.filter(({ needs }) => hasAccess(needs))} onClose={close} />}
    </Popup>
  );
}

function Items({ items, onClose }: { items: readonly MenuItem[]; onClose: () => void }) {
  const root = useRef<HTMLDivElement>(null);
  const first = items.find(({ isChosen }) => isChosen) ?? items[0];
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Tab') return onClose();
    if (!moveFocus(toRows(root.current), event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div ref={root} role="none" onKeyDown={onKeyDown}>
      {items.map((item) => {
        const { key, label, icon, description, isChosen, isMultiple, isDanger, run } = item;
        const Icon = isChosen ? Check : icon;
        return (
          <button
            key={key}
            type="button"
            role={isChosen === undefined ? 'menuitem' : isMultiple ? 'menuitemcheckbox' : 'menuitemradio'}
            aria-checked={isChosen}
            data-first={item === first || undefined}
            tabIndex={-1}
            className={`menu-item bare line ${isDanger ? 'bad' : ''}`}
            onClick={() => {
              if (!isMultiple) onClose();
              run();
            }}
          >
            <span className="menu-icon">{Icon ? <Icon size={14} /> : null}</span>
            <span className="menu-words column grow">
              <span>{label}</span>
              {description === undefined ? null : <small className="muted">{description}</small>}
            </span>
          </button>
        );
      })}
    </div>
  );
}

function toRows(root: HTMLElement | null): HTMLElement[] {
  return [...(root?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])];
}

/** Moves the focus between the items of a menu. False for a key without a function. */
function moveFocus(rows: readonly HTMLElement[], key: string): boolean {
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const to = stepInList(key, { at, count: rows.length, hasEnds: true });
  if (to !== undefined) rows[to]!.focus();
  else if (key.length === 1 && key !== ' ') {
    const after = [...rows.slice(at + 1), ...rows.slice(0, at + 1)];
    after.find((row) => row.textContent.trim().toLowerCase().startsWith(key.toLowerCase()))?.focus();
  } else return false;
  return true;
}

import { useId, useRef, useState, type ReactNode } from 'react';
import { flushSync } from 'react-dom';

interface PopupProps {
  role: 'menu' | 'dialog';
  label: string;
  button: ReactNode;
  className?: string;
  popupClassName: string;
  /** The content, which is mounted while the popup is open. */
  children: (close: () => void) => ReactNode;
}

/**
 * A button that opens a popup. The Popover API of the browser closes it on Escape and on a click outside of it, returns
 * the focus to the button and renders it above everything else. It opens with the focus on the element with
 * `data-first`.
 */
export function Popup({ role, label, button, className = '', popupClassName, children }: PopupProps) {
  const [isOpen, setOpen] = useState(false);
  const popup = useRef<HTMLDivElement>(null);
  const id = useId();
  const close = () => popup.current?.hidePopover();
  return (
    <div
      className={`menu ${className}`}
      onBlur={({ relatedTarget, currentTarget }) => {
        if (relatedTarget && !currentTarget.contains(relatedTarget)) close();
      }}
    >
      <button
        type="button"
        className="menu-button"
        aria-label={label}
        title={label}
        aria-haspopup={role}
        aria-expanded={isOpen}
        popoverTarget={id}
      >
        {button}
      </button>
      <div
        ref={popup}
        id={id}
        popover="auto"
        role={role}
        aria-label={label}
        className={`menu-list raised ${popupClassName}`}
        onBeforeToggle={({ newState, currentTarget }) => {
          if (newState !== 'open') return;
          // The content is there before the browser sets the focus, so the next key goes to it and not to the button.
          flushSync(() => setOpen(true));
          markFirst(currentTarget);
        }}
        onToggle={({ newState }) => setOpen(newState === 'open')}
      >
        {isOpen ? children(close) : null}
      </div>
    </div>
  );
}

/** React never writes the attribute `autofocus`, which the browser reads when it opens a popup. */
function markFirst(popup: HTMLElement): void {
  for (const element of popup.querySelectorAll('[autofocus]')) element.removeAttribute('autofocus');
  popup.querySelector('[data-first]')?.setAttribute('autofocus', '');
}

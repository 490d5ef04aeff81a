import { X } from 'lucide-react';
import { useLayoutEffect, useRef, type ReactNode } from 'react';
import { useText } from '../text/text.ts';
import { IconButton } from './button.tsx';

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
  className?: string;
  /** False: the title is only the accessible name. Default true. */
  hasHead?: boolean;
}

/**
 * A modal dialog. The browser traps the focus and restores it. The first focused element has `data-first`; without one
 * it is the first focusable element.
 */
export function Dialog({ title, onClose, children, className = '', hasHead = true }: DialogProps) {
  const t = useText();
  const element = useRef<HTMLDialogElement>(null);
  // The browser restores the focus only if the dialog is closed before it is removed.
  useLayoutEffect(() => {
    const dialog = element.current;
    if (dialog && !dialog.open) dialog.showModal();
    dialog?.querySelector<HTMLElement>('[data-first]')?.focus();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      className={`dialog raised ${className}`}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => {
        if (event.target === element.current) onClose();
      }}
    >
      {hasHead ? (
        <header className="dialog-head line ruled">
          <h2>{title}</h2>
          <IconButton label={t.app.close} icon={X} iconSize={16} onClick={onClose} />
        </header>
      ) : null}
      {children}
    </dialog>
  );
}

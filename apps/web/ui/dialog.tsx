import { X } from 'lucide-react';
import { useLayoutEffect, useRef, type ReactNode } from 'react';
import { useText } from '../text/text.ts';
import { IconButton } from './button.tsx';

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
  className?: string;
  /** False: the title is read out and not shown. Default true. */
  hasHead?: boolean;
}

/**
 * A window over the page. The browser keeps the focus in it and gives it back. It begins at what is marked with
 * `data-first`, else at the first thing that takes it.
 */
export function Dialog({ title, onClose, children, className = '', hasHead = true }: DialogProps) {
  const t = useText();
  const element = useRef<HTMLDialogElement>(null);
  // Before the window is taken out of the page: only then the browser gives the focus back.
  useLayoutEffect(() => {
    const dialog = element.current;
    if (dialog && !dialog.open) dialog.showModal();
    dialog?.querySelector<HTMLElement>('[data-first]')?.focus();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      className={`dialog ${className}`}
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
        <header className="dialog-head">
          <h2>{title}</h2>
          <IconButton label={t.app.close} icon={<X size={16} />} onClick={onClose} />
        </header>
      ) : null}
      {children}
    </dialog>
  );
}

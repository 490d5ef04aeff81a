import { useRef, type ReactNode } from 'react';
import { useSignal } from '../actions/use-signal.ts';
import '../ui/find-bar.css';

interface ViewerHeadProps {
  /** The name of the field. */
  label: string;
  words: string;
  onWords: (words: string) => void;
  /** What was found. */
  status: string;
  children: ReactNode;
}

/** The search of a view of a file, and its buttons. */
export function ViewerHead({ label, words, onWords, status, children }: ViewerHeadProps) {
  const find = useRef<HTMLInputElement>(null);
  useSignal('find-in-file', () => find.current?.select());
  return (
    <div className="find-bar line ruled">
      <input
        ref={find}
        className="field"
        type="search"
        aria-label={label}
        placeholder={label}
        value={words}
        onChange={(event) => onWords(event.target.value)}
      />
      <span className="muted small number" role="status">
        {status}
      </span>
      {children}
    </div>
  );
}

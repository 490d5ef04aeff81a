import type { ComponentProps, ReactNode } from 'react';
import { hasCharacter } from '../keys/keymap.ts';
import { toKeysText } from '../keys/keys.tsx';
import { preferences } from '../state/preferences.ts';
import { useStore } from '../state/store.ts';

type ButtonProps = ComponentProps<'button'> & {
  /** `primary` for the one thing to do, `danger` for what takes something away. Default `plain`. */
  look?: 'plain' | 'primary' | 'danger' | 'quiet';
  icon?: ReactNode;
  /** The keys that do the same; shown beside the words. */
  keys?: string;
};

/** A button with words. */
export function Button({ look = 'plain', icon, keys, children, className = '', ...rest }: ButtonProps) {
  const { letterKeys } = useStore(preferences);
  return (
    <button type="button" {...rest} className={`button button-${look} ${className}`}>
      {icon}
      {children}
      {keys === undefined || (!letterKeys && hasCharacter(keys)) ? null : (
        <kbd className="wide" aria-hidden>
          {toKeysText(keys)}
        </kbd>
      )}
    </button>
  );
}

type IconButtonProps = ComponentProps<'button'> & { label: string; icon: ReactNode; keys?: string };

/** A button that is a sign alone; its words are read out and shown on hover. */
export function IconButton({ label, icon, keys, className = '', ...rest }: IconButtonProps) {
  const title = keys === undefined ? label : `${label} (${keys})`;
  return (
    <button type="button" {...rest} className={`icon-button ${className}`} aria-label={label} title={title}>
      {icon}
    </button>
  );
}

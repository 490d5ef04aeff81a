import type { ComponentProps, ReactNode } from 'react';
import { hasCharacter } from '../keys/keymap.ts';
import { toKeysText } from '../keys/keys.tsx';
import { preferences } from '../state/preferences.ts';
import { useStore } from '../state/store.ts';

type ButtonProps = ComponentProps<'button'> & {
  /** `primary` for the main action, `danger` for a destructive one. Default `plain`. */
  variant?: 'plain' | 'primary' | 'danger' | 'quiet';
  icon?: ReactNode;
  keys?: string;
};

export function Button({ variant = 'plain', icon, keys, children, className = '', ...rest }: ButtonProps) {
  const { letterKeys } = useStore(preferences);
  return (
    <button type="button" {...rest} className={`button button-${variant} ${className}`}>
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

/** A button with an icon. The label is its accessible name and tooltip. */
export function IconButton({ label, icon, keys, className = '', ...rest }: IconButtonProps) {
  const title = keys === undefined ? label : `${label} (${keys})`;
  return (
    <button type="button" {...rest} className={`icon-button ${className}`} aria-label={label} title={title}>
      {icon}
    </button>
  );
}

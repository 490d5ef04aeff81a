import type { LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import { hasCharacter } from '../keys/keymap.ts';
import { toKeysText } from '../keys/keys.tsx';
import { preferences } from '../state/preferences.ts';
import { useStore } from '../state/store.ts';

type ButtonProps = ComponentProps<'button'> & {
  /** `primary` for the main action, `danger` for a destructive one. Default `plain`. */
  variant?: 'plain' | 'primary' | 'danger' | 'quiet';
  icon?: LucideIcon;
  /** In pixels. Default 14. */
  iconSize?: number;
  keys?: string;
};

export function Button({
  variant = 'plain',
  icon: Icon,
  iconSize = 14,
  keys,
  children,
  className = '',
  ...rest
}: ButtonProps) {
  const { letterKeys } = useStore(preferences);
  return (
    <button type="button" {...rest} className={`button button-${variant} ${className}`}>
      {Icon ? <Icon size={iconSize} /> : null}
      {children}
      {keys === undefined || (!letterKeys && hasCharacter(keys)) ? null : (
        <kbd className="wide" aria-hidden>
          {toKeysText(keys)}
        </kbd>
      )}
    </button>
  );
}

type IconButtonProps = Omit<ButtonProps, 'variant'> & { label: string; icon: LucideIcon };

/** A button with an icon. The label is its accessible name and tooltip. */
export function IconButton({ label, icon: Icon, iconSize = 14, keys, className = '', ...rest }: IconButtonProps) {
  const title = keys === undefined ? label : `${label} (${toKeysText(keys)})`;
  return (
    <button type="button" {...rest} className={`icon-button ${className}`} aria-label={label} title={title}>
      <Icon size={iconSize} />
    </button>
  );
}

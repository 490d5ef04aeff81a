import type { Role } from '@klaus/server/contract';
import type { LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import { boundKeys } from '../keys/bindings.ts';
import { hasCharacter } from '../keys/keymap.ts';
import { toKeysText } from '../keys/keys.tsx';
import { preferences } from '../state/preferences.ts';
import { useAccess } from '../state/access.ts';
import { useIsStored } from '../state/host.ts';
import { useStore } from '../state/store.ts';
import { useText } from '../text/text.ts';

type ButtonProps = ComponentProps<'button'> & {
  /** `primary` for the main action, `danger` for a destructive one. Default `plain`. */
  variant?: 'plain' | 'primary' | 'danger' | 'quiet';
  icon?: LucideIcon;
  /** In pixels. Default 14. */
  iconSize?: number;
  keys?: string;
  /** The role without which the button is disabled. Default: none. */
  needs?: Role;
};

export function Button({
  variant = 'plain',
  icon: Icon,
  iconSize = 14,
  keys,
  needs,
  children,
  className = '',
  ...rest
}: ButtonProps) {
  const { letterKeys } = useStore(preferences);
  const refused = useRefusal(needs);
  const shown = keys === undefined ? undefined : toKeysText(keys);
  return (
    <button type="button" {...rest} {...refused} className={`button button-${variant} ${className}`}>
      {Icon ? <Icon size={iconSize} /> : null}
      {children}
      {shown === undefined || (!letterKeys && hasCharacter(boundKeys(keys!) ?? '')) ? null : (
        <kbd className="wide" aria-hidden>
          {shown}
        </kbd>
      )}
    </button>
  );
}

/** Disables a button for a user without the role, and while the page shows a stored state, and gives the reason. */
function useRefusal(needs: Role | undefined): { disabled?: true; title?: string } {
  const t = useText();
  const isAllowed = useAccess(needs);
  const isStored = useIsStored();
  if (needs === undefined || (isAllowed && !isStored)) return {};
  return { disabled: true, title: isAllowed ? t.lists.offlineTitle : t.signIn.needs[needs] };
}

type IconButtonProps = Omit<ButtonProps, 'variant'> & { label: string; icon: LucideIcon };

/** A button with an icon. The label is its accessible name and tooltip. */
export function IconButton({
  label,
  icon: Icon,
  iconSize = 14,
  keys,
  needs,
  className = '',
  ...rest
}: IconButtonProps) {
  const refused = useRefusal(needs);
  const shown = keys === undefined ? undefined : toKeysText(keys);
  const title = shown === undefined ? label : `${label} (${shown})`;
  return (
    <button
      type="button"
      {...rest}
      className={`icon-button ${className}`}
      aria-label={label}
      title={title}
      {...refused}
    >
      <Icon size={iconSize} />
    </button>
  );
}

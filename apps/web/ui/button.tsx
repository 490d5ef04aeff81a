import type { ComponentProps, ReactNode } from 'react';

type ButtonProps = ComponentProps<'button'> & {
  /** `primary` for the one thing to do, `danger` for what takes something away. Default `plain`. */
  look?: 'plain' | 'primary' | 'danger' | 'quiet';
  icon?: ReactNode;
};

/** A button with words. */
export function Button({ look = 'plain', icon, children, className = '', ...rest }: ButtonProps) {
  return (
    <button type="button" {...rest} className={`button button-${look} ${className}`}>
      {icon}
      {children}
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

import { Fragment, type ReactNode } from 'react';

interface OptionListProps<T> {
  id: string;
  label: string;
  items: readonly T[];
  toKey: (item: T) => string;
  /** Index of the active option; -1 for none. */
  active: number;
  className?: string;
  optionClassName: string;
  isDisabled?: (item: T) => boolean;
  onHover?: (at: number) => void;
  onTake: (item: T) => void;
  toGroup?: (item: T) => string | undefined;
  children: (item: T) => ReactNode;
}

/** The listbox of a text field. The field keeps the focus and refers to the active option by `toOptionId`. */
export function OptionList<T>(props: OptionListProps<T>) {
  const {
    id,
    label,
    items,
    toKey,
    active,
    className,
    optionClassName,
    isDisabled,
    onHover,
    onTake,
    toGroup,
    children,
  } = props;
  const groupOf = (item: T | undefined) => (item === undefined ? undefined : toGroup?.(item));
  return (
    <div role="listbox" id={id} aria-label={label} className={className}>
      {items.map((item, at) => (
        <Fragment key={toKey(item)}>
          {groupOf(item) === undefined || groupOf(item) === groupOf(items[at - 1]) ? null : (
            <div className="option-group small muted" aria-hidden>
              {groupOf(item)}
            </div>
          )}
          <div
            id={toOptionId(id, at)}
            role="option"
            aria-selected={at === active}
            aria-disabled={isDisabled?.(item)}
            className={optionClassName}
            ref={(element) => {
              if (at === active) element?.scrollIntoView({ block: 'nearest' });
            }}
            // Keeps the focus in the field.
            onMouseDown={(event) => event.preventDefault()}
            onMouseMove={() => onHover?.(at)}
            onClick={() => onTake(item)}
          >
            {children(item)}
          </div>
        </Fragment>
      ))}
    </div>
  );
}

/** Id of the option for `aria-activedescendant`; undefined for index -1. */
export function toOptionId(list: string, at: number): string | undefined {
  return at < 0 ? undefined : `${list}-${at}`;
}

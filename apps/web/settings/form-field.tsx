import { type ReactNode, useId } from 'react';
import { CodeText } from '../ui/code-text.tsx';

interface FormFieldProps {
  label: string;
  hint?: string;
  /** The field, with the id for its label and the id of its hint. */
  children: (ids: { id: string; 'aria-describedby': string | undefined }) => ReactNode;
}

/** A field with its label above and its hint below. */
export function FormField({ label, hint, children }: FormFieldProps) {
  const id = useId();
  return (
    <div className="form-field column">
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-describedby': hint === undefined ? undefined : `${id}-hint` })}
      {hint === undefined ? null : (
        <p id={`${id}-hint`} className="small muted">
          <CodeText text={hint} />
        </p>
      )}
    </div>
  );
}

/** Attributes of a field for text that is no prose. */
export const PLAIN_FIELD = {
  className: 'field mono',
  autoComplete: 'off',
  autoCapitalize: 'off',
  spellCheck: false,
} as const;

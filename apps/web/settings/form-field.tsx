import { type ComponentProps, type ReactNode, useId } from 'react';
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

type TextFieldProps = Pick<FormFieldProps, 'label' | 'hint'> & {
  value: string;
  onChange: (value: string) => void;
  /** A field with several lines. Default: one line. */
  rows?: number;
} & Pick<ComponentProps<'input'>, 'type' | 'required' | 'maxLength'>;

/** A field for text that is no prose, with its label and its hint. */
export function TextField({ label, hint, rows, type, onChange, ...rest }: TextFieldProps) {
  return (
    <FormField label={label} hint={hint}>
      {(ids) =>
        rows === undefined ? (
          <input {...ids} {...PLAIN_FIELD} {...rest} type={type} onChange={({ target }) => onChange(target.value)} />
        ) : (
          <textarea {...ids} {...PLAIN_FIELD} {...rest} rows={rows} onChange={({ target }) => onChange(target.value)} />
        )
      }
    </FormField>
  );
}

import { toInputDefaults, type InputContent, type InputField } from '@klaus/sdk';

/** A form for the user of an editor. */
export interface FormRequest {
  session: string;
  message: string;
  fields: readonly InputField[];
}

/** `cancel`: the user closed the form. */
export type FormAnswer = { action: 'accept'; content: InputContent } | { action: 'decline' | 'cancel' };

/** The form in both versions of the protocol. */
export function toForm({ session, message, fields }: FormRequest) {
  return {
    mode: 'form' as const,
    sessionId: session,
    message,
    requestedSchema: {
      type: 'object' as const,
      properties: Object.fromEntries(fields.map((field) => [field.name, toProperty(field)])),
      required: fields.flatMap(({ name, required }) => (required ? [name] : [])),
    },
  };
}

function toProperty({ type, title, description, options = [], format, min, max, ...field }: InputField) {
  const head = { title, description };
  const preset = field.default;
  const choices = options.map((option) => ({ const: option.value, title: option.title }));
  switch (type) {
    case 'text':
      return {
        ...{ ...head, type: 'string' as const },
        format,
        minLength: min,
        maxLength: max,
        ...(typeof preset === 'string' ? { default: preset } : {}),
      };
    case 'choice':
      return {
        ...{ ...head, type: 'string' as const, oneOf: choices },
        ...(typeof preset === 'string' ? { default: preset } : {}),
      };
    case 'choices':
      return {
        ...{ ...head, type: 'array' as const, items: { anyOf: choices } },
        minItems: min,
        maxItems: max,
        ...(Array.isArray(preset) ? { default: preset } : {}),
      };
    case 'boolean':
      return { ...head, type: 'boolean' as const, ...(typeof preset === 'boolean' ? { default: preset } : {}) };
    case 'number':
    case 'integer':
      return {
        ...head,
        type,
        minimum: min,
        maximum: max,
        ...(typeof preset === 'number' ? { default: preset } : {}),
      };
  }
}

/** The answer to a form. @param response Checked by the SDK, apart from the fields of the form. */
export function fromForm(response: { action: string; content?: unknown }, fields: readonly InputField[]): FormAnswer {
  const { action, content } = response;
  if (action === 'decline') return { action };
  if (action !== 'accept' || typeof content !== 'object' || content === null) return { action: 'cancel' };
  const entries = Object.entries(content).filter(
    ([name, value]) => value !== null && value !== undefined && fields.some((field) => field.name === name),
  );
  return { action: 'accept', content: { ...toInputDefaults(fields), ...Object.fromEntries(entries) } };
}

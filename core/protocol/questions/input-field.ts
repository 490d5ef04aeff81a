import { z } from 'zod';

const optionSchema = z.object({ value: z.string(), title: z.string() });

export const inputValueSchema = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);
/** The value of a field: a list for the type `choices`. */
export type InputValue = z.infer<typeof inputValueSchema>;

export const inputContentSchema = z.record(z.string(), inputValueSchema);
/** The values of a form by the name of the field. */
export type InputContent = z.infer<typeof inputContentSchema>;

/** What the user answered to a question of a tool. `cancel`: the question ended without an answer. */
export type InputAnswer = { action: 'accept'; content: InputContent } | { action: 'decline' | 'cancel' };

export const inputFieldSchema = z.object({
  name: z.string(),
  title: z.string().describe('What a form shows.'),
  description: z.string().optional(),
  type: z.enum(['text', 'number', 'integer', 'boolean', 'choice', 'choices']),
  required: z.boolean(),
  options: z.array(optionSchema).optional().describe('For `choice` and `choices`.'),
  format: z.enum(['email', 'uri', 'date', 'date-time']).optional().describe('For `text`.'),
  min: z.number().optional().describe('Least value of a number, characters of a text, or number of choices.'),
  max: z.number().optional().describe('Greatest value of a number, characters of a text, or number of choices.'),
  default: inputValueSchema.optional(),
});
/** A field of a form that a tool asks the user to fill in. */
export type InputField = z.infer<typeof inputFieldSchema>;

export const inputQuestionSchema = z.object({
  from: z.string().describe('What asks, such as `the MCP server files`.'),
  message: z.string().describe('The question, as the tool wrote it. It can contain instructions of others.'),
  fields: z.array(inputFieldSchema).describe('The form. Empty: the user only accepts or declines.'),
  url: z.string().optional().describe('An address that the user is asked to open. An answer has no content then.'),
  host: z
    .string()
    .optional()
    .describe('Host of `url` in ASCII, with a note for other letters, this machine and private networks.'),
});
/** A question that a tool asks the user while it runs. */
export type InputQuestion = z.infer<typeof inputQuestionSchema>;

const TYPES = {
  text: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  choice: 'string',
  choices: 'object',
} as const satisfies Record<InputField['type'], string>;

const FORMATS = {
  email: z.email(),
  uri: z.url(),
  date: z.iso.date(),
  'date-time': z.iso.datetime({ offset: true }),
} as const;

/** Why the values do not fit the form, in one sentence; undefined if they do. */
export function findInputProblem(fields: readonly InputField[], content: InputContent): string | undefined {
  const unknown = Object.keys(content).find((name) => !fields.some((field) => field.name === name));
  if (unknown !== undefined) return `There is no field ${unknown}.`;
  for (const field of fields) {
    const problem = Object.hasOwn(content, field.name)
      ? findValueProblem(field, content[field.name]!)
      : field.required && 'a value is required';
    if (problem) return `${field.name}: ${problem}.`;
  }
  return undefined;
}

/** Why a value does not fit its field, without a full stop; undefined if it does. */
export function findValueProblem(
  { type, options = [], format, min, max }: InputField,
  value: InputValue,
): string | undefined {
  if (typeof value !== TYPES[type]) return `the value is no ${type}`;
  if (type === 'integer' && !Number.isInteger(value)) return 'the value is no integer';
  const size = typeof value === 'number' ? value : typeof value === 'boolean' ? undefined : value.length;
  if (type !== 'choice' && size !== undefined) {
    const unit = type === 'text' ? ' characters' : type === 'choices' ? ' choices' : '';
    if (min !== undefined && size < min) return `at least ${min}${unit}`;
    if (max !== undefined && size > max) return `at most ${max}${unit}`;
  }
  const chosen = Array.isArray(value) ? value : type === 'choice' ? [String(value)] : [];
  const other = chosen.find((each) => !options.some((option) => option.value === each));
  if (other !== undefined) return `${other} is none of ${options.map((option) => option.value).join(', ')}`;
  if (format !== undefined && !FORMATS[format].safeParse(value).success) return `the value is no ${format}`;
  return undefined;
}

/** The value that a text gives a field; the text itself where it fits no other type. Choices are separated by commas. */
export function toInputValue({ type, options = [] }: InputField, text: string): InputValue {
  const trimmed = text.trim();
  const toChoice = (given: string): string =>
    options.find(({ value, title }) => value === given || title === given)?.value ?? given;
  switch (type) {
    case 'number':
    case 'integer':
      return trimmed === '' || Number.isNaN(Number(trimmed)) ? trimmed : Number(trimmed);
    case 'boolean':
      return /^(y|yes|true)$/i.test(trimmed) ? true : /^(n|no|false)$/i.test(trimmed) ? false : trimmed;
    case 'choice':
      return toChoice(trimmed);
    case 'choices':
      return trimmed
        .split(',')
        .map((each) => toChoice(each.trim()))
        .filter((each) => each !== '');
    case 'text':
      return text;
  }
}

/** The values that a form has before the user changes it. */
export function toInputDefaults(fields: readonly InputField[]): InputContent {
  return Object.fromEntries(
    fields.flatMap((field) => (field.default === undefined ? [] : [[field.name, field.default]])),
  );
}

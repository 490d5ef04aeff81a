import { isRecord } from '@klaus/core/protocol';

export interface TextCall {
  name: string;
  /** The arguments; a text if they are not valid JSON. */
  input: unknown;
}

export interface TextCalls {
  /** What the answer says before them. */
  text: string;
  calls: TextCall[];
}

const OPEN = '<tool_call>';
const CLOSE = '</tool_call>';
const FENCE = '```';
/** Words behind the opening fence. */
const LANGUAGES: ReadonlySet<string> = new Set(['', 'json', 'tool_call', 'tool_code', 'tool']);
/** Names of the field with the arguments, as models write them. */
const INPUTS = ['arguments', 'parameters', 'input', 'args'];

/**
 * The calls at the end of an answer: objects in `<tool_call>` tags, or in one fenced block of JSON. Undefined if it does not
 * end with one, or if one names a tool that is not offered.
 */
export function readTextCalls(answer: string, names: ReadonlySet<string>): TextCalls | undefined {
  const text = answer.trimEnd();
  const found = readTagged(text, names) ?? readFenced(text, names);
  return found && found.calls.length > 0 ? { text: found.text.trimEnd(), calls: found.calls } : undefined;
}

/** Some models stop before the last closing tag. */
function readTagged(text: string, names: ReadonlySet<string>): TextCalls | undefined {
  const first = text.indexOf(OPEN);
  if (first < 0 || isQuoted(text.slice(0, first))) return undefined;
  const blocks = text
    .slice(first)
    .split(OPEN)
    .slice(1)
    .map((block) => block.trim());
  const contents = blocks.map((block, at) => {
    if (block.endsWith(CLOSE)) return block.slice(0, -CLOSE.length);
    return at === blocks.length - 1 && !block.includes(CLOSE) ? block : undefined;
  });
  const calls = contents.map((content) => (content === undefined ? undefined : toCalls(content, names)));
  if (calls.includes(undefined)) return undefined;
  return { text: text.slice(0, first), calls: calls.flatMap((each) => each!) };
}

/** True in a block quote, and in a code block: the model shows a call. */
function isQuoted(before: string): boolean {
  const lines = before.split('\n');
  const fences = lines.filter((line) => /^\s*(?:`{3}|~{3})/.test(line)).length;
  return /^\s*>/.test(lines.at(-1)!) || fences % 2 === 1;
}

function readFenced(text: string, names: ReadonlySet<string>): TextCalls | undefined {
  if (!text.endsWith(`\n${FENCE}`)) return undefined;
  const body = text.slice(0, -FENCE.length);
  const begin = body.lastIndexOf(FENCE);
  // A fence begins a line.
  if (begin < 0 || (begin > 0 && body[begin - 1] !== '\n')) return undefined;
  const [language = '', ...lines] = body.slice(begin + FENCE.length).split('\n');
  if (!LANGUAGES.has(language.trim())) return undefined;
  const calls = toCalls(lines.join('\n'), names);
  return calls && { text: body.slice(0, begin), calls };
}

/** One call or a list of calls. Undefined: it is something else. */
function toCalls(content: string, names: ReadonlySet<string>): TextCall[] | undefined {
  const value = parse(content);
  const calls = (Array.isArray(value) ? value : [value]).map((each) => toCall(each, names));
  return calls.includes(undefined) ? undefined : (calls as TextCall[]);
}

function toCall(value: unknown, names: ReadonlySet<string>): TextCall | undefined {
  if (!isRecord(value)) return undefined;
  const called = isRecord(value['function']) ? value['function'] : value;
  const { name } = called;
  if (typeof name !== 'string' || !names.has(name)) return undefined;
  const field = INPUTS.find((each) => called[each] !== undefined);
  const input = field === undefined ? {} : called[field];
  return { name, input: typeof input === 'string' ? (parse(input) ?? input) : input };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

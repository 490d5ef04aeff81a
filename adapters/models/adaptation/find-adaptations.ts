import { isRecord } from '@klaus/core/protocol';
import type { Adaptation } from './adaptation.ts';
import type { ProviderError } from '../failure/errors.ts';

/** The part of an error that is about one parameter. */
interface Complaint {
  text: string;
  /** As the server names it, in the notation of {@link toPath}. Absent: the text names it. */
  path?: string;
}

/** A request cannot lack these, nor what is in them except for some marks. */
const NEEDED =
  /^(?:model|messages|input|tools|stream|system|instructions|max_output_tokens)(?:$|\.(?!(?:.*\.)?(?:strict|cache_control)\b))/;
/** The limit of the output is never left out: the budget of a request depends on it. */
const LIMITS: Readonly<Record<string, string>> = {
  max_tokens: 'max_completion_tokens',
  max_completion_tokens: 'max_tokens',
};
/** Fields whose content is data. */
const DATA = /^(?:messages|input|instructions|metadata|tools\.\*\.(?:function\.)?(?:parameters|input_schema))$/;

const REFUSED =
  /unsupported|not? (?:be )?(?:supported|permitted|allowed|recognized|accepted|valid)|does ?n[o']t (?:support|accept|allow)|unrecognized|unknown|unexpected|extra[_ ](?:inputs?|fields?|forbidden|keys?)|cannot find field|deprecated|is invalid|invalid (?:parameter|argument|field|temperature)|only .{1,30} (?:is|are) (?:allowed|supported)/i;
/** The limit itself is accepted, and its value is not. */
const TOO_LARGE = /too (?:large|high|big|small|low)|exceed|greater|less than|at (?:most|least)|larger|maximum|must be/i;
/** What follows names what the server accepts. */
const ACCEPTED =
  /\b(?:expected one of|did you mean|use ['"`]|to drop these|(?:supported|valid|allowed|accepted) (?:values|parameters|fields|properties))/i;

/**
 * How a request must change after the server has refused it because of parameters. Empty if the error is about something
 * else. Sources of the texts: the answers of OpenAI, Azure, Mistral, Gemini, Groq, xAI, Moonshot, LiteLLM, vLLM and
 * gateways of Anthropic's API.
 *
 * @param sent The refused body.
 * @param known What has been changed in it.
 */
export function findAdaptations(
  { status, body }: Pick<ProviderError, 'status' | 'body'>,
  sent: Readonly<Record<string, unknown>>,
  known: readonly Adaptation[],
): Adaptation[] {
  if (status !== 400 && status !== 422) return [];
  const complaints = [...toComplaints(body)];
  const role = findRole(complaints, sent, known);
  if (role !== undefined) return [{ field: 'role', instead: role }];
  const paths = listPaths(sent);
  const found = new Map<string, Adaptation>();
  for (const given of complaints) {
    const complaint = given.path === undefined ? withPath(given, sent) : given;
    const named = paths.filter((path) => isNamed(complaint, path));
    // The most exact path, and all of an object that is nothing without its type.
    const exact = named.filter((path) => !named.some((other) => other.startsWith(`${path}.`)));
    for (const path of exact) {
      const field = path.replace(/\.type$/, '');
      const adaptation = toAdaptation(field, complaint, known);
      if (adaptation) found.set(field, adaptation);
    }
  }
  return [...found.values()];
}

function toAdaptation(field: string, { text }: Complaint, known: readonly Adaptation[]): Adaptation | undefined {
  const instead = LIMITS[field];
  if (instead === undefined) return { field };
  // The server has refused both names.
  if (known.some((each) => each.instead === field)) return undefined;
  const reason = text.split(ACCEPTED)[0] ?? '';
  return REFUSED.test(reason) && !TOO_LARGE.test(reason) ? { field, instead } : undefined;
}

/** Every text of an error, with the parameter to which it belongs. Some servers put the JSON of others into a text. */
function* toComplaints(value: unknown): Generator<Complaint, void, undefined> {
  if (typeof value === 'string') {
    const inner = parseJson(value);
    if (inner !== undefined) yield* toComplaints(inner);
    else for (const text of value.split('\n')) yield { text };
  } else if (Array.isArray(value)) {
    for (const each of value) yield* toComplaints(each);
  } else if (isRecord(value)) {
    const { loc, param, field } = value;
    const named = Array.isArray(loc) ? loc.join('.') : (param ?? field);
    const text = ['type', 'code', 'message', 'msg', 'description'].map((name) => value[name]);
    if (typeof named === 'string' && named !== '') {
      yield { path: toPath(named), text: text.filter((each) => typeof each === 'string').join(' ') };
    } else {
      for (const [name, inner] of Object.entries(value))
        if (name !== 'input' && name !== 'ctx') yield* toComplaints(inner);
    }
  }
}

/** Anthropic's texts begin with the path: `system.0.cache_control: …`. */
function withPath({ text }: Complaint, sent: Readonly<Record<string, unknown>>): Complaint {
  const [, name = ''] = /^(\w[\w.[\]]*): /.exec(text) ?? [];
  const path = toPath(name);
  return Object.hasOwn(sent, path.split('.')[0]!) ? { text, path } : { text };
}

function parseJson(text: string): unknown {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** `messages.*.role` for `body.messages.0.role` and `messages[0].role`. */
function toPath(name: string): string {
  return name
    .replaceAll(/\[(\d+)\]/g, '.$1')
    .split('.')
    .filter((step, index) => step !== '' && !(index === 0 && step === 'body'))
    .map((step) => (/^\d+$/.test(step) ? '*' : step))
    .join('.');
}

/** The paths of all fields that can be left out. Elements of a list have the same fields. */
function listPaths(value: unknown, prefix = ''): string[] {
  if (Array.isArray(value)) return listPaths(value[0], `${prefix}*.`);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const path = prefix + name;
    const below = DATA.test(path) ? [] : listPaths(inner, `${path}.`);
    return NEEDED.test(path) ? below : [path, ...below];
  });
}

function isNamed({ text, path: given }: Complaint, path: string): boolean {
  if (given !== undefined) return isSame(given, path);
  const reason = text.split(ACCEPTED)[0] ?? '';
  if (!REFUSED.test(reason)) return false;
  const last = path.slice(path.lastIndexOf('.') + 1);
  const words = last === 'type' ? [path] : [path, last, toCamelCase(path), toCamelCase(last)];
  return [...new Set(words)].some((word) => isMentioned(reason, word));
}

/** Servers name the alternative of a union in the path (`tools.*.custom.strict`), or write it in camel case. */
function isSame(given: string, path: string): boolean {
  if (given === path || given === toCamelCase(path)) return true;
  const steps = path.split('.');
  if (given.split('.')[0] !== steps[0] || given.split('.').at(-1) !== steps.at(-1)) return false;
  let at = 0;
  for (const step of given.split('.')) if (step === steps[at]) at++;
  return at === steps.length;
}

function toCamelCase(name: string): string {
  return name.replaceAll(/[_.](?=[a-z])(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** A word of the language, such as `store`, must be marked as a name. */
function isMentioned(text: string, name: string): boolean {
  const word = name.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  if (/[_.A-Z]/.test(name)) return new RegExp(`(?<![\\w.])${word}(?!\\w)`, 'i').test(text);
  return new RegExp(
    [
      `["'\`]${word}["'\`]`,
      `\\b(?:parameters?|arguments?|fields?|property|options?|invalid|supplied|support(?:ed|s)?)[: ]+${word}\\b`,
      `^${word}:`,
      `\\b${word} (?:parameter|option|field|(?:is|are) (?:not|un|deprecated))`,
    ].join('|'),
    'i',
  ).test(text);
}

/** The next role of the instructions, if the server does not accept this one. */
function findRole(
  complaints: readonly Complaint[],
  { messages }: Readonly<Record<string, unknown>>,
  known: readonly Adaptation[],
): string | undefined {
  const first: unknown = Array.isArray(messages) ? messages[0] : undefined;
  const sent = isRecord(first) ? first['role'] : undefined;
  if (sent !== 'system' && sent !== 'developer') return undefined;
  const isRole = ({ path, text }: Complaint): boolean =>
    path === 'messages.*.role' || /\bmessages\W*0\W*role\b|\b(?:system|developer) role\b/i.test(text);
  if (
    !complaints.some(
      (complaint) =>
        isRole(complaint) &&
        (complaint.path !== undefined || REFUSED.test(complaint.text) || /not one of/.test(complaint.text)),
    )
  )
    return undefined;
  const tried = new Set([sent, ...known.flatMap(({ field, instead }) => (field === 'role' ? [instead] : []))]);
  return ['developer', 'system', 'user'].find((role) => !tried.has(role));
}

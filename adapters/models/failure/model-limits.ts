import type { ErrorBody } from './error-body.ts';

/** What an error says about a request that is too long for its model. Counts are in tokens. */
export interface ModelLimits {
  /** True if prompt and answer together are longer than the context window. */
  isOverflow: boolean;
  contextWindow?: number;
  /** The longest answer of the model to any prompt. */
  maxOutputTokens?: number;
  /** The longest answer to this prompt, if the requested one is too long. */
  maxAnswerTokens?: number;
  /** True if the requested length of the answer is refused. */
  isOutputRefused: boolean;
}

const OVERFLOWS: ReadonlySet<string> = new Set(
  (
    'contextlengthexceeded contextlengthexceedederror contextwindowexceeded contextwindowexceedederror ' +
    'exceedcontextsizeerror modelcontextwindowexceeded requesttoolarge requestentitytoolarge tokenslimitreached ' +
    'inputtoolong prompttoolong prompttoolongerror stringabovemaxlength modelmaxpromptlengthexceeded'
  ).split(' '),
);

/** How servers say it that have no code for it. */
const OVERFLOW = new RegExp(
  [
    '(?:prompt|input|request|messages?|conversation) (?:is|are) too (?:long|large)',
    'prompt too long',
    'context[ _](?:length|window|limit|size)',
    "(?:maximum|model'?s?) context",
    'maximum (?:model|input|prompt) length',
    'too many (?:input |prompt )?tokens',
    'model token limit',
    'input token count .{0,80}exceeds',
    'token count .{0,80}exceeds the limit',
    'exceeds the maximum number of (?:input )?tokens',
    'reduce the length of the (?:messages|prompt|input)',
    'range of input length',
    'inputs?`? (?:tokens )?(?:must have less than|\\+)',
    'too large for model with',
    'context .{0,20}overflow',
  ].join('|'),
  'i',
);

/** Limits of a time, which a shorter request does not respect either. */
const RATE = /rate.?limit|per (?:minute|second|hour|day)|\b[TR]P[MD]\b|throttl|quota/i;

const N = '(?<!\\d)(\\d[\\d,_]*)';
const toPatterns = (...patterns: string[]): RegExp[] => patterns.map((pattern) => new RegExp(pattern, 'i'));

/** The window, as it is named with other numbers before it. The first that matches counts. */
const WINDOWS = toPatterns(
  `> ${N} maximum`,
  `context limit: [\\d,]+ \\+ [\\d,]+ > ${N}`,
  `n_ctx:? ?=? ?${N}`,
  `${N}(?: tokens?)? maximum context`,
  `(?:context|model|prompt|input|sequence) (?:length|size|window|limit)s?\\b(?: (?!by\\b)[a-z]+){0,4}[:(]? ?\\(?${N}`,
  `maximum number of (?:input )?tokens allowed \\(?${N}`,
  `max(?:imum)? input tokens: ${N}`,
  `model token limit ?: ?${N}`,
  `tokens?\`? must be <= ${N}`,
  `must have less than ${N} tokens`,
  `range of input length should be \\[\\d+, ?${N}`,
  `exceeds the limit of ${N}`,
  `limit is ${N}`,
);

const INPUTS = toPatterns(
  `context limit: ${N} \\+`,
  `(?:has|with) ${N} input tokens`,
  `${N} input tokens`,
  `${N}(?: tokens)? (?:in|from|of) (?:the |your )?(?:input messages|messages|prompt|text input|input)`,
  `given: ${N} \`inputs`,
);

const OUTPUTS = toPatterns(
  `supports at most ${N} (?:completion|output) tokens`,
  `max_(?:completion_)?tokens\`?:? [\\d,]+ > ${N}`,
  `max_(?:completion_)?tokens\`? must be (?:less than or equal to|at most|<=) \`?${N}`,
  `range of max_tokens is \\[\\d+, ?${N}`,
  `max(?:imum)?(?:_| )output(?:_| )tokens?.{0,30}(?:is|<=|at most|up to|from \\d+ .{0,15}to) ${N}`,
);

/** A refusal of the requested length of the answer. */
const OUTPUT = /max_(?:completion_|new_|output_)?tokens|maxOutputTokens|completion tokens|in the (?:completion|output)/;

/** A shorter answer is not worth a request: a compaction makes room. */
const SHORTEST_ANSWER = 1_024;

export function readModelLimits({ message, names, param, ...fields }: ErrorBody): ModelLimits {
  const isRate = RATE.test(message);
  const isNamed = [...names].some((name) => OVERFLOWS.has(name));
  const contextWindow = fields.contextWindow ?? (isRate ? undefined : find(WINDOWS, message));
  const promptTokens = fields.promptTokens ?? find(INPUTS, message);
  const isAboutOutput = OUTPUT.test(message) || OUTPUT.test(param ?? '');
  const maxOutputTokens = isAboutOutput ? find(OUTPUTS, message) : undefined;
  const isOverflow =
    isNamed ||
    (fields.contextWindow !== undefined && fields.promptTokens !== undefined) ||
    (!isRate && maxOutputTokens === undefined && OVERFLOW.test(message));
  const left = contextWindow !== undefined && promptTokens !== undefined ? contextWindow - promptTokens : undefined;
  const maxAnswerTokens = maxOutputTokens ?? (isAboutOutput && left !== undefined ? left : undefined);
  const isTooShort =
    maxOutputTokens === undefined && maxAnswerTokens !== undefined && maxAnswerTokens < SHORTEST_ANSWER;
  return {
    isOverflow,
    ...(isOverflow && contextWindow !== undefined && { contextWindow }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(maxAnswerTokens !== undefined && !isTooShort && { maxAnswerTokens }),
    isOutputRefused: isAboutOutput && (!isOverflow || (maxAnswerTokens !== undefined && !isTooShort)),
  };
}

function find(patterns: readonly RegExp[], text: string): number | undefined {
  for (const pattern of patterns) {
    const tokens = Number(pattern.exec(text)?.[1]?.replaceAll(/[,_]/g, ''));
    if (Number.isSafeInteger(tokens) && tokens > 0) return tokens;
  }
  return undefined;
}

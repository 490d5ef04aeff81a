import { headOf } from '@klaus/core/cut-text';
import type { IncomingHttpHeaders } from 'node:http';
import type { ModelFailure } from '@klaus/core/agent';
import { optional } from '@klaus/core/optional';
import { isKlausError, type ModelFailureCause, type ModelFailureCode } from '@klaus/core/protocol';
import { readErrorBody, type ErrorBody } from './error-body.ts';
import { ConnectionLost, MalformedResponse, ProviderError, StreamCut } from './errors.ts';
import { readModelLimits, type ModelLimits } from './model-limits.ts';

const MAX_MESSAGE = 2_000;

/** Codes and types of servers by what they mean. The first that matches counts. */
const NAMES: readonly (readonly [code: ModelFailureCode, cause: ModelFailureCause | undefined, names: string])[] = [
  [
    'invalid_request',
    'no_credit',
    'insufficientquota billingerror billingnotactive paymentrequired insufficientcredits',
  ],
  [
    'invalid_request',
    'unknown_model',
    'modelnotfound modelnotfoundexception modelnotsupported unknownmodel invalidmodel',
  ],
  [
    'auth',
    undefined,
    'authenticationerror permissionerror permissiondeniederror invalidapikey apikeyinvalid unauthorized unauthenticated ' +
      'permissiondenied accessdenied accessdeniedexception unrecognizedclientexception expiredtokenexception ' +
      'invalidsignatureexception incompletesignature missingauthenticationtoken forbidden ' +
      // LiteLLM looks for a key that is not its own in a database.
      'nodbconnection',
  ],
  [
    'rate_limited',
    undefined,
    'ratelimiterror ratelimitexceeded ratelimit toomanyrequests resourceexhausted throttlingexception throttling ' +
      'servicequotaexceededexception',
  ],
  [
    'overloaded',
    undefined,
    'overloadederror serverisoverloaded slowdown unavailable unavailableerror serviceunavailable ' +
      'serviceunavailableexception modelnotreadyexception engineoverloaded',
  ],
  [
    'server_error',
    undefined,
    'apierror servererror internalservererror internalerror internal timeouterror timeout deadlineexceeded ' +
      'internalserverexception modelerrorexception modeltimeoutexception modelstreamerrorexception',
  ],
  ['invalid_request', 'parameter', 'unsupportedparameter unknownparameter unsupportedvalue extraforbidden'],
  [
    'invalid_request',
    undefined,
    'invalidrequesterror invalidprompt notfounderror badrequesterror badrequest invalidargument failedprecondition ' +
      'validationexception validationerror invalidparameter invalidparametererror unprocessableentityerror',
  ],
];

/** How servers say it that have no code for it. */
const TEXTS: readonly (readonly [code: ModelFailureCode, cause: ModelFailureCause | undefined, text: RegExp])[] = [
  ['invalid_request', 'no_credit', /insufficient[ _](?:quota|credit|balance|funds)|out of credits?\b|no credits?\b/i],
  ['invalid_request', 'no_credit', /credit balance|payment required|quota exhausted|exceeded your current quota/i],
  [
    'invalid_request',
    'unknown_model',
    /\bmodels?\b.{0,120}?(?:not found|(?:does not|doesn't|not) exist|is unknown|is not available|is invalid)|\b(?:unknown|invalid|no such) model\b|not a valid model|^model: \S+$/i,
  ],
  [
    'auth',
    undefined,
    /(?:invalid|incorrect|missing|wrong|expired|no) (?:api )?(?:key|token|credentials)|unauthori[sz]ed/i,
  ],
];

/** Pages of a proxy, and answers of servers that do not have the path. */
const NO_PATH =
  /^(?:404 page )?not found$|^(?:cannot|no route for) (?:get|post)\b|unknown (?:url|path|endpoint|route)|^method not allowed$/i;

/** What a server cannot do. llama.cpp refuses images with 500. */
const UNSUPPORTED =
  /\b(?:images?|vision|audio|video|files?|tools?)\b.{0,60}\b(?:not supported|unsupported)|\b(?:does not|doesn't) support\b/i;

/** Characters of a body in an unknown shape that are its message. */
const MAX_UNKNOWN = 500;
/** Characters of a body that are kept: core redacts them before they are cut further. */
const MAX_BODY = 65_536;

/**
 * The failure for an error of a request, or undefined when it is none of the known ways in
 * which a provider or a network fails: then it is a bug and belongs to the caller.
 *
 * @param now Unix milliseconds, for a `retry-after` that is a date.
 */
export function toFailure(error: unknown, now: number): ModelFailure | undefined {
  if (error instanceof ConnectionLost || error instanceof StreamCut) return fail('connection', error.message);
  if (error instanceof MalformedResponse || error instanceof SyntaxError) return fail('malformed', error.message);
  // Another user owns the socket of a local program: nothing was sent.
  if (isKlausError(error) && error.code === 'config') return fail('auth', [error.message, error.hint].join(' '));
  return error instanceof ProviderError ? fromProvider(error, now) : undefined;
}

function fromProvider(error: ProviderError, now: number): ModelFailure {
  const body = readErrorBody(error.body);
  const limits = readModelLimits(body);
  const judged = judge(error.status, body, limits);
  const retryAfterMs = toRetryAfterMs(error.headers, now);
  const { contextWindow, maxOutputTokens, maxAnswerTokens } = limits;
  const text = toText(error.body);
  return {
    ...fail(judged.code, toMessage(error, body)),
    ...optional({
      status: error.status,
      retryAfterMs,
      cause: judged.cause,
      maxAnswerTokens,
      sizes:
        contextWindow === undefined && maxOutputTokens === undefined
          ? undefined
          : optional({ contextWindow, maxOutputTokens }),
      body: text === '' ? undefined : headOf(text, MAX_BODY),
    }),
  };
}

/** The server's own words, or what it sent if it is in no known shape. */
function toMessage({ status, said, body, message }: ProviderError, read: ErrorBody): string {
  if (!read.isPage) return read.message || said || headOf(toText(body), MAX_UNKNOWN) || message;
  const from = status === undefined ? 'The server answered with' : `The server answered with status ${status} and`;
  return read.message === '' ? `${from} a page without a title.` : `${from} the page “${read.message}”.`;
}

/** '' if there is none. */
function toText(body: unknown): string {
  if (typeof body === 'string') return body;
  const text = JSON.stringify(body) ?? '';
  return /^(?:\{\}|\[\]|null)$/.test(text) ? '' : text;
}

interface Judged {
  code: ModelFailureCode;
  cause?: ModelFailureCause | undefined;
}

function judge(status: number | undefined, body: ErrorBody, limits: ModelLimits): Judged {
  // An error in the stream has no HTTP status; OpenRouter puts the number into `code`.
  const number = status ?? body.status;
  const named = NAMES.find(([, , names]) => names.split(' ').some((name) => body.names.has(name)));
  const said = TEXTS.find(([, , text]) => text.test(body.message));
  const isClient = number !== undefined && number >= 400 && number < 500;
  if (body.isPage && isClient) return judgePage(number);
  const isAboutRequest = number !== 401 && number !== 403 && number !== 429;
  if (isAboutRequest && limits.isOutputRefused) return { code: 'invalid_request', cause: 'output_limit' };
  if (number === 413 || (isAboutRequest && limits.isOverflow)) return { code: 'context_window' };
  // Exhausted credit is also reported as 429, but a retry does not help.
  if (named?.[1] === 'no_credit' || number === 402) return { code: 'invalid_request', cause: 'no_credit' };
  if (number === 429)
    return said === TEXTS[0] ? { code: 'invalid_request', cause: 'no_credit' } : { code: 'rate_limited' };
  if (number === undefined) return judgeByWords(named, said);
  if (number === 529 || number === 503) return { code: 'overloaded' };
  if (number === 401 || number === 403) return { code: 'auth' };
  if (number === 408) return { code: 'connection' };
  if (number >= 500) return judgeServerError(body, named);
  if (named?.[0] === 'auth') return { code: 'auth' };
  return { code: 'invalid_request', cause: toCause(number, body, { named, said }) };
}

function judgeServerError({ message }: ErrorBody, named: Match): Judged {
  if (named?.[0] === 'overloaded') return { code: 'overloaded' };
  return { code: UNSUPPORTED.test(message) ? 'invalid_request' : 'server_error' };
}

type Match = (typeof NAMES)[number] | (typeof TEXTS)[number] | undefined;

/** For an error in a stream, or instead of one, that names no status. Only what may pass is repeated. */
function judgeByWords(named: Match, said: Match): Judged {
  const [code, cause] = named ?? said ?? ['server_error' as const, undefined];
  return { code, cause: code === 'invalid_request' ? (cause ?? said?.[1]) : undefined };
}

function toCause(
  number: number,
  body: ErrorBody,
  { named, said }: { named: Match; said: Match },
): ModelFailureCause | undefined {
  if (named?.[1] && named[1] !== 'parameter') return named[1];
  if (number === 404 || number === 405) {
    if (NO_PATH.test(body.message)) return 'wrong_address';
    return said?.[1] ?? (body.message === '' ? 'wrong_address' : undefined);
  }
  if (named?.[1] === 'parameter' || (body.param && !/^(?:messages|input|model)\b/.test(body.param))) return 'parameter';
  return said?.[1];
}

/** A page does not come from the API, so that it says nothing about the key or the request. */
function judgePage(number: number): Judged {
  if (number === 401) return { code: 'auth' };
  if (number === 404 || number === 405) return { code: 'invalid_request', cause: 'wrong_address' };
  if (number === 413) return { code: 'context_window' };
  if (number === 429) return { code: 'rate_limited' };
  if (number === 408) return { code: 'connection' };
  return { code: 'invalid_request', cause: 'blocked' };
}

/** Milliseconds, from `retry-after-ms` or from `retry-after` in seconds or as a date (RFC 9110, 10.2.3). */
function toRetryAfterMs(headers: IncomingHttpHeaders, now: number): number | undefined {
  const exact = Number.parseFloat(String(headers['retry-after-ms'] ?? ''));
  if (exact >= 0) return exact;
  const text = headers['retry-after']?.trim();
  if (!text) return undefined;
  const seconds = Number(text);
  if (seconds >= 0) return seconds * 1_000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

function fail(code: ModelFailureCode, message: string): ModelFailure {
  return { code, message: message.length > MAX_MESSAGE ? `${headOf(message, MAX_MESSAGE)}…` : message };
}

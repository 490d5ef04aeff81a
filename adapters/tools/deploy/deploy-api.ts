import { setTimeout as wait } from 'node:timers/promises';
import { isKlausError, KlausError } from '@klaus/core/protocol';
import type { Intent, ToolContext, WebRequest, WebResponse } from '@klaus/core/agent';
import { toolFailed } from '../tool-failed.ts';

/** Requests in one deploy that run at the same time. */
const PARALLEL = 4;
const ATTEMPTS = 5;
/** The longest pause that a service may ask for, in milliseconds. */
const MAX_WAIT_MS = 60_000;
/** How long a service may process a deploy, in milliseconds. */
const MAX_PROCESSING_MS = 600_000;
const MAX_UPLOAD_MS = 300_000;

/** The requests of one call of a deploy tool. */
export interface DeployApi {
  /**
   * One request.
   *
   * @throws KlausError `auth` for 401 and 403, `tool.failed` for other statuses from 300 on; retryable for 408, 429,
   *   5xx and a lost connection. `denied` for a host that the call may not reach, `cancelled`.
   */
  send(request: WebRequest): Promise<WebResponse>;
  /**
   * Repeats an operation that may be repeated while its error is retryable: five times, or until the service asks for a
   * pause of more than a minute.
   */
  retry<T>(operation: () => Promise<T>): Promise<T>;
  /** The value of a credential, for the service with this URL only. */
  secret(name: string, url: string): string;
  hasSecret(name: string): boolean;
  /** Runs `work` for each item, four at the same time. After an error no further one begins. */
  each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void>;
  /** Repeats `check` until it returns a value. @throws KlausError `timeout` after ten minutes. */
  poll<T>(check: () => Promise<T | undefined>): Promise<T>;
  /** Shows progress, and keeps it as the state that an error reports. */
  report(state: string): void;
  /** The last reported state. */
  readonly state: string;
}

/** A failed answer of a service, with its code and message if it has any. */
class AnswerError extends KlausError {
  readonly waitMs: number | undefined;
  readonly response: WebResponse;

  constructor(response: WebResponse, host: string) {
    const { status } = response;
    const isRejected = status === 401 || status === 403;
    const isRetryable = status === 408 || status === 429 || status >= 500;
    super(isRejected ? 'auth' : 'tool.failed', `${host} answered ${status}${toReason(response)}.`, {
      retryable: isRetryable,
      ...(isRejected ? { hint: 'Check that the credentials are valid and may change this site.' } : {}),
    });
    this.response = response;
    this.waitMs = toWait(response.headers['retry-after']);
  }
}

/** The answer that an error of {@link DeployApi.send} is about. */
export function toFailedAnswer(error: unknown): WebResponse | undefined {
  return error instanceof AnswerError ? error.response : undefined;
}

export function createDeployApi(context: ToolContext, intent: Intent): DeployApi {
  const client = context.web(intent);
  const { signal } = context;
  let state = 'Nothing was changed.';
  const pause = async (ms: number): Promise<void> => {
    await wait(ms, undefined, { signal }).catch(() => {});
    if (signal.aborted) throw new KlausError('cancelled', 'Cancelled during the deploy.');
  };
  return {
    async send(request) {
      const response = await sendOnce(request);
      if (response.status < 300) return response;
      throw new AnswerError(response, new URL(request.url).host);
    },
    async retry(operation) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await operation();
        } catch (error) {
          if (!isRetryable(error) || attempt === ATTEMPTS) throw error;
          const asked = error instanceof AnswerError ? error.waitMs : undefined;
          if ((asked ?? 0) > MAX_WAIT_MS) throw toBusy(error as AnswerError);
          await pause(asked ?? context.deploy.retryMs * 2 ** attempt);
        }
      }
    },
    secret: (name, url) => context.secret(intent, name, toHost(url)),
    hasSecret: (name) => context.hasSecret(name),
    async each(items, work) {
      const rest = [...items];
      let failed = false;
      const run = async (): Promise<void> => {
        for (let item = rest.shift(); item !== undefined && !failed; item = rest.shift()) {
          await work(item).catch((error: unknown) => {
            failed = true;
            throw error;
          });
        }
      };
      // Waits for all, so that no request is sent after the result.
      const ended = await Promise.allSettled(Array.from({ length: PARALLEL }, run));
      for (const result of ended) if (result.status === 'rejected') throw result.reason;
    },
    async poll(check) {
      const end = Date.now() + MAX_PROCESSING_MS;
      for (let ms = context.deploy.retryMs; Date.now() < end; ms = Math.min(ms * 2, 5_000)) {
        const found = await check();
        if (found !== undefined) return found;
        await pause(ms);
      }
      throw new KlausError('timeout', 'The service did not finish the deploy within ten minutes.', { retryable: true });
    },
    report(text) {
      state = text;
      context.progress(`${text}\n`);
    },
    get state() {
      return state;
    },
  };

  /** A lost connection is retryable: the port reports it as a failure without a status. */
  async function sendOnce(request: WebRequest): Promise<WebResponse> {
    try {
      return await client.send({ timeoutMs: MAX_UPLOAD_MS, ...request, signal });
    } catch (error) {
      if (!isKlausError(error) || error.code !== 'tool.failed') throw error;
      throw toolFailed(error.message, { retryable: true, cause: error });
    }
  }
}

/** The host of a URL as in an access: an IPv6 address without brackets. */
export function toHost(url: string): string {
  return new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
}

/** A JSON object of an answer. @throws KlausError `tool.failed` for anything else. */
export function toJson<T>(response: WebResponse, schema: { safeParse(value: unknown): { data?: T } }): T {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(response.body).toString());
  } catch {
    value = undefined;
  }
  const { data } = schema.safeParse(value);
  if (data === undefined || response.isTruncated)
    throw toolFailed('The service sent an answer that is not as documented.');
  return data;
}

function isRetryable(error: unknown): boolean {
  return isKlausError(error) && error.retryable;
}

function toBusy(error: AnswerError): KlausError {
  const seconds = Math.ceil(error.waitMs! / 1_000);
  return toolFailed(`${error.message} It asks for a pause of ${seconds} seconds.`, { retryable: true, cause: error });
}

/** Milliseconds of a `retry-after` header: seconds or a date. */
function toWait(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

const MAX_REASON = 300;

/** The message of an error: of JSON with `message` or `error`, or of XML with `Code` and `Message`. */
function toReason({ body }: WebResponse): string {
  const text = Buffer.from(body.subarray(0, 20_000)).toString();
  const json = /"(?:message|error)"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
  const xml = [/<Code>([^<]*)/.exec(text)?.[1], /<Message>([^<]*)/.exec(text)?.[1]].filter(Boolean).join(', ');
  const reason = (json ?? xml)
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .slice(0, MAX_REASON)
    .toWellFormed();
  return reason === '' ? '' : `: ${reason.replace(/\.$/, '')}`;
}

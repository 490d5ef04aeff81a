import { appendFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';

export interface RecordedRequest {
  /** From 0, in order of arrival. */
  index: number;
  /** Unix milliseconds. */
  at: number;
  method: string;
  /** Path with query. */
  path: string;
  /** Without keys and cookies. */
  headers: Readonly<Record<string, string>>;
  /** The unchanged body. */
  body: string;
  /** The body parsed; undefined if it is not JSON. */
  readonly json: unknown;
  /** The step that answered, from 1, or `fallback`; undefined when none did. */
  step?: number | 'fallback';
  /** The number of earlier identical requests. */
  attempt?: number;
  fault?: string;
}

const SECRET = /^(?:authorization|proxy-authorization|x-api-key|api-key|cookie)$/i;

export function withoutSecrets(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, SECRET.test(name) ? '[removed]' : String(value)]),
  );
}

export interface RequestRecord {
  readonly requests: RecordedRequest[];
  add: (fields: Omit<RecordedRequest, 'index' | 'json'>) => RecordedRequest;
  /** Writes a request whose answer is decided. */
  save: (request: RecordedRequest) => void;
}

/** The newest requests in memory and, if a file is given, all of them as NDJSON. */
export function createRecord(file: string | undefined, keep: number): RequestRecord {
  const requests: RecordedRequest[] = [];
  let index = 0;
  return {
    requests,
    add(fields) {
      const request: RecordedRequest = {
        index: index++,
        ...fields,
        get json() {
          return parse(this.body);
        },
      };
      requests.push(request);
      if (requests.length > keep) requests.shift();
      return request;
    },
    save(request) {
      if (file === undefined) return;
      // The body is recorded once, as received.
      appendFileSync(file, `${JSON.stringify({ ...request, json: undefined })}\n`, { mode: 0o600 });
    },
  };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}

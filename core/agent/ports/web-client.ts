import type { SearchService } from '../../protocol/index.ts';
import type { WebSource } from './model.ts';

/** The search service of the user, with its address, or the search of the session's model provider. */
export type WebSearchSettings = { service: SearchService; url: string } | { service: 'provider' };

/** The search of the web by the provider of the session's model. */
export interface ProviderSearch {
  /** Address that gets the query. @throws KlausError `config` if the provider has no search. */
  url(): Promise<string>;
  /**
   * Sends a request of its own, which counts against the limits of the session.
   *
   * @throws KlausError `limit`, `tool.failed`, `cancelled`.
   */
  search(query: { query: string; count: number }): Promise<WebSource[]>;
}

/** One HTTP request of a tool. */
export interface WebRequest {
  /** Absolute, `http:` or `https:`. */
  url: string;
  /** Default `GET`. */
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: Uint8Array | string;
  /** Maximum bytes of the body that are read, after decompression. Default 10 MB. */
  maxBytes?: number;
  /** Milliseconds until the response is complete. Default 60,000. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

export interface WebResponse {
  status: number;
  /** Names in lower case; several values of one name are joined by `, `. */
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
  /** True if the body is longer than `maxBytes`. */
  isTruncated: boolean;
}

/** Sends HTTP requests of tools from this machine. It follows no redirect: the target may be another host. */
export interface WebClient {
  /**
   * Every HTTP status is a response.
   *
   * @throws KlausError `denied` for a host or address that the call may not reach, `tool.failed` with the reason if
   *   there is no complete response, `cancelled`.
   */
  send(request: WebRequest): Promise<WebResponse>;
}

/** An HTTP proxy on this machine, for a program of Klaus that runs outside of the sandbox. */
export interface NetworkProxy extends Disposable {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Refused hosts, as `host:port`. */
  readonly refused: ReadonlySet<string>;
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Klaus } from '@klaus/sdk';
import type { z } from 'zod';
import type { Answer, Route, RouteName, RouteOf } from '../contract/index.ts';
import type { Deletions } from '../runs/deletions.ts';
import type { RequestGuard } from '../access/request-guard.ts';
import type { EventStream } from '../streams/event-stream.ts';
import type { HostFeed } from '../streams/session-list-feed.ts';
import type { Hubs } from '../streams/session-hubs.ts';
import type { InFlightText } from '../streams/in-flight-text.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { RunQueue } from '../runs/run-queue.ts';
import type { Token } from '../access/token.ts';
import type { Places } from '../access/allowed-workspaces.ts';

/** What every handler works with. */
export interface Context {
  klaus: Klaus;
  queue: RunQueue;
  hubs: Hubs;
  live: InFlightText;
  feed: HostFeed;
  deletions: Deletions;
  log: Log;
  places: Places;
  /** Undefined where they are switched off. */
  metrics: Metrics | undefined;
  token: Token;
  /** Name of the cookie. */
  cookie: string;
  version: string;
  /** Bytes of a request's body. */
  maxBodyBytes: number;
}

/** One request, as far as its answer may need it. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** Over TLS, as far as a proxy that is believed says so. */
  isSecure: boolean;
  /** Where a token that is tried out is counted. */
  door: Pick<RequestGuard, 'noteTry'>;
  /** Headers to be sent with the answer. */
  headers: Record<string, string>;
  /** Turns the response into a stream of events. */
  openStream(): EventStream;
}

type Output<S> = S extends z.ZodType ? z.output<S> : Record<string, never>;

/** What the schemas of a route made of a request. */
export interface Parsed<R extends Route> {
  params: Output<R['params']>;
  query: Output<R['query']>;
  body: Output<R['body']>;
}

/** Text with its media type, for a route that answers with a document: whole, or piece by piece. */
export interface Document {
  mediaType: string;
  /** Name to keep it under; absent: it is shown. */
  fileName?: string;
  content: Iterable<string> | AsyncIterable<string>;
}

type Result<R extends Route> = R extends { kind: 'stream' }
  ? void | Promise<void>
  : R extends { kind: 'text' }
    ? Document | Promise<Document>
    : Answer<R> | Promise<Answer<R>>;

/** Answers a route. @throws KlausError, Refusal. */
export type Handler<R extends Route> = (given: Parsed<R>, context: Context, exchange: Exchange) => Result<R>;

/** A handler for each of some routes. */
export type Handlers<N extends RouteName> = { readonly [K in N]: Handler<RouteOf<K>> };

import type { IncomingMessage } from 'node:http';
import type { Klaus } from '@klaus/sdk';
import type { GuardLog } from '@klaus/sdk/guard-log';
import type { z } from 'zod';
import type { Answer, Route, RouteName, RouteOf } from '../contract/index.ts';
import type { Deletions } from '../runs/deletions.ts';
import type { Caller } from '../access/caller.ts';
import type { HeldConnections } from '../access/held-connections.ts';
import type { Identity } from '../access/identity.ts';
import type { Redirect, SignIn } from '../access/sign-in/sign-in.ts';
import type { SeenFolders } from '../access/seen-folders.ts';
import type { RequestGuard } from '../access/request-guard.ts';
import type { EventStream } from '../streams/event-stream.ts';
import type { SessionListFeed } from '../streams/session-list-feed.ts';
import type { SessionHubs } from '../streams/session-hubs.ts';
import type { InFlightText } from '../streams/in-flight-text.ts';
import type { Log } from '../observability/log.ts';
import type { Clones } from '../projects/clones.ts';
import type { ProjectFolders } from '../projects/project-folders.ts';
import type { McpWork } from '../mcp/mcp-work.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { SessionQueue } from '../runs/session-queue.ts';
import type { AllowedWorkspaces } from '../access/allowed-workspaces.ts';

/** Answers an event: its text, and the folder of the project. Never rejects. */
export type JudgeHook = (event: string, project: string | undefined) => Promise<Readonly<Record<string, unknown>>>;

/** Prepares the project of the demo in a new folder, which the system deletes at some time. */
export type PrepareDemo = () => Promise<{ workspace: string; model: string; prompt: string }>;

export interface Context {
  klaus: Klaus;
  queue: SessionQueue;
  hubs: SessionHubs;
  live: InFlightText;
  feed: SessionListFeed;
  deletions: Deletions;
  log: Log;
  workspaces: AllowedWorkspaces;
  /** What the sender of the request may see. */
  seen: SeenFolders;
  /** Folders that the user of the server allowed on the page. Without effect if `server.workspaces` has a list. */
  allowed: ProjectFolders;
  projects: ProjectFolders;
  clones: Clones;
  /** Logins to MCP servers, and reviews of their tools. */
  mcp: McpWork;
  /** Judges events of hooks of Claude Code; undefined if this program does not. */
  hooks: JudgeHook | undefined;
  /** Undefined if this program has no demo. */
  prepareDemo: PrepareDemo | undefined;
  /** The decisions of the guard. */
  guardLog: GuardLog;
  /** Undefined if metrics are disabled. */
  metrics: Metrics | undefined;
  signIn: SignIn;
  /** Streams and sockets that end with a sign-in. */
  connections: HeldConnections;
  version: string;
  /** Path below which browsers reach the server, such as `/klaus`; '' at the root. */
  basePath: string;
  maxBodyBytes: number;
}

export interface Exchange {
  request: IncomingMessage;
  /** Who sent it; undefined for an open route. */
  identity: Identity | undefined;
  /** The sender that the log names. */
  by: Caller;
  /** True if a trusted proxy reports TLS. */
  isSecure: boolean;
  /** Counts tokens that were sent, and knows the origin of the server. */
  guard: Pick<RequestGuard, 'recordAttempt' | 'checkAttempts' | 'identify' | 'ownOrigin'>;
  headers: Record<string, string>;
  openStream(): EventStream;
}

type Output<S> = S extends z.ZodType ? z.output<S> : Record<string, never>;

/** A request as parsed by the schemas of its route. */
export interface Parsed<R extends Route> {
  params: Output<R['params']>;
  query: Output<R['query']>;
  body: Output<R['body']>;
}

/** The response of a `text` route, in one or more pieces. */
export interface Document {
  mediaType: string;
  /** File name of a download; absent: shown in the browser. */
  fileName?: string;
  content: Iterable<string> | AsyncIterable<string>;
}

/** The response of a `bytes` route. It is shown, not downloaded, and never runs. */
export interface ShownFile {
  mediaType: string;
  content: Uint8Array;
}

type Result<R extends Route> = R extends { kind: 'stream' }
  ? void | Promise<void>
  : R extends { kind: 'redirect' }
    ? Redirect | Promise<Redirect>
    : R extends { kind: 'text' }
      ? Document | Promise<Document>
      : R extends { kind: 'bytes' }
        ? ShownFile | Promise<ShownFile>
        : Answer<R> | Promise<Answer<R>>;

/** Each answers a route. @throws KlausError, Refusal. */
export type Handlers = {
  readonly [K in RouteName]: (given: Parsed<RouteOf<K>>, context: Context, exchange: Exchange) => Result<RouteOf<K>>;
};

export type PartialHandlers = Partial<Handlers>;

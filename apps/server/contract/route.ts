import type { Role } from '@klaus/core/protocol';
import type { z } from 'zod';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The kind of response: JSON, a document, a file, a stream of server-sent events, or a redirect of a browser. */
export type AnswerKind = 'json' | 'text' | 'bytes' | 'stream' | 'redirect';

/**
 * What a route has of projects, and so what a person may do with it who may see only some of them (`server.projects`):
 *
 * - `none` nothing: everyone with the role may use it.
 * - `session` one session, that of the parameter `id`: the server checks it before the handler.
 * - `checked` the handler checks or filters every row.
 * - `all` everything: only a person who may see all projects uses it.
 */
export type ProjectScope = 'none' | 'session' | 'checked' | 'all';

/** One route. The server validates requests with it, the client is typed by it, and OpenAPI is generated from it. */
export interface Route {
  method: Method;
  /** Such as `/api/sessions/:id`; a `*` at the end matches the rest of the path, as the parameter `path`. */
  path: string;
  /** One line for the reference. */
  summary: string;
  tag: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodObject;
  /** The body of a successful response; for a stream, the data of each event by name. */
  answer: z.ZodType;
  /** Default `json`. */
  kind?: AnswerKind;
  /** Media types of a `text` or `bytes` route, without parameters. */
  media?: readonly [string, ...string[]];
  /** Default 200. */
  status?: 200 | 202;
  /** True if no sign-in is needed. Default false. */
  open?: true;
  /** The least role that may use it; without effect for an open route. */
  role: Role;
  /** What it has of projects; without effect for an open route. */
  projects: ProjectScope;
}

/**
 * What a route has in addition to its tag and its address. `role` is `viewer` for GET and `operator` for others by
 * default; `projects` is `session` for `/api/sessions/:id` and what is below it, and `all` for others.
 */
export type RouteFields = Omit<Route, 'method' | 'path' | 'tag' | 'role' | 'projects'> & {
  role?: Role;
  projects?: Exclude<ProjectScope, 'session'>;
};

/** Declares a route and keeps the types of its schemas. @param address Such as `GET /api/sessions/:id`. */
export function defineRoute<const R extends RouteFields>(tag: string, address: `${Method} /${string}`, fields: R) {
  const [method, path] = address.split(' ') as [Method, string];
  const role: Role = fields.role ?? (method === 'GET' ? 'viewer' : 'operator');
  const isOfSession = path === '/api/sessions/:id' || path.startsWith('/api/sessions/:id/');
  const projects: ProjectScope = isOfSession ? 'session' : (fields.projects ?? 'all');
  return { method, path, tag, ...fields, role, projects };
}

/** One part of the input of a call; optional if all of its fields are. */
type Part<Name extends string, S> = S extends z.ZodType
  ? {} extends z.input<S>
    ? { [N in Name]?: z.input<S> }
    : { [N in Name]: z.input<S> }
  : unknown;

/** The input of a call: path parameters, query and body, each only if the route has one. */
export type Given<R extends Route> = Part<'params', R['params']> & Part<'query', R['query']> & Part<'body', R['body']>;

export type Answer<R extends Route> = z.output<R['answer']>;

import type { z } from 'zod';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** The kind of response: JSON, a document, or a stream of server-sent events. */
export type AnswerKind = 'json' | 'text' | 'stream';

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
  /** Default 200. */
  status?: 200 | 202;
  /** True if no token is needed. Default false. */
  open?: true;
}

/** Declares a route; the identity function that keeps the types of its schemas. */
export function defineRoute<const R extends Route>(route: R): R {
  return route;
}

type Input<S> = S extends z.ZodType ? z.input<S> : unknown;
type Filled<T> = T extends object ? ({} extends T ? never : T) : never;

/** The input of a call: path parameters, query and body, each only if the route has one. */
export type Given<R extends Route> = (R['params'] extends z.ZodType ? { params: Input<R['params']> } : unknown) &
  (R['query'] extends z.ZodType
    ? Filled<Input<R['query']>> extends never
      ? { query?: Input<R['query']> }
      : { query: Input<R['query']> }
    : unknown) &
  (R['body'] extends z.ZodType
    ? Filled<Input<R['body']>> extends never
      ? { body?: Input<R['body']> }
      : { body: Input<R['body']> }
    : unknown);

/** The body of a successful response. */
export type Answer<R extends Route> = z.output<R['answer']>;

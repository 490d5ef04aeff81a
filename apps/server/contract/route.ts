import type { z } from 'zod';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** How a route answers: JSON of a schema, a document, or a stream of server-sent events. */
export type AnswerKind = 'json' | 'text' | 'stream';

/** One route: what it takes and gives. The server checks by it, the client is typed by it, OpenAPI is made of it. */
export interface Route {
  method: Method;
  /** Such as `/api/sessions/:id`; a `*` at the end takes the rest of the path, as the parameter `path`. */
  path: string;
  /** One line for the reference. */
  summary: string;
  tag: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodObject;
  /** What a good answer holds; of a stream, the data of each event by its name. */
  answer: z.ZodType;
  /** Default `json`. */
  kind?: AnswerKind;
  /** Default 200. */
  status?: 200 | 202;
  /** True where no token is needed. Default false. */
  open?: true;
}

/** Declares a route; the function that keeps the types of its schemas. */
export function defineRoute<const R extends Route>(route: R): R {
  return route;
}

type Input<S> = S extends z.ZodType ? z.input<S> : unknown;
type Filled<T> = T extends object ? ({} extends T ? never : T) : never;

/** What a caller gives: path parameters, query and body, each only where the route has one. */
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

/** What a good answer of a route is. */
export type Answer<R extends Route> = z.output<R['answer']>;

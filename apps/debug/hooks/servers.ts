import { investigateForHook, type HookOptions } from './background.ts';

/** The parts of a request that the hooks give to the agent. */
interface RequestLike {
  method?: string;
  url?: string;
  [part: string]: unknown;
}

/**
 * Error middleware for Express. Place it after the routes and before other error middleware, which gets the error at
 * once: the answer never waits for the investigation.
 */
export function expressErrorHandler(options: HookOptions = {}) {
  // Express detects error middleware by its four parameters.
  // oxlint-disable-next-line max-params
  return (error: unknown, request: RequestLike, _: unknown, next: (error: unknown) => void): void => {
    start(error, request, options);
    next(error);
  };
}

interface FastifyLike {
  addHook(name: 'onError', hook: (request: RequestLike, reply: unknown, error: Error) => Promise<void>): unknown;
}

/** Plugin for Fastify: `fastify.register(fastifyPlugin, options)`. The answer never waits for the investigation. */
export function fastifyPlugin(fastify: FastifyLike, options: HookOptions, done: () => void): void {
  fastify.addHook('onError', (request, _, error) => {
    start(error, request, options);
    return Promise.resolve();
  });
  done();
}
// The hook is for all routes, not only for those that are registered inside the plugin.
Object.assign(fastifyPlugin, {
  [Symbol.for('skip-override')]: true,
  [Symbol.for('fastify.display-name')]: 'klendathu',
});

interface HonoContextLike {
  req: { method: string; url: string };
  text(text: string, status: 500): Response;
}

/**
 * For `app.onError(honoOnError(handler))` of Hono. The answer is that of `handler`, or else that of Hono without one,
 * and never waits for the investigation.
 */
export function honoOnError<C extends HonoContextLike>(
  handler?: (error: Error, context: C) => Response | Promise<Response>,
  options: HookOptions = {},
) {
  return (error: Error, context: C): Response | Promise<Response> => {
    start(error, { method: context.req.method, url: context.req.url, request: context.req }, options);
    if (handler !== undefined) return handler(error, context);
    if ('getResponse' in error) return (error as { getResponse: () => Response }).getResponse();
    console.error(error);
    return context.text('Internal Server Error', 500);
  };
}

function start(error: unknown, request: RequestLike, options: HookOptions): void {
  void investigateForHook(error, { ...options, context: { request, ...options.context } });
}

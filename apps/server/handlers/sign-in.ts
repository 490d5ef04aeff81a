import { headOf } from '@klaus/sdk/cut-text';
import { SignInFailure, type Redirect } from '../access/sign-in/sign-in.ts';
import type { Context, Exchange, PartialHandlers } from '../http/handler.ts';
import { Refusal } from '../http/problem.ts';
import { toSetCookie } from '../http/responses.ts';
import { requestIdOf } from '../observability/request-log.ts';

export const signInHandlers = {
  async signInState(_given, { signIn }, { request, guard }) {
    const identity = await guard.identify(request);
    const { name = null, role, session } = identity ?? {};
    return {
      kind: signIn.kind,
      way: signIn.exchange ? 'token' : signIn.begin ? 'redirect' : 'none',
      canSignOut: signIn.end !== undefined,
      signedIn: role ? { name, role, until: session?.until ?? null } : null,
    };
  },

  async signIn({ body }, { signIn, basePath }, exchange) {
    if (!signIn.exchange) throw otherKind(signIn);
    const cookie = await signIn.exchange(body.token);
    exchange.guard.recordAttempt(exchange.request, cookie !== undefined);
    if (!cookie) {
      throw new Refusal(401, 'unauthorized', {
        title: 'The token is wrong.',
        detail: 'Open the address that `klaus serve` printed, or paste the token from its file.',
      });
    }
    exchange.headers['set-cookie'] = toSetCookie(cookie, { isSecure: exchange.isSecure, basePath });
    return { signedIn: true };
  },

  async beginSignIn({ query }, context, exchange) {
    const { signIn } = context;
    if (!signIn.begin) throw otherKind(signIn);
    return redirect(context, exchange, signIn.begin(toVisit(context, exchange), query.to));
  },

  async completeSignIn(_given, context, exchange) {
    const { signIn } = context;
    if (!signIn.complete) throw otherKind(signIn);
    // Each attempt is a request to the provider.
    exchange.guard.checkAttempts(exchange.request);
    return redirect(context, exchange, signIn.complete(toVisit(context, exchange)));
  },

  async signOut(_given, { signIn, connections, basePath }, { identity, headers, isSecure }) {
    if (!signIn.end) throw otherKind(signIn);
    const { cookie, provider } = await signIn.end(identity!);
    headers['set-cookie'] = toSetCookie(cookie, { isSecure, basePath });
    connections.end(identity!);
    return { signedIn: false, provider };
  },
} satisfies PartialHandlers;

function toVisit({ basePath }: Context, { request, guard }: Exchange) {
  return { request, address: `${guard.ownOrigin(request)}${basePath}` };
}

/** The page shows the reason of a failure, and the log has the details. */
async function redirect({ log }: Context, { request, guard }: Exchange, work: Promise<Redirect>): Promise<Redirect> {
  try {
    const result = await work;
    if (result.identity) log.info('a person signed in', { ...result.identity, request: requestIdOf(request) });
    return result;
  } catch (error) {
    if (!(error instanceof SignInFailure)) throw error;
    const { code, message } = error;
    log.warn('a sign-in failed', { code, reason: headOf(message, 500), request: requestIdOf(request) });
    if (code !== 'unreachable') guard.recordAttempt(request, false);
    return { location: `/#sign-in=${code}`, cookies: [] };
  }
}

function otherKind({ kind, help }: Context['signIn']): Refusal {
  return new Refusal(409, 'config', {
    title: `This server signs in by ${kind}, which does not support this.`,
    detail: help.detail,
  });
}

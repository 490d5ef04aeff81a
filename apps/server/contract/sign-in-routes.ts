import { ROLES, SIGN_IN_KINDS, type SignInKind } from '@klaus/core/protocol';
import { z } from 'zod';
import { type Answer, defineRoute } from './route.ts';

export type { SignInKind };

/** Why a sign-in at a provider failed. The page gets it in its address, as `#sign-in=CODE`. */
export const signInFailureCodeSchema = z.enum(['stale', 'refused', 'no_role', 'unreachable', 'invalid']);
export type SignInFailureCode = z.infer<typeof signInFailureCodeSchema>;

/** Fragments of the page to which a browser can return from the provider. */
export const RETURN_TARGET = /^#\/[\w\-./%?=&~+*!'()]{0,1000}$/;

export const signInRoutes = {
  signInState: defineRoute('server', 'GET /api/sign-in', {
    summary: 'How clients sign in, and who sent this request. Needs no sign-in.',
    open: true,
    answer: z.object({
      kind: z.enum(SIGN_IN_KINDS),
      way: z
        .enum(['token', 'redirect', 'none'])
        .describe('How a browser signs in: `POST /api/sign-in`, `GET /api/sign-in/start`, or not at this server.'),
      canSignOut: z.boolean(),
      signedIn: z
        .object({
          name: z.string().nullable().describe('Null: the user who runs the server.'),
          role: z.enum(ROLES),
          until: z.number().nullable().describe('Unix milliseconds. Null: it does not expire.'),
        })
        .nullable()
        .describe('Null: this request carries no valid sign-in.'),
    }),
  }),
  signIn: defineRoute('server', 'POST /api/sign-in', {
    summary: 'Exchanges the token for a cookie: event streams and sockets of a browser cannot send headers.',
    open: true,
    body: z.object({ token: z.string().min(1).max(1_000) }),
    answer: z.object({ signedIn: z.literal(true) }),
  }),
  beginSignIn: defineRoute('server', 'GET /api/sign-in/start', {
    summary: 'Redirects a browser to the provider. Needs no sign-in.',
    open: true,
    kind: 'redirect',
    query: z.object({
      to: z.string().regex(RETURN_TARGET).default('#/').describe('Fragment of the page that is shown after it.'),
    }),
    answer: z.never(),
  }),
  completeSignIn: defineRoute('server', 'GET /api/sign-in/callback', {
    summary: 'The provider redirects the browser to it. Needs no sign-in.',
    open: true,
    kind: 'redirect',
    answer: z.never(),
  }),
  signOut: defineRoute('server', 'POST /api/sign-out', {
    projects: 'none',
    summary: 'Ends the sign-in and deletes the cookie.',
    role: 'viewer',
    answer: z.object({
      signedIn: z.literal(false),
      provider: z.string().optional().describe('Address that also signs out at the provider.'),
    }),
  }),
};

/** How clients sign in, and who is signed in. */
export type SignInView = Answer<typeof signInRoutes.signInState>;

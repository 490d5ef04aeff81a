import { z } from 'zod';
import { defineSetting } from './setting.ts';

/** What a person may do at a server, from the least to the most. */
export const ROLES = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** The ways to sign in at a server. Each has its implementation in `apps/server/access/sign-in/open-sign-in.ts`. */
export const SIGN_IN_KINDS = ['token', 'oidc', 'proxy'] as const;
export type SignInKind = (typeof SIGN_IN_KINDS)[number];

/** HTTPS, or plain HTTP to this machine. No user, query or fragment. */
const issuer = z
  .string()
  .regex(/^(?:https:\/\/[^\s/?#@]+|http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?)(?:\/[^\s?#]*)?$/i);

const header = z.string().regex(/^[a-z][a-z\d-]{0,99}$/i);

/** Settings of the sign-in of `klaus serve`. A project cannot set them. */
export const SIGN_IN_SETTINGS = {
  'server.signIn': defineSetting({
    schema: z.enum(SIGN_IN_KINDS),
    default: 'token',
    env: 'KLAUS_SERVER_SIGN_IN',
    description:
      'How a browser signs in: with the token of the server, at an OpenID Connect provider, or by the headers of a proxy. Programs can always send the token.',
  }),
  'server.roles': defineSetting({
    schema: z.array(z.string().regex(/^[^=\s][^\n]*=(?:viewer|operator|admin)$/)),
    default: [] as string[],
    env: 'KLAUS_SERVER_ROLES',
    values: 'GROUP=viewer, GROUP=operator or GROUP=admin; `*` is everyone; in a variable separated by commas',
    description:
      'The role of each group for the sign-in kinds `oidc` and `proxy`. The highest role applies. Who has none is refused.',
  }),
  'server.projects': defineSetting({
    schema: z.array(z.string().regex(/^[^=\s][^\n]*=\/[^\n]*$/)),
    default: [] as string[],
    env: 'KLAUS_SERVER_PROJECTS',
    values: 'GROUP=FOLDER with an absolute path; `*` is everyone; in a variable separated by commas',
    description:
      'The folders whose sessions and files each group may see, for the sign-in kinds `oidc` and `proxy`. Admins see all. Empty: everyone sees all.',
  }),
  'server.signInMs': defineSetting({
    schema: z.int().min(60_000).max(2_147_483_647),
    default: 43_200_000,
    env: 'KLAUS_SERVER_SIGN_IN_MS',
    description: 'Milliseconds after which a sign-in at an OpenID Connect provider expires.',
  }),
  'server.oidcIssuer': defineSetting({
    schema: issuer,
    env: 'KLAUS_OIDC_ISSUER',
    unset: 'required for `oidc`',
    values: 'an https address, or http on this machine',
    description: 'Address of the OpenID Connect provider, as in its metadata.',
  }),
  'server.oidcClientId': defineSetting({
    schema: z.string().min(1),
    env: 'KLAUS_OIDC_CLIENT_ID',
    unset: 'required for `oidc`',
    description: 'Client id of the server at the provider.',
  }),
  'server.oidcClientSecret': defineSetting({
    schema: z.string().min(1),
    env: 'KLAUS_OIDC_CLIENT_SECRET',
    unset: 'the server is a public client',
    description: 'Client secret of the server at the provider.',
    secret: true,
  }),
  'server.oidcScopes': defineSetting({
    schema: z.array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/)),
    default: ['openid', 'profile', 'email'] as string[],
    env: 'KLAUS_OIDC_SCOPES',
    values: 'names; in a variable separated by commas',
    description: 'Scopes that are requested from the provider.',
  }),
  'server.oidcNameClaim': defineSetting({
    schema: z.string().min(1),
    default: 'email',
    env: 'KLAUS_OIDC_NAME_CLAIM',
    description: 'Claim with the name of a person. Without it, or for an e-mail address that is not verified: `sub`.',
  }),
  'server.oidcRolesClaim': defineSetting({
    schema: z.string().min(1),
    default: 'groups',
    env: 'KLAUS_OIDC_ROLES_CLAIM',
    values: 'the name of a claim, or a path such as realm_access.roles',
    description: 'Claim with the groups of a person. `email` counts only if the provider verified it.',
  }),
  'server.proxyUserHeader': defineSetting({
    schema: header,
    default: 'x-forwarded-user',
    env: 'KLAUS_PROXY_USER_HEADER',
    values: 'the name of a header',
    description: 'Header in which a proxy of `server.trustProxy` sends the name of a person.',
  }),
  'server.proxyRolesHeader': defineSetting({
    schema: header,
    default: 'x-forwarded-groups',
    env: 'KLAUS_PROXY_ROLES_HEADER',
    values: 'the name of a header',
    description: 'Header in which the proxy sends the groups of a person, separated by commas.',
  }),
} as const;

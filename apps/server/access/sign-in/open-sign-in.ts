import { KlausError } from '@klaus/sdk';
import type { SignInKind } from '../../contract/index.ts';
import { createProxySignIn } from './proxy-sign-in.ts';
import type { SignIn, SignInOptions } from './sign-in.ts';
import { createTokenSignIn } from './token-sign-in.ts';

/** Every way to sign in. The compiler asks for one for each entry of `SIGN_IN_KINDS`. */
const SIGN_INS: Readonly<Record<SignInKind, (options: SignInOptions) => SignIn | Promise<SignIn>>> = {
  token: createTokenSignIn,
  oidc: async (options) => (await import('./oidc/oidc-sign-in.ts')).createOidcSignIn(options),
  proxy: createProxySignIn,
};

/**
 * The sign-in of `server.signIn`.
 *
 * @throws KlausError `config` if a setting that it needs is missing.
 */
export async function openSignIn(options: SignInOptions): Promise<SignIn> {
  const { configuration } = options;
  const kind = configuration.get('server.signIn');
  if (kind !== 'token' && configuration.get('server.roles').length === 0) {
    throw new KlausError('config', `The sign-in \`${kind}\` needs roles: without them no person may sign in.`, {
      hint: 'Set KLAUS_SERVER_ROLES, such as `klaus-admins=admin,*=viewer`.',
    });
  }
  return SIGN_INS[kind](options);
}

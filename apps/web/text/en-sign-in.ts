/** Texts about the sign-in and roles. */
export const enSignIn = {
  title: 'Sign in',
  text: 'Enter the token of this server. Find it in the file that `klaus serve` prints when it starts.',
  token: 'Token',
  submit: 'Sign in',
  wrong: 'The token is not valid for this server.',
  link: '`klaus serve --open` opens the page with the token.',
  provider: 'Sign in with the account of your organization.',
  proxy: 'A proxy signs you in. Open this page at the address of the proxy.',
  signedOut: 'You are signed out here, but not at the provider.',
  signOutThere: 'Sign out at the provider',
  as: 'Signed in as',
  roles: { viewer: 'viewer', operator: 'operator', admin: 'admin' },
  needs: { viewer: 'Needs the role viewer', operator: 'Needs the role operator', admin: 'Needs the role admin' },
  readOnly: 'You can read everything here. To send messages you need the role operator.',
  failures: {
    stale: 'The sign-in took too long, or was started in another tab. Sign in again.',
    refused: 'The provider refused the sign-in. Sign in again, or ask an administrator.',
    no_role: 'Your account has no role at this server. Ask an administrator to give one to your groups.',
    unreachable: 'The provider cannot be reached. Sign in again later.',
    invalid: 'The answer of the provider is not valid. The log of the server has the details.',
  },
};

export type SignInText = typeof enSignIn;

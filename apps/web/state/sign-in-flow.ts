import { RETURN_TARGET, signInFailureCodeSchema, type SignInFailureCode } from '@klaus/server/contract';
import { basePath, toOwnName } from './base-path.ts';
import { client } from './client.ts';
import { host, openHost } from './host.ts';

/** An address that says something about the sign-in. */
const SIGN_IN = /^#(token|sign-in)=([^&]+)/;

/** When this tab was last sent to the provider, in Unix milliseconds. */
const TRIED = toOwnName('klaus.sign-in');
/** Milliseconds in which a tab is sent to the provider by itself once: a browser without cookies would loop. */
const ONCE_MS = 60_000;

/** What happened to the sign-in of this tab before the sign-in screen is shown. */
export const signInFlow: {
  failure?: SignInFailureCode;
  /** The user signed out; the address at which the provider signs out too, if it has one. */
  signedOut?: { provider: string | undefined };
} = {};

/**
 * Reads what the address says about the sign-in, and removes it at once, so that it does not remain in the browser's
 * history: a token (`#token=…`, from `klaus serve --open`), which is exchanged for a cookie, or why a sign-in at a
 * provider failed (`#sign-in=…`).
 *
 * @returns True if a token was accepted.
 */
export async function signInFromAddress(): Promise<boolean> {
  const [, kind, value = ''] = SIGN_IN.exec(location.hash) ?? [];
  if (kind === undefined) return false;
  history.replaceState(null, '', `${location.pathname}${location.search}#/`);
  if (kind === 'sign-in') {
    signInFlow.failure = signInFailureCodeSchema.safeParse(value).data ?? 'invalid';
    return false;
  }
  // If the server rejects it, the page asks for a token.
  return client.signIn({ body: { token: toToken(value) } }).then(
    () => true,
    () => false,
  );
}

/** A token that is not percent-encoded correctly is sent as it is, and rejected. */
function toToken(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** The same for an address that is opened in a tab that shows the page already. */
export function followSignIn(): void {
  addEventListener('hashchange', (event) => {
    if (!SIGN_IN.test(location.hash)) return;
    // No other listener sees the token.
    event.stopImmediatePropagation();
    void signInFromAddress().then((isAccepted) => {
      dispatchEvent(new HashChangeEvent('hashchange'));
      if (isAccepted && host.get().isSignedOut) openHost();
    });
  });
}

export function rememberSignOut(provider: string | undefined): void {
  signInFlow.signedOut = { provider };
}

/** Leaves the page for the provider, which sends the browser back to the current view. */
export function goToProvider(): void {
  sessionStorage.setItem(TRIED, String(Date.now()));
  const to = RETURN_TARGET.test(location.hash) ? location.hash : '#/';
  location.assign(`${basePath}/api/sign-in/start?to=${encodeURIComponent(to)}`);
}

/** True if the user need not ask for the sign-in: not after a failure or a sign-out, and not twice in a row. */
export function isSignInAutomatic(): boolean {
  if (signInFlow.failure !== undefined || signInFlow.signedOut !== undefined || document.hidden) return false;
  return Date.now() - Number(sessionStorage.getItem(TRIED)) > ONCE_MS;
}

import { BrandMark } from '../ui/brand-mark.tsx';
import { useEffect, useState } from 'react';
import { access } from '../state/access.ts';
import { client } from '../state/client.ts';
import { openHost } from '../state/host.ts';
import { goToProvider, isSignInAutomatic, signInFlow } from '../state/sign-in-flow.ts';
import { useStore } from '../state/store.ts';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { CodeText } from '../ui/code-text.tsx';

const SCREENS = { token: TokenForm, redirect: ProviderForm, none: ProxyHint };

/** What a person sees who is not signed in, by the way to sign in at the server. */
export function SignIn() {
  const Screen = SCREENS[useStore(access)?.way ?? 'token'];
  return (
    <main className="sign-in">
      <Screen />
    </main>
  );
}

function TokenForm() {
  const t = useText();
  const [token, setToken] = useState('');
  const [isWrong, setWrong] = useState(false);
  const submit = async (event: { preventDefault(): void }) => {
    event.preventDefault();
    const signedIn = await client.signIn({ body: { token: token.trim() } }).catch(() => undefined);
    if (signedIn) openHost();
    setWrong(signedIn === undefined);
  };
  return (
    <form className="column" onSubmit={(event) => void submit(event)}>
      <BrandMark size={32} />
      <h1>{t.signIn.title}</h1>
      <p className="muted">
        <CodeText text={t.signIn.text} /> <CodeText text={t.signIn.link} />
      </p>
      <label htmlFor="token">{t.signIn.token}</label>
      <input
        id="token"
        className="field"
        type="password"
        autoComplete="current-password"
        required
        autoFocus
        value={token}
        aria-invalid={isWrong}
        aria-describedby={isWrong ? 'token-wrong' : undefined}
        onChange={(event) => setToken(event.target.value)}
      />
      {isWrong ? (
        <p id="token-wrong" role="alert" className="bad">
          {t.signIn.wrong}
        </p>
      ) : null}
      <Button type="submit" variant="primary">
        {t.signIn.submit}
      </Button>
    </form>
  );
}

function ProviderForm() {
  const t = useText();
  const { failure, signedOut } = signInFlow;
  useEffect(() => {
    if (isSignInAutomatic()) goToProvider();
  }, []);
  return (
    <section className="column">
      <BrandMark size={32} />
      <h1>{t.signIn.title}</h1>
      {failure === undefined ? (
        <p className="muted">{t.signIn.provider}</p>
      ) : (
        <p role="alert" className="bad">
          {t.signIn.failures[failure]}
        </p>
      )}
      <Button variant="primary" autoFocus onClick={goToProvider}>
        {t.signIn.submit}
      </Button>
      {signedOut?.provider === undefined ? null : (
        <p className="muted">
          {t.signIn.signedOut} <a href={signedOut.provider}>{t.signIn.signOutThere}</a>
        </p>
      )}
    </section>
  );
}

function ProxyHint() {
  const t = useText();
  return (
    <section className="column">
      <BrandMark size={32} />
      <h1>{t.signIn.title}</h1>
      <p className="muted">{t.signIn.proxy}</p>
    </section>
  );
}

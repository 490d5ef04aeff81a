import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { client } from '../state/client.ts';
import { openHost } from '../state/host.ts';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';

/**
 * Exchanges a token in the address (`#token=…`, from `klaus serve --open`) for a cookie. The token is removed from the
 * address at once, so that it does not remain in the browser's history.
 */
export async function signInFromAddress(): Promise<void> {
  const token = /^#token=([^&]+)/.exec(location.hash)?.[1];
  if (token === undefined) return;
  history.replaceState(null, '', `${location.pathname}${location.search}#/`);
  // If the server rejects it, the page asks for a token.
  await client.signIn({ body: { token: decodeURIComponent(token) } }).catch(() => undefined);
}

export function SignIn() {
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
    <main className="sign-in">
      <form className="column" onSubmit={(event) => void submit(event)}>
        <KeyRound size={20} />
        <h1>{t.signIn.title}</h1>
        <p className="muted">{t.signIn.text}</p>
        <p className="muted">
          <code>{t.signIn.link}</code>
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
    </main>
  );
}

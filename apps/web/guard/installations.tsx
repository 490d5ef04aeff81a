import type { GuardStateView } from '@klaus/server/contract';
import { attempt } from '../actions/attempt.ts';
import { client } from '../state/client.ts';
import { useGuardText } from '../text/guard-text.ts';
import { Button } from '../ui/button.tsx';
import { Time } from '../ui/time.tsx';
import { InstallCommand } from './install-command.tsx';

const LOOKS = { on: 'allow', off: 'deny', missed: 'ask' } as const;

/** Where the guard is installed and whether it works there, and sessions that ran without it. */
export function Installations({ states }: { states: readonly GuardStateView[] }) {
  const t = useGuardText();
  const isInstalled = states.some(({ state }) => state !== 'missed');
  return (
    <section className="column guard-installations" aria-labelledby="guard-installations">
      <h2 id="guard-installations">{t.installations}</h2>
      {isInstalled ? null : (
        <>
          <p className="muted">{t.notInstalled}</p>
          <InstallCommand />
        </>
      )}
      <ul className="column">
        {states.map(({ of, place, state, reason, since, isDismissed }) => (
          <li key={of} className="guard-installation column" data-of={of} data-state={state}>
            <span className="line guard-state">
              <span className={`verdict verdict-${LOOKS[state]}`}>{t.states[state]}</span>
              <span className="grow">{place === null ? t.session : t.places[place]}</span>
              {state === 'on' || isDismissed ? null : (
                <Button needs="admin" onClick={() => void attempt(() => client.dismissGuardState({ body: { of } }))}>
                  {t.dismiss}
                </Button>
              )}
            </span>
            <span className="small mono wrap">{of}</span>
            <span className="small muted wrap">
              {state === 'on' ? null : `${reason} · `}
              <Time at={since} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

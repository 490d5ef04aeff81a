import type { CheckView } from '@klaus/server/contract';
import { CirclePlay, FolderOpen } from 'lucide-react';
import { useLayoutEffect, useRef, useState } from 'react';
import { attempt } from '../actions/attempt.ts';
import { signal } from '../actions/signal.ts';
import { isTouched } from '../keys/is-touched.ts';
import { useAccess } from '../state/access.ts';
import { client } from '../state/client.ts';
import { host, reloadSettings } from '../state/host.ts';
import { go, toHash, toSession } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { showToast } from '../state/toasts.ts';
import { useSettingsText } from '../text/settings/settings-text.ts';
import { Button } from '../ui/button.tsx';
import { Pending } from '../ui/empty.tsx';
import { Progress } from '../shell/progress.tsx';
import { useQuery } from '../ui/use-query.ts';
import { KeyForm } from './key-form.tsx';
import { toStoredText } from './keys-section.tsx';
import { LocalModels } from './models/local-models.tsx';
import { ServerForm } from './models/server-form.tsx';
import { isFetched, SandboxSummary, useChecks } from './sandbox-status.tsx';
import './settings.css';

interface FirstStartProps {
  /** The provider that is offered first. */
  provider: string;
  /** Folders of sessions, the latest first. */
  folders: readonly string[];
  onFolder: (path: string) => void;
}

/** What can be used in place of a provider. */
const OTHERS = ['server', 'local'] as const;
/** Most folders that are offered. */
const MAX_FOLDERS = 4;

/** What a first session needs: a key, and a sandbox. It also leads to the demo, which needs no key. */
export function FirstStart({ provider: first, folders, onFolder }: FirstStartProps) {
  const t = useSettingsText();
  const { settings } = useStore(host);
  const checks = useChecks();
  const card = useRef<HTMLElement>(null);
  // The control with the focus is removed with the card, once a model is set up.
  useLayoutEffect(() => {
    const element = card.current;
    return () => {
      if (element?.contains(document.activeElement) && !isTouched()) signal('focus-message');
    };
  }, []);
  return (
    <section ref={card} className="first-start raised column" aria-labelledby="first-start">
      <h2 id="first-start">{t.first.title}</h2>
      <FirstKey first={first} />
      <FirstSandbox query={checks} />
      {folders.length > 1 ? (
        <div className="column first-part">
          <h3>{t.first.folders}</h3>
          <ul className="line first-folders">
            {folders.slice(0, MAX_FOLDERS).map((path) => (
              <li key={path}>
                <Button icon={FolderOpen} title={path} onClick={() => onFolder(path)}>
                  {path.split('/').at(-1)}
                </Button>
              </li>
            ))}
          </ul>
        </div>
      ) : null}
      {settings?.hasDemo ? <Demo checks={checks.value?.checks ?? []} /> : null}
    </section>
  );
}

function FirstKey({ first }: { first: string }) {
  const t = useSettingsText();
  const query = useQuery('keys', (signal) => client.keys({ signal }));
  const [chosen, setChosen] = useState<string>();
  const providers = query.value?.providers ?? [];
  const provider = providers.find((each) => each.provider === (chosen ?? first)) ?? providers[0];
  const other = OTHERS.find((each) => each === chosen);
  const isKey = (each: string) => other === undefined && each === provider?.provider;
  return (
    <div className="column first-part">
      <h3>{t.first.keyTitle}</h3>
      <Pending query={query} title={t.key.failed} rows={2} />
      {provider ? (
        <>
          <div className="segments" role="group" aria-label={t.key.provider}>
            {providers.map((each) => (
              <button
                key={each.provider}
                type="button"
                aria-pressed={isKey(each.provider)}
                onClick={() => setChosen(each.provider)}
              >
                {each.title}
              </button>
            ))}
            {OTHERS.map((each) => (
              <button key={each} type="button" aria-pressed={other === each} onClick={() => setChosen(each)}>
                {t.first[each]}
              </button>
            ))}
          </div>
          {other === undefined ? (
            <KeyForm
              key={provider.provider}
              provider={provider}
              onStored={(stored, test) =>
                showToast({ kind: 'info', text: toStoredText(stored, test, t), lastsMs: 10_000 })
              }
            />
          ) : null}
          {other === 'server' ? <ServerForm isFirst onStored={() => void reloadSettings()} /> : null}
          {other === 'local' ? <LocalModels onUsed={() => void reloadSettings()} /> : null}
        </>
      ) : null}
      <a href={toHash({ page: 'settings', section: 'keys' })}>{t.first.more}</a>
    </div>
  );
}

function FirstSandbox({ query }: { query: ReturnType<typeof useChecks> }) {
  const t = useSettingsText();
  return (
    <div className="column first-part" aria-busy={query.isLoading}>
      <h3>{t.first.sandboxTitle}</h3>
      {query.value ? <SandboxSummary checks={query.value.checks} /> : null}
      {query.isLoading ? (
        <p className="muted" role="status">
          {t.first.checking}
        </p>
      ) : null}
      {query.error === undefined ? null : <Pending query={query} title={t.checks.failed} rows={1} />}
    </div>
  );
}

function Demo({ checks }: { checks: readonly CheckView[] }) {
  const t = useSettingsText();
  const [isStarting, setStarting] = useState(false);
  const isAllowed = useAccess('operator');
  const { settings } = useStore(host);
  if (!isAllowed) return null;
  const start = async () => {
    setStarting(true);
    const answer = await attempt(() => client.startDemo());
    setStarting(false);
    if (answer) go(toSession(answer.session));
  };
  return (
    <div className="column first-part">
      <div>
        <Button icon={CirclePlay} disabled={isStarting} onClick={() => void start()}>
          {t.first.demo}
        </Button>
      </div>
      {isStarting ? (
        <div role="status">
          <Progress words={isFetched(checks, settings?.sandbox) ? t.first.fetching : t.first.starting} />
        </div>
      ) : (
        <p className="small muted">{t.first.demoHint}</p>
      )}
    </div>
  );
}

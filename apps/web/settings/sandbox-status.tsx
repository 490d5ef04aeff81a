import type { CheckView } from '@klaus/server/contract';
import { CircleAlert, CircleCheck, Info, RefreshCw } from 'lucide-react';
import { client } from '../state/client.ts';
import { host } from '../state/host.ts';
import { useStore } from '../state/store.ts';
import { useSettingsText } from '../text/settings/settings-text.ts';
import { Button } from '../ui/button.tsx';
import { CodeText } from '../ui/code-text.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Pending } from '../ui/empty.tsx';
import { useQuery } from '../ui/use-query.ts';

const ICONS = { ok: CircleCheck, warn: Info, fail: CircleAlert } as const;
const CLASSES = { ok: 'good', warn: 'warn', fail: 'bad' } as const;

export const useChecks = () => useQuery('checks', (signal) => client.checks({ signal }));

/** The sandbox that commands get, and every check of the machine. */
export function SandboxStatus() {
  const t = useSettingsText();
  const query = useChecks();
  const checks = query.value?.checks;
  return (
    <section className="checks column" aria-label={t.checks.title} aria-busy={query.isLoading}>
      <Pending query={query} title={t.checks.failed} rows={3} />
      {checks ? (
        <>
          <SandboxSummary checks={checks} />
          <details>
            <summary>{t.checks.others}</summary>
            <ul className="column">
              {checks.map((check) => (
                <Check key={check.name} check={check} />
              ))}
            </ul>
          </details>
          <Button icon={RefreshCw} onClick={query.refetch}>
            {t.checks.again}
          </Button>
        </>
      ) : null}
    </section>
  );
}

/** The checks of the sandboxes that commands may get. @param chosen The setting; undefined: the first that works. */
function toDrivers(checks: readonly CheckView[], chosen: string | undefined): CheckView[] {
  return checks.filter(({ name, unused }) =>
    chosen === undefined
      ? !unused && name.startsWith('sandbox') && name !== 'sandbox host'
      : name === `sandbox ${chosen}`,
  );
}

/** True if the next session downloads its sandbox. */
export function isFetched(checks: readonly CheckView[], chosen: string | null | undefined): boolean {
  const drivers = toDrivers(checks, chosen ?? undefined);
  return !drivers.some(({ status }) => status === 'ok') && drivers.some(({ canFetch }) => canFetch);
}

/** The sandbox that commands get, or the checks that explain why there is none. */
export function SandboxSummary({ checks }: { checks: readonly CheckView[] }) {
  const t = useSettingsText();
  const { settings } = useStore(host);
  const chosen = settings?.sandbox ?? undefined;
  if (chosen === 'host') {
    return (
      <p className="line checks-summary">
        <CircleAlert size={16} aria-hidden className="warn" />
        <span className="grow">
          <strong>{t.checks.hostOn}</strong> {t.checks.hostHint}
        </span>
      </p>
    );
  }
  const drivers = toDrivers(checks, chosen);
  const working = drivers.find(({ status, canFetch }) => status === 'ok' || canFetch);
  if (working) {
    return (
      <p className="line checks-summary">
        <CircleCheck size={16} aria-hidden className="good" />
        <span className="grow">
          <strong>{t.checks.sandboxOk(working.name.replace(/^sandbox /, ''))}</strong>
          {working.status === 'ok' ? null : ` ${t.checks.fetched}`}
        </span>
      </p>
    );
  }
  return (
    <div className="column">
      <p className="line checks-summary bad" role="alert">
        <CircleAlert size={16} aria-hidden />
        <strong>{chosen === undefined ? t.checks.noSandbox : t.checks.driverFails(chosen)}</strong>
      </p>
      <ul className="column">
        {drivers.map((check) => (
          <Check key={check.name} check={check} />
        ))}
      </ul>
    </div>
  );
}

function Check({ check: { name, status, text, fix, install } }: { check: CheckView }) {
  const t = useSettingsText();
  const Icon = ICONS[status];
  return (
    <li className="line check-row">
      <Icon size={14} role="img" aria-label={t.checks[status]} className={CLASSES[status]} />
      <div className="grow column" lang="en">
        <p className="wrap">
          <strong>{name}</strong> {text}
        </p>
        {fix === undefined || status === 'ok' ? null : (
          <p className="wrap muted">
            <CodeText text={fix} />
          </p>
        )}
      </div>
      {install === undefined ? null : <CopyButton text={install} label={`${t.checks.command}: ${name}`} />}
    </li>
  );
}

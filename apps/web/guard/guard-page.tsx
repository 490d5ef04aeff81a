import { useState } from 'react';
import { client } from '../state/client.ts';
import { host } from '../state/host.ts';
import { useStore } from '../state/store.ts';
import { useGuardText } from '../text/guard-text.ts';
import { BackButton } from '../ui/back-button.tsx';
import { Button } from '../ui/button.tsx';
import { Empty, Pending } from '../ui/empty.tsx';
import { type Period, PeriodSelect } from '../ui/period-select.tsx';
import { useQuery } from '../ui/use-query.ts';
import { Decision } from './decision.tsx';
import { Filters } from './filters.tsx';
import { InstallCommand } from './install-command.tsx';
import { Installations } from './installations.tsx';
import { Rates } from './rates.tsx';
import { type DecisionFilter, useDecisions } from './use-decisions.ts';
import './guard.css';

const DAY_MS = 86_400_000;

/** The decisions of the guard of Claude Code, their rates, and filters for both. */
export function GuardPage() {
  const t = useGuardText();
  const { guardSeq } = useStore(host);
  const [days, setDays] = useState<Period>(30);
  const [filter, setFilter] = useState<DecisionFilter>({
    verdict: undefined,
    decider: undefined,
    workspace: undefined,
  });
  const { workspace } = filter;
  const loaded = useQuery(`${days} ${guardSeq} ${workspace ?? ''}`, (signal) => {
    const since = days === 0 ? {} : { since: new Date(Date.now() - (days - 1) * DAY_MS).toISOString().slice(0, 10) };
    return client.guardRates({ query: { ...since, workspace } }, { signal });
  });
  const { query, decisions, showOlder } = useDecisions(filter);
  const { rates, workspaces = [] } = loaded.value ?? {};
  const { value } = useQuery(`${guardSeq}`, (signal) => client.guardStates({ signal }));
  const states = value?.states ?? [];
  const isEmpty = value !== undefined && workspaces.length === 0 && states.length === 0;
  return (
    <div className="pane">
      <header className="pane-head line ruled">
        <BackButton />
        <h1>{t.title}</h1>
        <span className="grow" />
        <PeriodSelect label={t.period} days={days} onChange={setDays} />
      </header>
      <Pending query={loaded} title={t.failed} rows={8} />
      {loaded.value && value ? (
        <div className="rows guard-body column" tabIndex={0} role="group" aria-label={t.title}>
          {isEmpty ? (
            <Empty title={t.none} hint={t.noneHint}>
              <InstallCommand />
            </Empty>
          ) : (
            <>
              <Installations states={states} />
              {rates ? <Rates rates={rates} /> : null}
              <section className="column guard-decisions" aria-labelledby="guard-decisions">
                <h2 id="guard-decisions">{t.decisions}</h2>
                <Filters filter={filter} onChange={setFilter} rates={rates} workspaces={workspaces} />
                {query.error === undefined ? null : <Pending query={query} title={t.failed} rows={4} />}
                {!query.isLoading && query.error === undefined && decisions.length === 0 && !showOlder ? (
                  <Empty title={t.noneShown} />
                ) : null}
                <ol className="column">
                  {decisions.map((decision) => (
                    <Decision key={decision.seq} decision={decision} />
                  ))}
                </ol>
                {showOlder ? <Button onClick={() => void showOlder()}>{t.older}</Button> : null}
              </section>
            </>
          )}
        </div>
      ) : null}
    </div>
  );
}

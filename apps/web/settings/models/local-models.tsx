import type { LocalServerView } from '@klaus/server/contract';
import { Cpu, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { attempt } from '../../actions/attempt.ts';
import { client } from '../../state/client.ts';
import { reloadSettings } from '../../state/host.ts';
import { showToast } from '../../state/toasts.ts';
import { useSettingsText } from '../../text/settings/settings-text.ts';
import { Button } from '../../ui/button.tsx';
import { CodeText } from '../../ui/code-text.tsx';
import { LocalServerFacts, UseLocalDialog } from './use-local-dialog.tsx';

/** Models of a program that are offered. */
const MAX_MODELS = 20;

interface Chosen {
  server: LocalServerView;
  model: string;
}

/** Programs with models on the machine of the server. They are looked for when the user asks for it. */
export function LocalModels({ onUsed }: { onUsed?: () => void }) {
  const t = useSettingsText();
  const [servers, setServers] = useState<readonly LocalServerView[]>();
  const [isLooking, setLooking] = useState(false);
  const [chosen, setChosen] = useState<Chosen>();
  const look = async () => {
    setLooking(true);
    const answer = await attempt(() => client.localModels());
    setLooking(false);
    if (answer) setServers(answer.servers);
  };
  const use = async ({ server: { address, user, program }, model }: Chosen) => {
    setChosen(undefined);
    if (!(await attempt(() => client.useLocalModel({ body: { model, address, user, program } })))) return;
    showToast({ kind: 'info', text: t.models.used(model), lastsMs: 10_000 });
    await reloadSettings();
    setServers((all) => all?.map((each) => (each.address === address ? { ...each, isAllowed: true } : each)));
    onUsed?.();
  };
  // The first use asks once.
  const choose = (next: Chosen) => (next.server.isAllowed ? void use(next) : setChosen(next));
  return (
    <div className="local-models column">
      <p className="muted small">
        <CodeText text={t.models.localHint} />
      </p>
      <div>
        <Button icon={servers ? RefreshCw : Cpu} needs="admin" disabled={isLooking} onClick={() => void look()}>
          {servers ? t.models.lookAgain : t.models.look}
        </Button>
      </div>
      <div role="status">
        {isLooking ? <p className="muted small">{t.models.looking}</p> : null}
        {servers?.length === 0 && !isLooking ? (
          <p className="small">
            <strong>{t.models.none}.</strong> <CodeText text={t.models.noneHint} />
          </p>
        ) : null}
      </div>
      <ul className="settings-rows">
        {servers?.map((server) => (
          <li key={server.address} className="provider column" data-local={server.title}>
            <h3>{server.title}</h3>
            <LocalServerFacts server={server} />
            <ul className="line local-choices">
              {server.models.slice(0, MAX_MODELS).map((model) => (
                <li key={model}>
                  <Button needs="admin" onClick={() => choose({ server, model })}>
                    {t.models.use(model)}
                  </Button>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
      {chosen ? (
        <UseLocalDialog
          {...chosen}
          text={t.models.useText(chosen.model)}
          onClose={() => setChosen(undefined)}
          onUse={() => void use(chosen)}
        />
      ) : null}
    </div>
  );
}

import type { ModelServerTest, ModelServerView } from '@klaus/server/contract';
import { Plus, Server } from 'lucide-react';
import { useState } from 'react';
import { attempt } from '../../actions/attempt.ts';
import { client } from '../../state/client.ts';
import { reloadSettings } from '../../state/host.ts';
import { showToast } from '../../state/toasts.ts';
import { useSettingsText } from '../../text/settings/settings-text.ts';
import { Button } from '../../ui/button.tsx';
import { CodeText } from '../../ui/code-text.tsx';
import { Pending } from '../../ui/empty.tsx';
import { useQuery } from '../../ui/use-query.ts';
import { RemoveDialog } from '../remove-dialog.tsx';
import { LocalModels } from './local-models.tsx';
import { ServerForm, TestText } from './server-form.tsx';

/** Compatible servers of the settings, and programs on the machine. */
export function ServerList() {
  const t = useSettingsText();
  const query = useQuery('model-servers', (signal) => client.modelServers({ signal }));
  const [isAdding, setAdding] = useState(false);
  const stored = () => {
    setAdding(false);
    query.refetch();
  };
  return (
    <>
      <section className="column" aria-labelledby="model-servers">
        <h3 id="model-servers">{t.models.servers}</h3>
        <p className="muted small">
          <CodeText text={t.models.serversHint} />
        </p>
        <Pending query={query} title={t.models.failed} rows={2} />
        <ul className="settings-rows">
          {query.value?.servers.map((server) => (
            <ServerRow key={server.name} server={server} onRemoved={query.refetch} />
          ))}
        </ul>
        {isAdding ? (
          <ServerForm onStored={stored} onCancel={() => setAdding(false)} />
        ) : (
          <div>
            <Button icon={Plus} needs="admin" onClick={() => setAdding(true)}>
              {t.models.add}
            </Button>
          </div>
        )}
      </section>
      <section className="column" aria-labelledby="local-models">
        <h3 id="local-models">{t.models.local}</h3>
        <LocalModels />
      </section>
    </>
  );
}

function ServerRow({ server, onRemoved }: { server: ModelServerView; onRemoved: () => void }) {
  const t = useSettingsText();
  const [isTesting, setTesting] = useState(false);
  const [isRemoving, setRemoving] = useState(false);
  const [result, setResult] = useState<ModelServerTest>();
  const { name, baseUrl, wire, hasKey, models } = server;
  const params = { name };
  const test = async () => {
    setTesting(true);
    setResult(await attempt(() => client.testModelServer({ params })));
    setTesting(false);
  };
  const remove = async () => {
    setRemoving(false);
    if (!(await attempt(() => client.removeModelServer({ params })))) return;
    showToast({ kind: 'info', text: t.models.removed(name), lastsMs: 6_000 });
    await reloadSettings();
    onRemoved();
  };
  const facts = [t.models.wires[wire], hasKey ? t.models.hasKey : t.models.noKey, ...models];
  return (
    <li className="provider column" data-server={name}>
      <div className="line provider-head">
        <Server size={16} aria-hidden className="muted" />
        <div className="grow column">
          <h4>{name}</h4>
          <p className="small muted wrap">
            <span className="mono">{baseUrl}</span> · {facts.join(' · ')}
          </p>
        </div>
        <div className="line provider-actions">
          <Button needs="admin" disabled={isTesting} aria-label={t.models.testOf(name)} onClick={() => void test()}>
            {t.models.test}
          </Button>
          <Button needs="admin" variant="danger" aria-label={t.models.removeOf(name)} onClick={() => setRemoving(true)}>
            {t.models.remove}
          </Button>
        </div>
      </div>
      <p role="status" className={isTesting || result ? 'small wrap' : 'unseen'}>
        {isTesting ? t.models.testing : result ? <TestText test={result} /> : ''}
      </p>
      {isRemoving ? (
        <RemoveDialog
          title={t.models.removeTitle(name)}
          text={t.models.removeText}
          action={t.models.remove}
          onClose={() => setRemoving(false)}
          onRemove={() => void remove()}
        />
      ) : null}
    </li>
  );
}

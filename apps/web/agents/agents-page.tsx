import type { AgentView } from '@klaus/server/contract';
import { FolderOpen, Play, Plus } from 'lucide-react';
import { client } from '../state/client.ts';
import { host } from '../state/host.ts';
import { nextSession } from '../state/next-session.ts';
import { go, toHash } from '../state/route.ts';
import { createStore, useStore } from '../state/store.ts';
import { useAgentsText } from '../text/agents-text.ts';
import { formatAgo } from '../text/format.ts';
import { useText } from '../text/text.ts';
import { BackButton } from '../ui/back-button.tsx';
import { Button } from '../ui/button.tsx';
import { Empty, Pending } from '../ui/empty.tsx';
import { Menu } from '../ui/menu.tsx';
import { useQuery } from '../ui/use-query.ts';
import { AgentEditor } from './agent-editor.tsx';
import './agents.css';

/** The folder whose agents are shown. Undefined: the configured workspace. */
const folder = createStore<string | undefined>(undefined);

/** @param props.name Default: the list. `new`: a form for a new agent. */
export function AgentsPage({ name }: { name?: string }) {
  const workspace = useStore(folder);
  return name === undefined ? <AgentList workspace={workspace} /> : <AgentEditor name={name} workspace={workspace} />;
}

function AgentList({ workspace }: { workspace: string | undefined }) {
  const t = useAgentsText();
  const loaded = useQuery(workspace ?? '', (signal) =>
    client.agents({ query: workspace === undefined ? {} : { workspace } }, { signal }),
  );
  const { agents = [], broken = [] } = loaded.value ?? {};
  return (
    <div className="pane">
      <header className="pane-head line ruled">
        <BackButton />
        <h1>{t.title}</h1>
        <span className="grow" />
        <FolderMenu workspace={workspace} />
        <Button needs="admin" icon={Plus} variant="primary" onClick={() => go({ page: 'agents', name: 'new' })}>
          {t.create}
        </Button>
      </header>
      <Pending query={loaded} title={t.failed} rows={6} />
      {loaded.value ? (
        <div className="rows agents-body column" tabIndex={0} role="group" aria-label={t.title}>
          <ul className="column">
            {agents.map((agent) => (
              <AgentRow key={agent.name} agent={agent} workspace={workspace} />
            ))}
          </ul>
          {agents.length === 1 && broken.length === 0 ? (
            <Empty title={t.none} hint={t.noneHint}>
              <Button needs="admin" onClick={() => go({ page: 'agents', name: 'new' })}>
                {t.create}
              </Button>
            </Empty>
          ) : null}
          {broken.length > 0 ? (
            <section className="column agents-broken" aria-labelledby="agents-broken">
              <h2 id="agents-broken">{t.broken}</h2>
              <ul className="column">
                {broken.map(({ file, line, reason, hint }) => (
                  <li key={file} className="agent-row column">
                    <span className="mono wrap">{file}</span>
                    <span className="bad wrap">
                      {t.line(line)}: {reason}
                    </span>
                    {hint === null ? null : <span className="muted wrap">{hint}</span>}
                  </li>
                ))}
              </ul>
            </section>
          ) : null}
        </div>
      ) : null}
    </div>
  );
}

function AgentRow({ agent, workspace }: { agent: AgentView; workspace: string | undefined }) {
  const t = useAgentsText();
  const words = useText();
  const { name, description, capabilities, isChatOnly, model, file, hides, lastUsed } = agent;
  const known: Readonly<Record<string, string>> = t.capability;
  const sentences = capabilities.map((each) => known[each] ?? each);
  const start = () => {
    nextSession.set({ agent: file === null ? undefined : name, workspace });
    go({ page: 'home' });
  };
  const facts = [
    ...(model === null ? [] : [model]),
    lastUsed === null ? words.home.neverUsed : t.lastUsed(formatAgo(Date.parse(lastUsed), Date.now())),
  ];
  return (
    <li className="agent-row column">
      {file === null ? <strong>{words.app.name}</strong> : <a href={toHash({ page: 'agents', name })}>{name}</a>}
      <span className="wrap" dir="auto">
        {description}
      </span>
      <span className="small wrap">
        {sentences.join(' ') || (isChatOnly ? words.home.noCapabilities : words.home.ownGrants)}
      </span>
      <span className="small muted wrap">{facts.join(' · ')}</span>
      <span className={`small muted wrap ${file === null ? '' : 'mono'}`}>{file ?? t.builtIn}</span>
      <Button
        needs="operator"
        icon={Play}
        aria-label={t.startWith(file === null ? words.app.name : name)}
        onClick={start}
      >
        {t.start}
      </Button>
      {hides.length > 0 ? <span className="small warn wrap">{t.hides(hides.join(', '))}</span> : null}
    </li>
  );
}

function FolderMenu({ workspace }: { workspace: string | undefined }) {
  const t = useText();
  const { settings } = useStore(host);
  const loaded = useQuery('workspaces', (signal) => client.workspaces({ signal }));
  const folders = loaded.value?.workspaces.filter(({ exists }) => exists) ?? [];
  const shown = workspace ?? settings?.workspace;
  if (folders.length < 2 || shown === undefined) return null;
  return (
    <Menu
      label={`${t.home.workspace}: ${shown}`}
      items={folders.map(({ path }) => ({
        key: path,
        label: path,
        isChosen: path === shown,
        run: () => folder.set(path),
      }))}
    >
      <FolderOpen size={14} />
      <span className="ellipsis">{shown.split('/').at(-1)}</span>
    </Menu>
  );
}

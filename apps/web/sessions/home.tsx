import type { Effort, NetworkPreset, Part } from '@klaus/core/protocol';
import { FolderOpen, FolderPlus } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { attempt, trySend } from '../actions/attempt.ts';
import { Composer } from '../composer/composer.tsx';
import { readHistory } from '../composer/history.ts';
import { client } from '../state/client.ts';
import { changeFilters, filters } from '../state/filters.ts';
import { chooseMode, groupSessions, host, readMode } from '../state/host.ts';
import { focusNextField } from '../composer/next-focus.ts';
import { takeNextSession } from '../state/next-session.ts';
import { go, toSession } from '../state/route.ts';
import { groupBelow } from '../state/session-tree.ts';
import { overlay } from '../state/overlay.ts';
import { useStore } from '../state/store.ts';
import { useText } from '../text/text.ts';
import { Empty, Loading } from '../ui/empty.tsx';
import { Menu } from '../ui/menu.tsx';
import { Progress } from '../shell/progress.tsx';
import { useQuery } from '../ui/use-query.ts';
import { ExampleList } from './example-list.tsx';
import { KeyHint } from './key-hint.tsx';
import { AgentPicker } from './agent-picker.tsx';
import { NetworkPicker } from './network-picker.tsx';
import { SessionRow } from './session-row.tsx';
import './home.css';

/** Milliseconds from which the page shows that a session is prepared. */
const SLOW_MS = 1_500;

export function Home() {
  const t = useText();
  const { sessions, settings, models, link, asOf } = useStore(host);
  const { project } = useStore(filters);
  const { isSlow, watched } = useSlow();
  const [chosen, setChosen] = useState<{
    workspace?: string;
    agent?: string;
    model?: string;
    effort?: Effort;
    networks?: readonly NetworkPreset[];
  }>(takeNextSession);
  // A project that is chosen later replaces the folder.
  useLater(project, () => setChosen(({ workspace: _, ...rest }) => rest));
  // The user may have chosen another mode in a terminal.
  useEffect(() => void readMode(), []);
  const workspaces = useQuery(`workspaces ${project ?? ''}`, (signal) => client.workspaces({ signal }));
  const folder = chosen.workspace ?? project;
  const workspace = folder ?? settings?.workspace;
  const agents = useQuery(`agents ${folder ?? ''}`, (signal) =>
    client.agents({ query: { workspace: folder } }, { signal }),
  );
  const agent = agents.value?.agents.find(({ name }) => name === chosen.agent);
  const model =
    chosen.model ?? agent?.model ?? models.find(({ isDefault }) => isDefault)?.name ?? settings?.model ?? '';
  const mode = settings?.mode ?? 'auto';
  const [history] = useState(readHistory);
  const scope = useMemo(() => (workspace === undefined ? {} : { workspace }), [workspace]);
  const send = async (parts: Part[], _delivery: 'steer' | 'queue', command: string) => {
    // Session and prompt share one id, so that a repeated request is idempotent.
    const names = { session: command, command };
    const given = {
      ...{ parts, attended: true, mode, model: chosen.model, effort: chosen.effort, agent: agent?.name },
      ...(chosen.networks?.length ? { allowNet: [...chosen.networks] } : {}),
      ...scope,
    };
    const sent = await watched(() => trySend(() => client.openSession({ body: { ...names, ...given } })));
    if (sent === 'accepted') {
      focusNextField();
      go(toSession(command));
    }
    return sent;
  };
  if (!settings) {
    return (
      <div className="home column">
        <h1 className="unseen">{t.home.title}</h1>
        {asOf === undefined ? <Loading /> : <Empty title={t.lists.offlineTitle} hint={t.lists.offlineHint} />}
      </div>
    );
  }
  const folders = workspaces.value?.workspaces.filter(({ exists }) => exists) ?? [];
  return (
    <div className="home column">
      <WaitingSessions />
      <section className="home-start column" aria-labelledby="home-title">
        <h1 id="home-title">{t.home.title}</h1>
        <KeyHint
          model={model}
          folders={folders.map(({ path }) => path)}
          onFolder={(it) => setChosen({ ...chosen, workspace: it })}
        />
        <div className="home-choices line">
          <FolderPicker
            folders={folders}
            workspace={workspace}
            onChange={(path) => {
              setChosen({ ...chosen, workspace: path });
              if (project !== undefined) changeFilters({ project: path });
            }}
          />
          <AgentPicker
            agents={agents.value?.agents ?? []}
            agent={agent?.name}
            onChange={(name) => setChosen({ ...chosen, agent: name })}
          />
          <NetworkPicker chosen={chosen.networks ?? []} onChange={(networks) => setChosen({ ...chosen, networks })} />
        </div>
        <Composer
          draft="home"
          scope={scope}
          model={model}
          mode={mode}
          effort={chosen.effort}
          isRunning={false}
          isOnline={link === 'online'}
          isFocused
          stopping={undefined}
          history={history}
          onModel={(it) => setChosen({ ...chosen, model: it })}
          onMode={(it) => void attempt(() => chooseMode(it))}
          onEffort={(it) => setChosen({ ...chosen, effort: it })}
          onSend={send}
          onStop={() => undefined}
        />
        <div role="status">{isSlow ? <Progress words={t.home.preparing} /> : null}</div>
        {sessions.size === 0 ? <ExampleList draft="home" scope={scope} /> : null}
      </section>
    </div>
  );
}

/** Runs a request. `isSlow` while it takes long. */
function useSlow() {
  const [isSlow, setSlow] = useState(false);
  const watched = async <T,>(work: () => Promise<T>): Promise<T> => {
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      setSlow(false);
    }
  };
  return { isSlow, watched };
}

/** Calls back if a value changes to another one than the first. */
function useLater(value: string | undefined, change: () => void): void {
  const [first] = useState(value);
  useEffect(() => {
    if (value !== undefined && value !== first) change();
  }, [value]);
}

/** The sessions with open questions. */
function WaitingSessions() {
  const t = useText();
  const { sessions, attention } = useStore(host);
  const waiting = groupSessions({ sessions, attention }).waiting.filter(({ state }) => state === 'needs-you');
  const below = useMemo(() => groupBelow(sessions), [sessions]);
  if (waiting.length === 0) return null;
  return (
    <section aria-labelledby="home-questions">
      <h2 id="home-questions">{t.home.questions}</h2>
      <ul className="home-questions">
        {waiting.map((session) => (
          <li key={session.id}>
            <SessionRow
              session={session}
              isCurrent={false}
              below={below.get(session.id)?.map((each) => each.session)}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface FolderPickerProps {
  folders: readonly { path: string }[];
  workspace: string | undefined;
  onChange: (path: string) => void;
}

/** The folder of the new session. */
function FolderPicker({ folders, workspace, onChange }: FolderPickerProps) {
  const t = useText();
  return (
    <Menu
      label={`${t.home.workspace}: ${workspace}`}
      align="start"
      items={[
        ...folders.map(({ path }) => ({
          key: path,
          label: path,
          isChosen: path === workspace,
          run: () => onChange(path),
        })),
        {
          key: 'other',
          label: t.home.otherFolder,
          icon: FolderPlus,
          needs: 'operator',
          run: () => overlay.set({ kind: 'new-project' }),
        },
      ]}
    >
      <FolderOpen size={14} />
      <span className="ellipsis">{workspace}</span>
    </Menu>
  );
}

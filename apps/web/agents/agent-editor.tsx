import { isProblemError } from '@klaus/server/client';
import type { AgentDetail } from '@klaus/server/contract';
import { useState } from 'react';
import { attempt } from '../actions/attempt.ts';
import { client } from '../state/client.ts';
import { go, toHash } from '../state/route.ts';
import { showToast } from '../state/toasts.ts';
import { useAgentsText } from '../text/agents-text.ts';
import { useText } from '../text/text.ts';
import { BackButton } from '../ui/back-button.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Pending, toReason } from '../ui/empty.tsx';
import { useQuery } from '../ui/use-query.ts';
import { toDefinition, toDraft, type AgentDraft } from './agent-draft.ts';
import { AgentForm, type FormProblem } from './agent-form.tsx';

interface EditorProps {
  /** `new`, which no agent is called: a new one. */
  name: string;
  workspace: string | undefined;
}

export function AgentEditor({ name, workspace }: EditorProps) {
  const t = useAgentsText();
  const isNew = name === 'new';
  const loaded = useQuery(`${name} ${workspace ?? ''}`, async (signal) =>
    isNew ? null : await client.agent({ params: { name }, query: { workspace } }, { signal }),
  );
  const { value } = loaded;
  return (
    <div className="pane">
      <header className="pane-head line ruled">
        <BackButton />
        <h1 className="ellipsis">{isNew ? t.create : name}</h1>
        <span className="grow" />
        <a href={toHash({ page: 'agents' })}>{t.toList}</a>
      </header>
      <Pending query={loaded} title={t.agentFailed} rows={6} />
      {value === undefined ? null : (
        <Opened key={value?.hash} agent={value ?? undefined} workspace={workspace} onReload={loaded.refetch} />
      )}
    </div>
  );
}

interface OpenedProps extends Pick<EditorProps, 'workspace'> {
  /** Default: a new one. */
  agent: AgentDetail | undefined;
  onReload: () => void;
}

function Opened({ agent, workspace, onReload }: OpenedProps) {
  const t = useAgentsText();
  const [draft, setDraft] = useState(() => toDraft(agent?.definition));
  const [place, setPlace] = useState<'user' | 'project'>('user');
  const [problem, setProblem] = useState<FormProblem | undefined>();
  const [isSaving, setSaving] = useState(false);
  const [isRemoving, setRemoving] = useState(false);
  const save = async () => {
    const missing = (['name', 'description'] as const).filter((field) => draft[field].trim() === '');
    if (missing.length > 0)
      return setProblem({ errors: missing.map((field) => ({ path: field, message: t.required })) });
    setSaving(true);
    try {
      await saveAgent(draft, { agent, workspace, place });
      showToast({ kind: 'info', text: t.saved(draft.name) });
      go({ page: 'agents' });
    } catch (error) {
      setSaving(false);
      const given = isProblemError(error) ? error.problem : undefined;
      const isConflict = given?.code === 'workspace.conflict';
      // The only conflict of a new agent is its name.
      const isTaken = given?.status === 409 && given.code === 'usage' && agent === undefined;
      const errors = isTaken ? [{ path: 'name', message: given.title }] : given?.errors;
      setProblem({ errors: errors ?? [], reason: toReason(error), isConflict });
    }
  };
  return (
    <div className="rows agents-body">
      <AgentForm
        draft={draft}
        agent={agent}
        workspace={workspace}
        place={place}
        problem={problem}
        isSaving={isSaving}
        onChange={setDraft}
        onPlace={setPlace}
        onSave={() => void save()}
        onReload={onReload}
        onRemove={() => setRemoving(true)}
      />
      {agent && isRemoving ? (
        <RemoveDialog agent={agent} workspace={workspace} onClose={() => setRemoving(false)} />
      ) : null}
    </div>
  );
}

interface SaveOptions extends Pick<OpenedProps, 'agent' | 'workspace'> {
  place: 'user' | 'project';
}

async function saveAgent(draft: AgentDraft, { agent, workspace, place }: SaveOptions): Promise<void> {
  const body = toDefinition(draft, agent?.definition);
  const where = { workspace };
  if (!agent) await client.createAgent({ query: { ...where, place }, body });
  else await client.changeAgent({ params: { name: agent.name }, query: { ...where, hash: agent.hash }, body });
}

interface RemoveProps extends Pick<EditorProps, 'workspace'> {
  agent: AgentDetail;
  onClose: () => void;
}

function RemoveDialog({ agent: { name, hash, file }, workspace, onClose }: RemoveProps) {
  const t = useAgentsText();
  const words = useText();
  const remove = async () => {
    const query = { hash, workspace };
    const done = await attempt(() => client.deleteAgent({ params: { name }, query }));
    if (!done) return onClose();
    showToast({ kind: 'info', text: t.removed(name) });
    go({ page: 'agents' });
  };
  return (
    <Dialog title={t.removeTitle(name)} onClose={onClose}>
      <div className="dialog-body column">
        <p className="wrap">{t.removeText(file ?? '')}</p>
        <div className="dialog-foot line">
          <Button data-first onClick={onClose}>
            {words.app.cancel}
          </Button>
          <Button variant="danger" onClick={() => void remove()}>
            {t.remove}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

import type { AgentDetail } from '@klaus/server/contract';
import { useEffect, useRef } from 'react';
import { go } from '../state/route.ts';
import { useAgentsText } from '../text/agents-text.ts';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { DRAFT_FIELDS, type AgentDraft, type Definition } from './agent-draft.ts';
import { CapabilityBoxes, Field, ModelSelect } from './agent-fields.tsx';
import { AuthoritySummary } from './authority-summary.tsx';

/** Why a draft was not saved. */
export interface FormProblem {
  /** Invalid fields. */
  errors: readonly { path: string; message: string }[];
  /** Default: only the fields. */
  reason?: string;
  /** True if the file was changed in the meantime. */
  isConflict?: boolean;
}

interface FormProps {
  draft: AgentDraft;
  /** Default: a new agent. */
  agent: AgentDetail | undefined;
  workspace: string | undefined;
  place: 'user' | 'project';
  problem: FormProblem | undefined;
  isSaving: boolean;
  onChange: (draft: AgentDraft) => void;
  onPlace: (place: 'user' | 'project') => void;
  onSave: () => void;
  onReload: () => void;
  onRemove: () => void;
}

export function AgentForm(props: FormProps) {
  const { draft, agent, workspace, place, problem, isSaving, onChange, onPlace, onSave, onReload, onRemove } = props;
  const t = useAgentsText();
  const words = useText();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [problem]);
  const errorOf = (field: string) => problem?.errors.find(({ path }) => path.split('.')[0] === field)?.message;
  // The reason of the server names the first field too.
  const others = problem?.errors.some(({ path }) => DRAFT_FIELDS.includes(path.split('.')[0]!))
    ? undefined
    : problem?.reason;
  const set = (part: Partial<AgentDraft>) => onChange({ ...draft, ...part });
  const submit = (event: { preventDefault(): void }) => {
    event.preventDefault();
    onSave();
  };
  return (
    <form ref={form} className="agent-form column" noValidate onSubmit={submit}>
      {others === undefined ? null : (
        <div role="alert" className="column bad">
          <p className="wrap">{others}</p>
          {problem?.isConflict ? <Button onClick={onReload}>{t.reload}</Button> : null}
        </div>
      )}
      <div className="agent-parts">
        <div className="agent-part column">
          {agent ? null : <NewFields {...{ draft, place, onChange, onPlace }} error={errorOf('name')} />}
          <Field
            id="description"
            label={t.fields.description}
            hint={t.fields.descriptionHint}
            error={errorOf('description')}
          >
            {(names) => (
              <textarea
                {...names}
                className="field"
                required
                rows={2}
                maxLength={2_000}
                dir="auto"
                value={draft.description}
                onChange={({ target }) => set({ description: target.value })}
              />
            )}
          </Field>
          <Field id="model" label={t.fields.model} error={errorOf('model')}>
            {(names) => <ModelSelect {...names} model={draft.model} onModel={(model) => set({ model })} />}
          </Field>
          <Field
            id="systemPrompt"
            label={t.fields.systemPrompt}
            hint={t.fields.systemPromptHint}
            error={errorOf('systemPrompt')}
          >
            {(names) => (
              <textarea
                {...names}
                className="field agent-prompt"
                rows={10}
                dir="auto"
                value={draft.systemPrompt}
                onChange={({ target }) => set({ systemPrompt: target.value })}
              />
            )}
          </Field>
        </div>
        <div className="agent-part column">
          <CapabilityBoxes
            capabilities={draft.capabilities}
            error={errorOf('capabilities')}
            onChange={(capabilities) => set({ capabilities })}
          />
          <AuthoritySummary capabilities={draft.capabilities} definition={agent?.definition} workspace={workspace} />
          {agent ? <KeptFields definition={agent.definition} /> : null}
        </div>
      </div>
      <div className="dialog-foot line">
        {agent ? (
          <Button needs="admin" variant="danger" onClick={onRemove}>
            {t.remove}
          </Button>
        ) : null}
        <span className="grow" />
        <Button onClick={() => go({ page: 'agents' })}>{words.app.cancel}</Button>
        <Button needs="admin" type="submit" variant="primary" disabled={isSaving}>
          {t.save}
        </Button>
      </div>
    </form>
  );
}

interface NewProps extends Pick<FormProps, 'draft' | 'place' | 'onChange' | 'onPlace'> {
  error: string | undefined;
}

/** The fields that cannot be changed later. */
function NewFields({ draft, place, error, onChange, onPlace }: NewProps) {
  const t = useAgentsText();
  return (
    <>
      <Field id="name" label={t.fields.name} hint={t.fields.nameHint} error={error}>
        {(names) => (
          <input
            {...names}
            className="field"
            required
            maxLength={64}
            autoComplete="off"
            spellCheck={false}
            value={draft.name}
            onChange={({ target }) => onChange({ ...draft, name: target.value })}
          />
        )}
      </Field>
      <Field id="place" label={t.fields.place}>
        {(names) => (
          <select
            {...names}
            className="field"
            value={place}
            onChange={({ target }) => onPlace(target.value as 'user' | 'project')}
          >
            <option value="user">{t.fields.places.user}</option>
            <option value="project">{t.fields.places.project}</option>
          </select>
        )}
      </Field>
    </>
  );
}

/** Names the fields of the file that the form does not show. */
function KeptFields({ definition }: { definition: Definition }) {
  const t = useAgentsText();
  const fields = Object.keys(definition).filter((field) => !DRAFT_FIELDS.includes(field));
  return fields.length > 0 ? <p className="muted small wrap">{t.kept(fields.join(', '))}</p> : null;
}

import { headOf } from '@klaus/core/cut-text';
import type { SavedPromptView } from '@klaus/server/contract';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { attempt } from '../actions/attempt.ts';
import { signal } from '../actions/signal.ts';
import { changeDraft, drafts } from '../composer/drafts.ts';
import type { Scope } from '../composer/mcp-prompts.ts';
import { hasAccess } from '../state/access.ts';
import { client } from '../state/client.ts';
import { closeOverlay } from '../state/overlay.ts';
import { useText } from '../text/text.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Empty, Pending } from '../ui/empty.tsx';
import { useQuery } from '../ui/use-query.ts';
import { PromptForm } from './prompt-form.tsx';
import './prompts.css';

/** The saved prompts: inserts one into the message, and saves, changes and deletes those of the user. */
export function PromptsDialog({ draft, scope }: { draft: string; scope: Scope }) {
  const t = useText().lists.prompts;
  const query = useQuery(`prompts ${JSON.stringify(scope)}`, (signal_) =>
    client.prompts({ query: scope }, { signal: signal_ }),
  );
  const [edited, setEdited] = useState<Pick<SavedPromptView, 'name' | 'description' | 'text'> | undefined>();
  const isAllowed = hasAccess('admin');
  const isUsed = useRef(false);
  useEffect(
    () => () => {
      // The dialog has returned the focus.
      if (isUsed.current) signal('fill-placeholder');
    },
    [],
  );
  const use = ({ text }: SavedPromptView) => {
    changeDraft(draft, { text });
    isUsed.current = true;
    closeOverlay();
  };
  const remove = async ({ name }: SavedPromptView) => {
    if (await attempt(() => client.deletePrompt({ params: { name } }))) query.refetch();
  };
  const create = () => setEdited({ name: '', description: null, text: drafts.get().get(draft)?.text.trim() ?? '' });
  const prompts = query.value?.prompts;
  return (
    <Dialog title={t.title} onClose={closeOverlay} className="prompts-dialog">
      {edited ? (
        <PromptForm
          first={edited}
          onDone={() => {
            setEdited(undefined);
            query.refetch();
          }}
          onCancel={() => setEdited(undefined)}
        />
      ) : (
        <div className="dialog-body column">
          {prompts ? null : <Pending query={query} title={t.failed} rows={3} />}
          {prompts?.length === 0 ? <Empty title={t.none} hint={t.noneHint} /> : null}
          <ul className="prompts-list column" aria-label={t.title}>
            {prompts?.map((prompt) => (
              <li key={prompt.name} className="line">
                <button type="button" className="prompt bare column grow" onClick={() => use(prompt)}>
                  <span className="mono">
                    /{prompt.name} <span className="muted">{prompt.argumentHint}</span>
                  </span>
                  <span className="ellipsis small muted" dir="auto">
                    {prompt.description ?? headOf(prompt.text, 200)}
                  </span>
                </button>
                {prompt.isOwn && isAllowed ? (
                  <>
                    <IconButton label={t.edit(prompt.name)} icon={Pencil} onClick={() => setEdited(prompt)} />
                    <IconButton label={t.remove(prompt.name)} icon={Trash2} onClick={() => void remove(prompt)} />
                  </>
                ) : null}
              </li>
            ))}
          </ul>
          <div className="dialog-foot line">
            <Button icon={Plus} needs="admin" onClick={create}>
              {t.create}
            </Button>
          </div>
        </div>
      )}
    </Dialog>
  );
}

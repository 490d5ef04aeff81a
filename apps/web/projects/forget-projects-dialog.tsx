import type { ProjectView } from '@klaus/server/contract';
import { X } from 'lucide-react';
import { attempt } from '../actions/attempt.ts';
import { client } from '../state/client.ts';
import { changeFilters, filters } from '../state/filters.ts';
import { closeOverlay } from '../state/overlay.ts';
import { showToast } from '../state/toasts.ts';
import { useListsText } from '../text/lists/lists-text.ts';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Empty, Pending } from '../ui/empty.tsx';
import { useQuery } from '../ui/use-query.ts';
import { toProjectName } from './project-path.ts';
import './projects.css';

/** Removes added folders without sessions from the list of projects. Their files stay. */
export function ForgetProjectsDialog() {
  const t = useListsText().projects;
  const words = useText();
  const query = useQuery('projects', (signal) => client.projects({ signal }));
  const projects = query.value?.projects.filter(({ isRemovable }) => isRemovable);
  const forget = async ({ path }: ProjectView) => {
    const forgotten = await attempt(() => client.forgetProject({ query: { path } }));
    if (!forgotten) return;
    const allow = forgotten.wasAllowed ? { allow: true } : {};
    if (filters.get().project === path) changeFilters({ project: undefined });
    showToast({
      kind: 'info',
      text: t.forgotten(toProjectName(path)),
      lastsMs: 8_000,
      action: {
        label: t.undo,
        run: () => void attempt(() => client.addProject({ body: { path, ...allow } })).then(() => query.refetch()),
      },
    });
    query.refetch();
  };
  return (
    <Dialog title={t.forgetTitle} onClose={closeOverlay} className="new-project">
      <div className="dialog-body column">
        <p className="muted">{t.forgetHint}</p>
        {projects ? null : <Pending query={query} title={t.failed} rows={3} />}
        {projects?.length === 0 ? <Empty title={t.noneRemovable} /> : null}
        <ul className="column" role="list" aria-label={t.title}>
          {projects?.map((project) => (
            <li key={project.path} className="line">
              <span className="column grow">
                <span>{toProjectName(project.path)}</span>
                <small className="muted project-path" dir="auto">
                  {project.path}
                  {project.exists ? null : <span className="bad"> · {t.missing}</span>}
                </small>
              </span>
              <Button
                needs="operator"
                icon={X}
                aria-label={t.forget(toProjectName(project.path))}
                onClick={() => void forget(project)}
              >
                {t.remove}
              </Button>
            </li>
          ))}
        </ul>
        <div className="dialog-foot line">
          <Button data-first onClick={closeOverlay}>
            {words.app.close}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

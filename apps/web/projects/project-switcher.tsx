import { ChevronsUpDown, FolderGit2 } from 'lucide-react';
import { toProjectName } from './project-path.ts';
import { useMemo } from 'react';
import { filters, projectOf } from '../state/filters.ts';
import { host } from '../state/host.ts';
import { isOwn } from '../state/session-tree.ts';
import { useStore } from '../state/store.ts';
import { useText } from '../text/text.ts';
import { Loading } from '../ui/empty.tsx';
import { lazyComponent } from '../ui/lazy-component.tsx';
import { Popup } from '../ui/popup.tsx';

const ProjectChoice = lazyComponent(
  async () => (await import('./project-choice.tsx')).ProjectChoice,
  <Loading rows={3} />,
);

/** The project of the list, with what its sessions do; opens the list of projects. */
export function ProjectSwitcher() {
  const t = useText();
  const { project } = useStore(filters);
  const { sessions } = useStore(host);
  const { running, needsYou } = useMemo(() => {
    const own = [...sessions.values()].filter(
      (session) => isOwn(session, sessions) && (project === undefined || projectOf(session) === project),
    );
    const count = (...states: string[]) => own.filter(({ state }) => states.includes(state)).length;
    return { running: count('running', 'queued'), needsYou: count('needs-you') };
  }, [sessions, project]);
  const name = project === undefined ? t.lists.allProjects : toProjectName(project);
  const label = [
    t.lists.project(name),
    ...(needsYou > 0 ? [t.lists.needsYou(needsYou)] : []),
    ...(running > 0 ? [t.lists.running(running)] : []),
  ].join(', ');
  return (
    <div className="project-switcher">
      <Popup
        role="dialog"
        label={label}
        popupClassName="menu-below menu-start picker-list project-list"
        button={
          <>
            <FolderGit2 size={16} />
            <span className="ellipsis grow project-name">{name}</span>
            {needsYou > 0 ? <span className="project-count count-mark warn number" data-count={needsYou} /> : null}
            {running > 0 ? <span className="project-count count-mark good number" data-count={running} /> : null}
            <ChevronsUpDown size={14} />
          </>
        }
      >
        {(close) => <ProjectChoice onClose={close} />}
      </Popup>
    </div>
  );
}

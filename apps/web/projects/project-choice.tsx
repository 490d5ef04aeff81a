import type { ProjectView } from '@klaus/server/contract';
import { Check, Folders, Plus, X } from 'lucide-react';
import { useCallback } from 'react';
import { hasAccess } from '../state/access.ts';
import { client } from '../state/client.ts';
import { changeFilters, filters } from '../state/filters.ts';
import { overlay } from '../state/overlay.ts';
import { go } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { matchWords } from '../shell/match-words.ts';
import { formatAgo, formatUsd } from '../text/format.ts';
import { useListsText } from '../text/lists/lists-text.ts';
import { useText } from '../text/text.ts';
import { Pending } from '../ui/empty.tsx';
import { FilterList, type FilterItem } from '../ui/filter-list.tsx';
import { useQuery } from '../ui/use-query.ts';
import { toProjectName } from './project-path.ts';

interface Item extends FilterItem {
  label: string;
  project?: ProjectView;
  kind: 'all' | 'project' | 'new' | 'forget';
}

/** The list of projects. Choosing one filters the sessions, and is the folder of a new session. */
export function ProjectChoice({ onClose }: { onClose: () => void }) {
  const t = useListsText();
  const chosen = useStore(filters).project;
  const query = useQuery('projects', (signal) => client.projects({ signal }));
  const projects = query.value?.projects;
  const find = useCallback(
    (text: string): Item[] => {
      const all: Item = {
        key: 'all',
        kind: 'all',
        label: t.projects.all,
        run: () => changeFilters({ project: undefined }),
      };
      const created: Item = {
        key: 'new',
        kind: 'new',
        label: t.projects.create,
        run: () => overlay.set({ kind: 'new-project' }),
      };
      const forgotten: Item = {
        key: 'forget',
        kind: 'forget',
        label: t.projects.forgetOpen,
        run: () => overlay.set({ kind: 'forget-projects' }),
      };
      const rows = (projects ?? []).map((project): Item => ({
        ...{ key: project.path, kind: 'project', label: toProjectName(project.path), project },
        isDisabled: !project.exists && project.sessions === 0,
        run() {
          changeFilters({ project: project.path });
          if (project.sessions === 0) go({ page: 'home' });
        },
      }));
      const found = rows.filter((row) => matchWords(`${row.label} ${row.key}`, text.trim()));
      const canForget = projects?.some(({ isRemovable }) => isRemovable) ?? false;
      const ends = hasAccess('operator') ? [created, ...(canForget ? [forgotten] : [])] : [];
      return text.trim() === '' ? [all, ...found, ...ends] : [...found, ...ends];
    },
    [projects, t],
  );
  if (!projects) return <Pending query={query} title={t.projects.failed} rows={3} />;
  return (
    <FilterList
      label={t.projects.title}
      placeholder={t.projects.find}
      noMatches={t.projects.none}
      variant="picker"
      find={find}
      start={1 + projects.findIndex(({ path }) => path === chosen)}
      onClose={onClose}
    >
      {({ kind, label, project }) => (
        <>
          <span className="menu-icon">
            {kind === 'new' ? <Plus size={14} /> : null}
            {kind === 'forget' ? <X size={14} /> : null}
            {kind === 'all' ? <Folders size={14} /> : null}
            {kind === 'project' && project!.path === chosen ? <Check size={14} aria-hidden /> : null}
          </span>
          <span className="menu-words column grow">
            <span>{label}</span>
            {project ? <Facts project={project} /> : null}
          </span>
          {project ? <span className="menu-hint small muted number">{formatUsd(project.usd)}</span> : null}
        </>
      )}
    </FilterList>
  );
}

function Facts({ project }: { project: ProjectView }) {
  const t = useListsText().projects;
  const { layout } = useText();
  const { path, exists, sessions, running, needsYou, updatedAt } = project;
  return (
    <small className="muted project-facts">
      <span className="project-path" dir="auto">
        {path}
      </span>
      <span>
        {[
          t.sessions(sessions),
          updatedAt === null ? undefined : formatAgo(Date.parse(updatedAt), Date.now()),
          project.isDefault ? layout.defaultFolder : undefined,
        ]
          .filter(Boolean)
          .join(' · ')}
        {running > 0 ? <span className="good"> · {t.running(running)}</span> : null}
        {needsYou > 0 ? <span className="warn"> · {t.needsYou(needsYou)}</span> : null}
        {exists ? null : <span className="bad"> · {t.missing}</span>}
      </span>
    </small>
  );
}

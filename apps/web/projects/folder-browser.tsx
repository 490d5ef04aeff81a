import type { FolderView } from '@klaus/server/contract';
import { CornerLeftUp, Folder, FolderGit2 } from 'lucide-react';
import { useListsText } from '../text/lists/lists-text.ts';
import { Button } from '../ui/button.tsx';
import { Loading } from '../ui/empty.tsx';
import { CodeText } from '../ui/code-text.tsx';
import { toReason } from '../ui/empty.tsx';
import type { Query } from '../ui/use-query.ts';

interface FolderBrowserProps {
  query: Query<FolderView>;
  /** Called with the absolute path of the folder that the user opens. */
  onOpen: (path: string) => void;
}

/** The folders in a folder of the server. A click opens one. */
export function FolderBrowser({ query: { value: view, error }, onOpen }: FolderBrowserProps) {
  const t = useListsText().projects;
  if (error !== undefined) {
    return (
      <p className="small muted" role="status">
        <CodeText text={toReason(error)} />
      </p>
    );
  }
  if (!view) return <Loading rows={3} />;
  const { path, parent, folders } = view;
  return (
    <div className="folder-browser column" role="group" aria-label={t.browse(path)}>
      {parent === null ? null : (
        <Button variant="quiet" icon={CornerLeftUp} onClick={() => onOpen(parent)}>
          {t.up}
        </Button>
      )}
      <ul className="column" role="list">
        {folders.map(({ name, isRepository }) => (
          <li key={name}>
            <Button
              variant="quiet"
              icon={isRepository ? FolderGit2 : Folder}
              title={isRepository ? t.repository : undefined}
              onClick={() => onOpen(`${path === '/' ? '' : path}/${name}`)}
            >
              <span className="ellipsis" dir="auto">
                {name}
              </span>
              {isRepository ? <span className="chip">Git</span> : null}
            </Button>
          </li>
        ))}
      </ul>
      {folders.length === 0 ? <p className="small muted">{t.noFolders}</p> : null}
    </div>
  );
}

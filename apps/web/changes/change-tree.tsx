import { Check, Folder } from 'lucide-react';
import { useMemo } from 'react';
import { useChangesText } from '../text/changes/changes-text.ts';
import { useText } from '../text/text.ts';
import { toTree, type ChangedFile, type ChangedFolder } from './changed-file.ts';
import { ChangeMark, LineCounts } from './change-mark.tsx';

interface ChangeTreeProps {
  files: readonly ChangedFile[];
  /** Paths. */
  viewed: ReadonlySet<string>;
  current: string | undefined;
  onShow: (path: string) => void;
}

/** The changed files by folder, with their state and their numbers of lines. */
export function ChangeTree(props: ChangeTreeProps) {
  const t = useChangesText();
  const tree = useMemo(() => toTree(props.files), [props.files]);
  return (
    <nav className="changes-tree" aria-label={t.tree}>
      <FolderRows {...props} folder={tree} />
    </nav>
  );
}

function FolderRows({ folder, ...props }: ChangeTreeProps & { folder: ChangedFolder }) {
  const t = useText();
  const { viewed, current, onShow } = props;
  return (
    <ul>
      {folder.folders.map((inner) => (
        <li key={inner.path}>
          <p className="file-row line muted">
            <Folder size={14} aria-hidden />
            <span className="ellipsis">{inner.name}</span>
          </p>
          <FolderRows {...props} folder={inner} />
        </li>
      ))}
      {folder.files.map((file) => (
        <li key={file.path}>
          <button
            type="button"
            className="file-row bare line"
            aria-current={file.path === current}
            title={file.path}
            onClick={() => onShow(file.path)}
          >
            <ChangeMark kind={file.kind} />
            <span className={`ellipsis grow ${file.kind === 'deleted' ? 'file-gone' : ''}`}>
              {file.path.slice(folder.path.length)}
            </span>
            <LineCounts file={file} />
            {viewed.has(file.path) ? <Viewed /> : null}
            <span className="unseen">{t.files.changed[file.kind]}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function Viewed() {
  const t = useChangesText();
  return <Check size={14} className="good" role="img" aria-label={t.viewed} />;
}

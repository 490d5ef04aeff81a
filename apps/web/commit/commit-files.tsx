import { ChangeMark, LineCounts } from '../changes/change-mark.tsx';
import type { ChangedFile } from '../changes/changed-file.ts';
import { useChangesText } from '../text/changes/changes-text.ts';
import { useText } from '../text/text.ts';
import '../changes/changes.css';

interface CommitFilesProps {
  files: readonly ChangedFile[];
  /** Paths. */
  chosen: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
}

/** The files of a commit. */
export function CommitFiles({ files, chosen, onChange }: CommitFilesProps) {
  const t = useChangesText();
  const words = useText();
  const toggle = (path: string, isChosen: boolean) =>
    onChange(new Set(isChosen ? [...chosen, path] : [...chosen].filter((it) => it !== path)));
  return (
    <fieldset className="commit-files">
      <legend className="muted">{t.commit.files(chosen.size, files.length)}</legend>
      <label className="check line">
        <input
          type="checkbox"
          checked={chosen.size === files.length}
          onChange={(event) => onChange(new Set(event.target.checked ? files.map(({ path }) => path) : []))}
        />
        {t.commit.allFiles}
      </label>
      <ul>
        {files.map((file) => (
          <li key={file.path} className="line">
            <label className="check line grow">
              <input
                type="checkbox"
                checked={chosen.has(file.path)}
                onChange={(event) => toggle(file.path, event.target.checked)}
              />
              <ChangeMark kind={file.kind} />
              <span className="mono ellipsis" title={file.path}>
                {file.path}
              </span>
              <span className="unseen">{words.files.changed[file.kind]}</span>
            </label>
            <LineCounts file={file} />
          </li>
        ))}
      </ul>
    </fieldset>
  );
}

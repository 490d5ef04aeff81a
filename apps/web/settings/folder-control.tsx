import { Plus, Trash2 } from 'lucide-react';
import { useState, type KeyboardEvent } from 'react';
import { useSettingsText } from '../text/settings/settings-text.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { parseFolder, type SharedFolder, toFolderEntries } from './folder-list.ts';
import type { SettingData } from './use-settings.ts';

interface FolderControlProps {
  id: string;
  entries: readonly string[];
  describedBy: string;
  onChange: (value: SettingData) => void;
}

/** The folders that commands see, each with its right. Each change is saved at once. */
export function FolderControl({ id, entries, describedBy, onChange }: FolderControlProps) {
  const t = useSettingsText();
  const [path, setPath] = useState('');
  const [right, setRight] = useState<SharedFolder['right']>('ro');
  const folders = entries.map(parseFolder);
  const save = (next: readonly SharedFolder[]) => {
    const written = toFolderEntries(next);
    onChange(written.length === 0 ? null : written);
  };
  const add = () => {
    if (path.trim() === '') return;
    save([...folders, { path, right }]);
    setPath('');
    setRight('ro');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    add();
  };
  return (
    <div className="folders column">
      <ul className="column" aria-label={t.folders.list}>
        {folders.map((folder, at) => (
          <li key={`${at} ${folder.path}`} className="folder line">
            <span className="grow mono wrap">{folder.path}</span>
            <RightSelect
              label={t.folders.rightOf(folder.path)}
              right={folder.right}
              onChange={(next) => save(folders.map((each, index) => (index === at ? { ...each, right: next } : each)))}
            />
            <IconButton
              label={t.folders.remove(folder.path)}
              icon={Trash2}
              onClick={() => save(folders.filter((_, index) => index !== at))}
            />
          </li>
        ))}
      </ul>
      <div className="folder-new line">
        <input
          id={id}
          className="field mono"
          placeholder="/"
          aria-describedby={describedBy}
          autoComplete="off"
          spellCheck={false}
          value={path}
          onChange={({ target }) => setPath(target.value)}
          onKeyDown={onKeyDown}
        />
        <RightSelect label={t.folders.newRight} right={right} onChange={setRight} />
        <Button icon={Plus} onClick={add} disabled={path.trim() === ''}>
          {t.folders.add}
        </Button>
      </div>
    </div>
  );
}

interface RightProps {
  label: string;
  right: SharedFolder['right'];
  onChange: (right: SharedFolder['right']) => void;
}

function RightSelect({ label, right, onChange }: RightProps) {
  const t = useSettingsText();
  return (
    <select
      className="field folder-right"
      aria-label={label}
      value={right}
      onChange={({ target }) => onChange(target.value as SharedFolder['right'])}
    >
      <option value="ro">{t.folders.ro}</option>
      <option value="rw">{t.folders.rw}</option>
    </select>
  );
}

import { CircleX, FileDiff, GitCommitHorizontal, Link2, Paperclip } from 'lucide-react';
import { useRef } from 'react';
import { useSignal } from '../actions/use-signal.ts';
import { useText } from '../text/text.ts';
import { Menu } from '../ui/menu.tsx';
import { ATTACH_SOURCES, type AttachSource } from './attach-source.ts';

const ICONS = { diff: FileDiff, commit: GitCommitHorizontal, failure: CircleX, issue: Link2 } as const;

interface AttachMenuProps {
  onFiles: (files: File[]) => void;
  onSource: (source: AttachSource) => void;
}

/** The menu of everything that can be attached to a message. */
export function AttachMenu({ onFiles, onSource }: AttachMenuProps) {
  const t = useText().lists.attach;
  const files = useRef<HTMLInputElement>(null);
  const choose = () => files.current?.click();
  useSignal('attach', choose);
  useSignal('attach-diff', () => onSource('diff'));
  useSignal('attach-commit', () => onSource('commit'));
  useSignal('attach-failure', () => onSource('failure'));
  useSignal('attach-issue', () => onSource('issue'));
  return (
    <>
      <Menu
        label={t.title}
        className="attach-menu"
        side="above"
        align="start"
        items={[
          { key: 'files', label: t.files, icon: Paperclip, run: choose },
          ...ATTACH_SOURCES.map((it) => ({ key: it, label: t[it], icon: ICONS[it], run: () => onSource(it) })),
        ]}
      >
        <Paperclip size={16} />
      </Menu>
      <input
        ref={files}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
    </>
  );
}

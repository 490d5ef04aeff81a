import type { Role, SessionView } from '@klaus/server/contract';
import {
  Archive,
  ArchiveRestore,
  Columns2,
  Copy,
  Ellipsis,
  Eye,
  FileDown,
  GitFork,
  ListChecks,
  PencilLine,
  Pin,
  PinOff,
  Share2,
  Trash2,
} from 'lucide-react';
import { startSelection } from '../state/selection.ts';
import {
  archiveSession,
  deleteSession,
  exportSession,
  copySession,
  type ExportFormat,
  forkSession,
  markSeen,
  pinSession,
} from '../actions/session-actions.ts';
import { host, nameOf } from '../state/host.ts';
import { overlay } from '../state/overlay.ts';
import { useStore } from '../state/store.ts';
import { useText } from '../text/text.ts';
import { Menu } from '../ui/menu.tsx';

export function SessionMenu({ session }: { session: SessionView }) {
  const t = useText();
  const { id, pinned } = session;
  const needs: Role = 'operator';
  const unseen = useStore(host).attention.items.find((item) => item.session === id && item.seq !== null);
  const pin = () => void pinSession(session);
  const compare = () => overlay.set({ kind: 'compare', session: id });
  const rename = () => overlay.set({ kind: 'rename', session: id });
  const exportAs = (format: ExportFormat) => void exportSession(session, format);
  return (
    <Menu
      label={t.sessions.menu(nameOf(session) ?? t.sessions.untitled)}
      className="session-menu"
      items={[
        {
          key: 'pin',
          needs,
          label: pinned ? t.sessions.unpin : t.sessions.pin,
          icon: pinned ? PinOff : Pin,
          run: pin,
        },
        ...(unseen
          ? [{ key: 'seen', needs, label: t.attention.seen, icon: Eye, run: () => void markSeen(unseen) }]
          : []),
        {
          key: 'archive',
          needs,
          label: session.archived ? t.lists.unarchive : t.lists.archive,
          icon: session.archived ? ArchiveRestore : Archive,
          run: () => void archiveSession(session),
        },
        { key: 'rename', needs, label: t.sessions.rename, icon: PencilLine, run: rename },
        { key: 'fork', needs, label: t.slash.fork, icon: GitFork, run: () => void forkSession(id) },
        { key: 'select', needs, label: t.lists.select, icon: ListChecks, run: () => startSelection(id) },
        { key: 'compare', label: t.sessions.compare, icon: Columns2, run: compare },
        { key: 'share', label: t.sessions.share, icon: Share2, run: () => exportAs('html') },
        { key: 'copy', label: t.sessions.copyMarkdown, icon: Copy, run: () => void copySession(session) },
        { key: 'md', label: t.sessions.exportMarkdown, icon: FileDown, run: () => exportAs('md') },
        { key: 'json', label: t.sessions.exportJson, icon: FileDown, run: () => exportAs('json') },
        {
          key: 'delete',
          needs,
          label: t.sessions.remove,
          icon: Trash2,
          isDanger: true,
          run: () => void deleteSession(session),
        },
      ]}
    >
      <Ellipsis size={16} />
    </Menu>
  );
}

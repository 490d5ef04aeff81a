import { Archive, ArchiveRestore, Eye, ListChecks, Pin, PinOff, Trash2, X } from 'lucide-react';
import { useEffect } from 'react';
import { archiveAll, deleteAll, markAllSeen, pinAll } from '../actions/bulk-actions.ts';
import { host } from '../state/host.ts';
import { endSelection, selectAll, selection } from '../state/selection.ts';
import { useStore } from '../state/store.ts';
import { useListsText } from '../text/lists/lists-text.ts';
import { IconButton } from '../ui/button.tsx';

/** Actions for the selected sessions. Escape ends the selection. */
export function BulkBar() {
  const { bulk: t } = useListsText();
  const { ids } = useStore(selection);
  const { sessions, attention } = useStore(host);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented && !document.querySelector('dialog[open], :popover-open'))
        endSelection();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
  const all = [...ids];
  const isNone = all.length === 0;
  const views = all.flatMap((id) => sessions.get(id) ?? []);
  const arePinned = views.length > 0 && views.every(({ pinned }) => pinned);
  // Archived sessions are not in the list of the page, but in that of the filter.
  const areArchived = !isNone && all.every((id) => sessions.get(id)?.archived ?? true);
  const unseen = attention.items.filter((item) => item.seq !== null && ids.has(item.session));
  return (
    <div className="bulk line" role="toolbar" aria-label={t.label}>
      <IconButton label={t.end} icon={X} iconSize={16} onClick={endSelection} />
      <span className="grow number" role="status">
        {t.selected(all.length)}
      </span>
      <IconButton label={t.all} icon={ListChecks} iconSize={16} onClick={selectAll} />
      <IconButton
        label={t.seen}
        icon={Eye}
        iconSize={16}
        disabled={unseen.length === 0}
        onClick={() => void markAllSeen(unseen)}
      />
      <IconButton
        label={arePinned ? t.unpin : t.pin}
        icon={arePinned ? PinOff : Pin}
        iconSize={16}
        disabled={isNone}
        onClick={() => void pinAll(all, !arePinned)}
      />
      <IconButton
        label={areArchived ? t.unarchive : t.archive}
        icon={areArchived ? ArchiveRestore : Archive}
        iconSize={16}
        disabled={isNone}
        onClick={() => void archiveAll(all, !areArchived)}
      />
      <IconButton label={t.remove} icon={Trash2} iconSize={16} disabled={isNone} onClick={() => void deleteAll(all)} />
    </div>
  );
}

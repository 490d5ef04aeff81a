import { ChevronRight, Undo2 } from 'lucide-react';
import { useCallback, type Ref } from 'react';
import type { ShownRow } from '../comments/comment-rows.ts';
import { CommentView } from '../comments/comment-view.tsx';
import { DiffRowView } from '../diff/diff-row.tsx';
import { overlay } from '../state/overlay.ts';
import { useChangesText } from '../text/changes/changes-text.ts';
import { useText } from '../text/text.ts';
import { IconButton } from '../ui/button.tsx';
import { lazyComponent } from '../ui/lazy-component.tsx';
import { VirtualList, type RowList } from '../ui/virtual-list.tsx';
import type { ImageChange } from '../viewers/image-changes.ts';
import { ChangeMark, LineCounts } from './change-mark.tsx';
import type { ChangedFile } from './changed-file.ts';

const ImageDiff = lazyComponent(async () => (await import('../viewers/image-diff.tsx')).ImageDiff);

interface ChangedRowsProps {
  session: string;
  list: Ref<RowList>;
  rows: readonly ShownRow[];
  files: readonly ChangedFile[];
  /** Changed images, by path. */
  images: ReadonlyMap<string, ImageChange>;
  /** The turn whose changes are shown; undefined: all changes. */
  shownTurn: number | undefined;
  /** Changes when a file may have changed. */
  version: string;
  /** Paths. */
  viewed: ReadonlySet<string>;
  collapsed: ReadonlySet<string>;
  /** The turn before which a reverted file has its content. */
  turn: number;
  onUnfold: (hunk: string) => void;
  onToggle: (path: string) => void;
  onMark: (file: ChangedFile, isMarked: boolean) => void;
  /** The file of the focused row. */
  onCurrent: (path: string) => void;
}

/** The changes of all files. Only the rows near the viewport are rendered. */
export function ChangedRows(props: ChangedRowsProps) {
  const { session, list, rows, images, shownTurn, version, onUnfold, onCurrent } = props;
  const t = useText();
  const getItemKey = useCallback((at: number) => rows[at]!.key, [rows]);
  const pathOf = (at: number) => {
    const row = rows.slice(0, at + 1).findLast(({ kind }) => kind === 'file');
    return row?.kind === 'file' ? row.path : undefined;
  };
  return (
    <div
      className="column grow changes-rows"
      onFocus={({ target }) => {
        const index = target.closest('[data-index]')?.getAttribute('data-index');
        const path = index == null ? undefined : pathOf(Number(index));
        if (path !== undefined) onCurrent(path);
      }}
    >
      <VirtualList
        ref={list}
        label={t.changes.title}
        className="diff"
        count={rows.length}
        estimateSize={(at) => HEIGHTS[rows[at]!.kind]}
        getItemKey={getItemKey}
        overscan={20}
      >
        {(at) => {
          const row = rows[at]!;
          if (row.kind === 'comment') return <CommentView row={row} />;
          if (row.kind === 'file') return <FileHead {...props} path={row.path} />;
          const image = row.kind === 'hunk' ? images.get(row.hunk.path) : undefined;
          if (image) return <ImageDiff session={session} turn={shownTurn} version={version} {...image} />;
          return <DiffRowView row={row} onUnfold={onUnfold} />;
        }}
      </VirtualList>
    </div>
  );
}

/** Estimated heights in pixels. */
const HEIGHTS = { file: 40, hunk: 20, line: 20, pair: 20, comment: 96 } as const;

function FileHead(props: ChangedRowsProps & { path: string }) {
  const { session, path, files, viewed, collapsed, turn, onToggle, onMark } = props;
  const t = useChangesText();
  const file = files.find((it) => it.path === path);
  const isCollapsed = collapsed.has(path);
  return (
    <div className="rows-file change-head line ruled">
      <h2 className="ellipsis grow">
        <button
          type="button"
          className="bare line mono"
          aria-expanded={!isCollapsed}
          title={path}
          onClick={() => onToggle(path)}
        >
          <ChevronRight size={14} className="fold-mark muted" />
          {file ? <ChangeMark kind={file.kind} /> : null}
          <span className="ellipsis">{path}</span>
        </button>
      </h2>
      {file ? (
        <>
          <LineCounts file={file} />
          <label className="check line small">
            <input
              type="checkbox"
              checked={viewed.has(path)}
              onChange={(event) => onMark(file, event.target.checked)}
            />
            {t.viewed}
            <span className="unseen">{path}</span>
          </label>
          <IconButton
            needs="operator"
            label={t.revert(path)}
            icon={Undo2}
            onClick={() => overlay.set({ kind: 'undo', session, turn, path })}
          />
        </>
      ) : null}
    </div>
  );
}

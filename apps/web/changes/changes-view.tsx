import { parseDiff, type Conversation } from '@klaus/core/conversation';
import type { TreeChange } from '@klaus/core/protocol';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useSignal } from '../actions/use-signal.ts';
import { CommentContext } from '../comments/comment-context.ts';
import { withComments } from '../comments/comment-rows.ts';
import { CommentsBar } from '../comments/comments-bar.tsx';
import { commentsOf } from '../comments/comments.ts';
import { useLineCursor } from '../comments/use-line-cursor.ts';
import { useDiffRows } from '../diff/use-diff-rows.ts';
import { client } from '../state/client.ts';
import { useStore } from '../state/store.ts';
import { useText } from '../text/text.ts';
import { Empty, Pending } from '../ui/empty.tsx';
import { useQuery } from '../ui/use-query.ts';
import type { RowList } from '../ui/virtual-list.tsx';
import { toImageChanges } from '../viewers/image-changes.ts';
import { toChangedFiles, type ChangedFile } from './changed-file.ts';
import { ChangesHead } from './changes-head.tsx';
import { ChangeTree } from './change-tree.tsx';
import { ChangedRows } from './changed-rows.tsx';
import { isViewed, markViewed, viewed } from './viewed.ts';
import '../diff/diff.css';
import './changes.css';

interface ChangesViewProps {
  conversation: Conversation;
  seq: number;
  /** The file in the address. */
  path: string | undefined;
}

/** The files, and the hunks without those of folders that contain changed files. */
function toShown({ changes, diff }: { changes: readonly TreeChange[]; diff: string } = { changes: [], diff: '' }) {
  const all = parseDiff(diff);
  const files = toChangedFiles(changes, all);
  const isParent = (path: string) => files.some((file) => file.path.startsWith(`${path}/`));
  return { files, hunks: all.filter(({ path }) => !isParent(path)) };
}

/** What a session changed: a tree of its files, and their changes, of all turns or of one. */
export function ChangesView({ conversation, seq, path }: ChangesViewProps) {
  const t = useText();
  const { session, changing, redoable, undone } = conversation;
  const [turn, setTurn] = useState<number | undefined>();
  const [isTreeOpen, setTreeOpen] = useState(false);
  // Reload after changes, undos and runs, and not at every event.
  const version = `${changing.size} ${[...undone].join()} ${redoable} ${conversation.run ? '' : seq}`;
  const loaded = useQuery(`${session} ${turn} ${version}`, (signal) =>
    client.changes({ params: { id: session }, query: { turn } }, { signal }),
  );
  const { hunks, files } = useMemo(() => toShown(loaded.value), [loaded.value]);
  const images = useMemo(() => toImageChanges(loaded.value?.changes ?? []), [loaded.value]);
  const marks = useStore(viewed);
  const seen = useMemo(
    () => new Set(files.filter((file) => isViewed(marks, session, file)).map((file) => file.path)),
    [files, marks, session],
  );
  /** Viewed files are collapsed unless the user opens them; the others are open unless the user collapses them. */
  const [toggled, setToggled] = useState<ReadonlySet<string>>(() => new Set());
  const collapsed = useMemo(
    () => new Set(files.flatMap((file) => (seen.has(file.path) !== toggled.has(file.path) ? [file.path] : []))),
    [files, seen, toggled],
  );
  const toggle = useCallback(
    (at: string) =>
      setToggled((known) => new Set(known.has(at) ? [...known].filter((it) => it !== at) : [...known, at])),
    [],
  );
  const diff = useDiffRows(hunks, collapsed);
  const comments = commentsOf(session);
  const written = useStore(comments);
  const rows = useMemo(() => withComments(diff.rows, written), [diff.rows, written]);
  const list = useRef<RowList>(null);
  const frame = useRef<HTMLDivElement>(null);
  const cursor = useLineCursor({ frame, list, rows, comments });
  const toRow = (at: string) => rows.findIndex((row) => row.kind === 'file' && row.path === at);
  const show = (at: string) => {
    const row = toRow(at);
    if (row >= 0) list.current?.scrollToIndex(row, { align: 'start' });
    setTreeOpen(false);
  };
  const mark = (file: ChangedFile, isMarked: boolean) => {
    markViewed(session, file, isMarked);
    setToggled((known) => new Set([...known].filter((it) => it !== file.path)));
  };
  const [current, setCurrent] = useState<string | undefined>();
  const isLoaded = loaded.value !== undefined;
  useEffect(() => {
    if (path !== undefined && isLoaded) show(path);
  }, [path, isLoaded]);
  useSignal('next-line', () => cursor.move(1));
  useSignal('previous-line', () => cursor.move(-1));
  useSignal('comment-line', cursor.comment);
  useSignal('mark-viewed', () => {
    const file = files.find((it) => it.path === (current ?? files[0]?.path));
    if (file) mark(file, !seen.has(file.path));
  });
  return (
    <section className="pane" aria-label={t.changes.title}>
      <ChangesHead
        conversation={conversation}
        turn={turn}
        files={files}
        viewed={seen.size}
        isTreeOpen={isTreeOpen}
        onTurn={(chosen) => {
          setTurn(chosen);
          setToggled(new Set());
        }}
        onTree={() => setTreeOpen(!isTreeOpen)}
      />
      <Pending query={loaded} title={t.changes.failed} rows={10} />
      {isLoaded && files.length === 0 && rows.length === 0 ? (
        <Empty title={t.changes.none} hint={t.changes.noneHint} />
      ) : null}
      <div ref={frame} className={`changes ${isTreeOpen ? 'changes-tree-open' : ''}`} hidden={rows.length === 0}>
        <ChangeTree files={files} viewed={seen} current={current} onShow={show} />
        <CommentContext value={comments}>
          <ChangedRows
            session={session}
            list={list}
            rows={rows}
            files={files}
            images={images}
            shownTurn={turn}
            version={version}
            viewed={seen}
            collapsed={collapsed}
            turn={turn ?? Math.min(...changing)}
            onUnfold={diff.unfold}
            onToggle={toggle}
            onMark={mark}
            onCurrent={setCurrent}
          />
        </CommentContext>
      </div>
      <CommentsBar session={session} comments={comments} />
    </section>
  );
}

import { useMemo, useState, type ReactNode } from 'react';
import {
  readDebugResult,
  toDebugPlace,
  type CallEntry,
  type DebugFrame,
  type DebugResult,
  type DebugValue,
} from '@klaus/core/conversation';
import { attempt } from '../actions/attempt.ts';
import { client } from '../state/client.ts';
import { useDebugText } from '../text/debug-text.ts';
import type { DebugText } from '../text/en-debug.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { useSavedState } from '../ui/use-saved-state.ts';
import { ReportView } from './report-view.tsx';
import { Tree } from './tree.tsx';
import type { TreeNode } from './tree-rows.ts';
import './debug.css';

interface DebugViewProps {
  call: CallEntry;
  session: string;
  /** Shown for a result that cannot be read. */
  children?: ReactNode;
}

/** The result of a tool of the debugger: frames and values as a tree, a report as a card. */
export function DebugView({ call, session, children }: DebugViewProps) {
  const t = useDebugText();
  const { id, name, input, result } = call;
  const [full, setFull] = useSavedState<string | undefined>(`full ${id}`, undefined);
  const [isLoading, setLoading] = useState(false);
  const output = full ?? result?.output;
  const isCut = result?.blob !== undefined && full === undefined;
  const found = useMemo(
    () => (output === undefined ? undefined : readDebugResult({ name, input, output })),
    [name, input, output],
  );
  const load = async () => {
    setLoading(true);
    const loaded = await attempt(() => client.callOutput({ params: { id: session, call: id } }));
    setLoading(false);
    if (loaded !== undefined) setFull(loaded);
  };
  if (found?.kind === 'report') return <ReportView report={found.report} />;
  if (found) return <FoundTree result={found} id={id} output={output ?? ''} />;
  if (!isCut || name === 'report') return children;
  return (
    <>
      <button type="button" className="fold bare line muted" disabled={isLoading} onClick={() => void load()}>
        {t.load}
      </button>
      {children}
    </>
  );
}

type TreeResult = Exclude<DebugResult, { kind: 'report' }>;

function FoundTree({ result, id, output }: { result: TreeResult; id: string; output: string }) {
  const t = useDebugText();
  const { label, nodes } = useMemo(() => toTree(result, t), [result, t]);
  return (
    <section>
      <div className="label line small muted">
        <span>{label}</span>
        <CopyButton text={output} label={t.copy} />
      </div>
      <Tree label={label} nodes={nodes} saved={id} />
    </section>
  );
}

function toTree(result: TreeResult, t: DebugText): { label: string; nodes: TreeNode[] } {
  if (result.kind === 'locals') {
    return { label: t.locals(result.frame, result.values.length), nodes: result.values.map(toValueNode) };
  }
  const { frames } = result;
  return { label: t.frames(frames.length), nodes: frames.map((frame, at) => toFrameNode(frame, at, t)) };
}

/** The place is below the frame, because paths are long. */
function toFrameNode(frame: DebugFrame, at: number, t: DebugText): TreeNode {
  const { filePath, line, column, functionName, isUser, isAsync } = frame;
  const place = toDebugPlace(filePath, line);
  const short = filePath.split(/[\\/]/).at(-1) ?? filePath;
  const exact = column === undefined ? place : `${place}:${column}`;
  return {
    name: `${at} ${functionName ?? t.anonymous}`,
    text: toDebugPlace(short, line),
    notes: [...(isAsync ? [t.async] : []), ...(isUser ? [] : [t.package])],
    isMuted: !isUser,
    children: [{ name: '', text: exact, notes: [] }],
  };
}

function toValueNode({ name, type, preview, size, children, omitted }: DebugValue): TreeNode {
  return {
    name,
    text: preview,
    notes: type === preview ? [] : [size === undefined ? type : `${type} (${size})`],
    children: children?.map(toValueNode),
    omitted,
  };
}

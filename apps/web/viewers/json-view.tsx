import { useDeferredValue, useMemo, useState } from 'react';
import { messageOf } from '@klaus/core/message-of';
import { Tree } from '../debug/tree.tsx';
import { ROOT, toRows, type OpenNodes } from '../debug/tree-rows.ts';
import { FileText } from '../files/file-text.tsx';
import { useRenderText } from '../text/render/render-text.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { MAX_MATCHES, searchNodes, toJsonNodes, type JsonNode } from './json-nodes.ts';
import { ViewerHead } from './viewer-head.tsx';
import '../debug/debug.css';
import './viewers.css';

interface JsonViewProps {
  session: string;
  path: string;
  text: string;
}

/** A JSON file as a tree with a search. A file that is not valid JSON is shown as text, with the reason. */
export function JsonView({ session, path, text }: JsonViewProps) {
  const t = useRenderText();
  const parsed = useMemo(() => parse(text), [text]);
  if ('error' in parsed) {
    return (
      <>
        <p className="offline" role="alert">
          {t.viewer.invalid(parsed.error)}
        </p>
        <FileText session={session} path={path} text={text} line={undefined} />
      </>
    );
  }
  return <Nodes path={path} nodes={parsed.nodes} />;
}

function parse(text: string): { nodes: JsonNode[] } | { error: string } {
  try {
    return { nodes: toJsonNodes(JSON.parse(text) as unknown) };
  } catch (error) {
    return { error: messageOf(error) };
  }
}

function Nodes({ path, nodes }: { path: string; nodes: readonly JsonNode[] }) {
  const t = useRenderText();
  const [words, setWords] = useState('');
  const wanted = useDeferredValue(words.trim());
  const [current, setCurrent] = useState('$');
  const found = useMemo(() => (wanted === '' ? undefined : searchNodes(nodes, wanted)), [nodes, wanted]);
  const shown = found?.nodes ?? nodes;
  const count = found?.count;
  const status =
    count === undefined ? '' : count === MAX_MATCHES ? t.viewer.tooMany(MAX_MATCHES) : t.viewer.matches(count);
  const open = useMemo(() => toOpen(shown, found !== undefined), [shown, found]);
  return (
    <div className="json-view column">
      <ViewerHead label={t.viewer.search} words={words} onWords={setWords} status={status}>
        <code className="ellipsis grow muted json-path">{current}</code>
        <CopyButton text={current} label={t.viewer.copyPath} />
      </ViewerHead>
      <div className="json-scroll">
        <Tree
          key={wanted}
          label={path}
          nodes={shown}
          saved={`json ${path} ${wanted}`}
          initial={open}
          onCurrent={(node) => setCurrent((node as JsonNode).path)}
        />
      </div>
    </div>
  );
}

/** All nodes of a search are open, and otherwise the only node of the first level. */
function toOpen(nodes: readonly JsonNode[], isSearch: boolean): OpenNodes {
  if (!isSearch) return new Map(nodes.length === 1 ? [['0', 100]] : []);
  const open = new Map([[ROOT, MAX_MATCHES]]);
  for (;;) {
    const before = open.size;
    for (const { key, isOpen } of toRows(nodes, open)) if (isOpen === false) open.set(key, MAX_MATCHES);
    if (open.size === before || open.size > 2 * MAX_MATCHES) return open;
  }
}

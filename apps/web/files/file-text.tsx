import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { Pieces } from '../highlight/code.tsx';
import { useLines } from '../highlight/use-lines.ts';
import '../diff/diff.css';
import { useText } from '../text/text.ts';

/** A file's lines with their numbers and colours. Only those in sight are in the page. */
export function FileText({ path, text }: { path: string; text: string }) {
  const t = useText();
  const scroll = useRef<HTMLDivElement>(null);
  const lines = useLines(text, path);
  const list = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => 20,
    overscan: 30,
  });
  return (
    <div ref={scroll} className="file-text" tabIndex={0} role="group" aria-label={t.files.content(path)}>
      <div className="rows-inner" style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map(({ index, key, start }) => (
          <div
            key={key}
            ref={list.measureElement}
            data-index={index}
            className="rows-row diff-line"
            style={{ transform: `translateY(${start}px)` }}
          >
            <span className="diff-number">{index + 1}</span>
            <code className="diff-code">
              <Pieces line={lines[index]!} />
            </code>
          </div>
        ))}
      </div>
    </div>
  );
}

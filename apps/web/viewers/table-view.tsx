import { headOf } from '@klaus/core/cut-text';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { useMemo, useRef, useState, type CSSProperties } from 'react';
import { findSeparator, parseCsv, toCsv } from '../tables/csv.ts';
import { useRenderText } from '../text/render/render-text.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { toShownRows, type Sorting } from './sort-rows.ts';
import { ViewerHead } from './viewer-head.tsx';
import './viewers.css';

/** Columns that are shown. */
const MAX_COLUMNS = 100;
/** Rows by which the width of a column is estimated, and its limits in characters. */
const SAMPLE = 200;
const WIDTH = { min: 6, max: 48 };
const ROW_HEIGHT = 28;

/** A CSV file as a table: only the rows near the viewport exist. It is sorted, filtered and copied as it is shown. */
export function TableView({ text, path }: { text: string; path: string }) {
  const t = useRenderText();
  const scroll = useRef<HTMLDivElement>(null);
  const [head = [], ...rows] = useMemo(() => parseCsv(text, findSeparator(text, path)), [text, path]);
  const [words, setWords] = useState('');
  const [sorting, setSorting] = useState<Sorting | undefined>();
  const shown = useMemo(() => toShownRows(rows, { words, sorting }), [rows.length, text, words, sorting]);
  const all = Math.max(head.length, ...rows.slice(0, SAMPLE).map(({ length }) => length));
  const columns = Array.from({ length: Math.min(MAX_COLUMNS, all) }, (_, at) => head[at] || t.viewer.column(at + 1));
  const list = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_HEIGHT,
    scrollMargin: ROW_HEIGHT,
    overscan: 12,
  });
  const style = { '--columns': toWidths([columns, ...rows.slice(0, SAMPLE)], columns.length) } as CSSProperties;
  const found = words === '' ? t.viewer.rows(rows.length) : t.viewer.found(shown.length, rows.length);
  const leftOut = all > columns.length ? ` ${t.viewer.leftOut(all - columns.length)}` : '';
  return (
    <div className="table-view column">
      <ViewerHead label={t.viewer.filter} words={words} onWords={setWords} status={`${found}${leftOut}`}>
        <span className="grow" />
        <CopyButton text={() => toCsv([columns, ...shown.map((at) => rows[at]!)])} label={t.table.copy} />
      </ViewerHead>
      <div ref={scroll} className="table-scroll" tabIndex={0} role="group" aria-label={path}>
        <div
          role="table"
          aria-label={path}
          aria-rowcount={rows.length + 1}
          aria-colcount={columns.length}
          className="table-grid small"
          style={style}
        >
          <Head columns={columns} sorting={sorting} onSort={setSorting} />
          <div role="rowgroup" style={{ height: list.getTotalSize() }} className="table-body">
            {list.getVirtualItems().map(({ index, key, start }) => (
              <div
                key={key}
                role="row"
                aria-rowindex={index + 2}
                className="table-row"
                style={{ transform: `translateY(${start - ROW_HEIGHT}px)` }}
              >
                {columns.map((_, column) => (
                  <Cell key={column} text={rows[shown[index]!]?.[column] ?? ''} />
                ))}
              </div>
            ))}
          </div>
        </div>
        {shown.length === 0 ? <p className="muted table-none">{t.viewer.noRows}</p> : null}
      </div>
    </div>
  );
}

/** Characters of a cell that are shown. */
const MAX_CELL = 500;

function Cell({ text }: { text: string }) {
  const isNumber = text !== '' && !Number.isNaN(Number(text));
  return (
    <div role="cell" className={`table-cell ${isNumber ? 'number' : ''}`} title={headOf(text, 2_000)}>
      {headOf(text, MAX_CELL)}
    </div>
  );
}

interface HeadProps {
  columns: readonly string[];
  sorting: Sorting | undefined;
  onSort: (sorting: Sorting | undefined) => void;
}

function Head({ columns, sorting, onSort }: HeadProps) {
  const t = useRenderText();
  return (
    <div role="rowgroup" className="table-head">
      <div role="row" aria-rowindex={1} className="table-row">
        {columns.map((name, column) => {
          const isSorted = sorting?.column === column;
          const isDescending = isSorted && sorting.isDescending;
          const Icon = isDescending ? ArrowDown : ArrowUp;
          return (
            <div
              key={column}
              role="columnheader"
              aria-sort={isSorted ? (isDescending ? 'descending' : 'ascending') : 'none'}
              className="table-cell"
            >
              <button
                type="button"
                className="bare line"
                title={t.viewer.sort(name)}
                onClick={() => onSort(isDescending ? undefined : { column, isDescending: isSorted })}
              >
                <span className="ellipsis">{name}</span>
                {isSorted ? <Icon size={12} aria-hidden /> : null}
              </button>
            </div>
          );
        })}
      </div>
    </div>
  );
}

function toWidths(rows: readonly (readonly string[])[], count: number): string {
  return Array.from({ length: count }, (_, column) => {
    const longest = Math.max(...rows.map((row) => row[column]?.length ?? 0));
    return `calc(${Math.min(WIDTH.max, Math.max(WIDTH.min, longest))}ch + 28px)`;
  }).join(' ');
}

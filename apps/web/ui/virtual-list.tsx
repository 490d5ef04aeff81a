import { defaultKeyExtractor, useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { useImperativeHandle, useRef, type HTMLAttributes, type Key, type ReactNode, type Ref } from 'react';

export type RowList = Virtualizer<HTMLDivElement, Element>;

interface RowsProps {
  list: RowList;
  as?: 'div' | 'ol' | 'ul';
  /** True if rows have their estimated height. Default: they are measured. */
  isFixed?: boolean;
  toProps?: (at: number) => HTMLAttributes<HTMLElement>;
  children: (at: number) => ReactNode;
}

/** All rows, one after another, for paper. */
export function AllRows({ count, children }: { count: number; children: (at: number) => ReactNode }) {
  return (
    <div className="rows-inner">
      {Array.from({ length: count }, (_, at) => (
        <div key={at} className="rows-row">
          {children(at)}
        </div>
      ))}
    </div>
  );
}

/** The rows of a list that are near the viewport. */
export function Rows({ list, as: List = 'div', isFixed = false, toProps, children }: RowsProps) {
  const Row = List === 'div' ? 'div' : 'li';
  return (
    <List className="rows-inner" style={{ height: list.getTotalSize() }}>
      {list.getVirtualItems().map(({ index, key, start, size }) => {
        const { className = '', ...rest } = toProps?.(index) ?? {};
        return (
          <Row
            key={key}
            {...rest}
            ref={isFixed ? undefined : list.measureElement}
            data-index={index}
            className={`rows-row ${className}`}
            style={{ transform: `translateY(${start}px)`, height: isFixed ? size : undefined }}
          >
            {children(index)}
          </Row>
        );
      })}
    </List>
  );
}

interface VirtualListProps extends Omit<RowsProps, 'list'> {
  label: string;
  className?: string;
  count: number;
  /** Estimated height in pixels. */
  estimateSize: (at: number) => number;
  /** A new function invalidates the measurements of all rows. Default: the index. */
  getItemKey?: (at: number) => Key;
  /** Number of rows rendered before and after the viewport. */
  overscan: number;
  ref?: Ref<RowList>;
}

/** A scrollable list that renders only the rows near the viewport. */
export function VirtualList(props: VirtualListProps) {
  const {
    label,
    className = '',
    count,
    estimateSize,
    getItemKey = defaultKeyExtractor,
    overscan,
    ref,
    ...rows
  } = props;
  const scroll = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({ count, getScrollElement: () => scroll.current, estimateSize, getItemKey, overscan });
  useImperativeHandle(ref, () => list, [list]);
  return (
    <div ref={scroll} className={`rows ${className}`} tabIndex={0} role="group" aria-label={label}>
      <Rows list={list} {...rows} />
    </div>
  );
}

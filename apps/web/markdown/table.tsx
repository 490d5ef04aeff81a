import type { Tokens } from 'marked';
import type { ReactNode } from 'react';
import { toCsv } from '../tables/csv.ts';
import { useRenderText } from '../text/render/render-text.ts';
import { CopyButton } from '../ui/copy-button.tsx';

interface TableProps {
  table: Tokens.Table;
  renderAll: (tokens: Tokens.TableCell['tokens']) => ReactNode;
}

/** A table that scrolls, and that is copied for a spreadsheet. */
export function Table({ table, renderAll }: TableProps) {
  const t = useRenderText();
  const toRow = (Tag: 'td' | 'th', cells: readonly Tokens.TableCell[]) =>
    cells.map((cell, at) => (
      <Tag key={at} data-align={cell.align ?? undefined}>
        {renderAll(cell.tokens)}
      </Tag>
    ));
  const label = table.header.map(({ text }) => text).join(', ');
  return (
    <div className="markdown-table-box">
      <div className="markdown-table" tabIndex={0} role="group" aria-label={label}>
        <table>
          <thead>
            <tr>{toRow('th', table.header)}</tr>
          </thead>
          <tbody>
            {table.rows.map((row, at) => (
              <tr key={at}>{toRow('td', row)}</tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className="markdown-table-tools">
        <CopyButton
          text={() => toCsv([table.header, ...table.rows].map((row) => row.map(toWords)))}
          label={t.table.copy}
        />
      </div>
    </div>
  );
}

/** The text of a cell without marks. */
function toWords({ tokens, text }: Tokens.TableCell): string {
  const words = tokens.map((token) => ('text' in token && typeof token.text === 'string' ? token.text : token.raw));
  return words.length === 0 ? text : words.join('');
}

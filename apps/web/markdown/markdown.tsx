import { marked, type Token, type Tokens } from 'marked';
import { Square, SquareCheck } from 'lucide-react';
import { createElement, memo, useRef, type ReactNode } from 'react';
import { Code } from '../highlight/code.tsx';
import { useText } from '../text/text.ts';
import { closeMarks, createBlocks, toBlocks, toSafeLink, type Blocks } from './blocks.ts';
import './markdown.css';

/** Number of blocks per component. A message of a megabyte has thousands of blocks. */
const GROUP = 40;

interface MarkdownProps {
  text: string;
  isGrowing?: boolean;
  isCut?: boolean;
}

/**
 * Renders Markdown without HTML: tags are shown as text, images as links, and links only with an allowed address.
 *
 * @param props.isGrowing True while the text is streamed. It is then split incrementally.
 * @param props.isCut True for a text that ends anywhere, for example within bold text.
 */
export const Markdown = memo(function Markdown({ text, isGrowing = false, isCut = false }: MarkdownProps) {
  const grown = useRef<{ text: string; blocks: Blocks } | undefined>(undefined);
  const split = isGrowing ? grow(grown, text) : toBlocks(text);
  const blocks = isGrowing || isCut ? [...split.slice(0, -1), ...split.slice(-1).map(closeMarks)] : split;
  const groups: ReactNode[] = [];
  for (let at = 0; at < blocks.length; at += GROUP) {
    groups.push(<Group key={at} raw={blocks.slice(at, at + GROUP).join('\u0000')} />);
  }
  return <div className="markdown">{groups}</div>;
});

function grow(held: { current: { text: string; blocks: Blocks } | undefined }, text: string): readonly string[] {
  if (!held.current || !text.startsWith(held.current.text)) held.current = { text: '', blocks: createBlocks() };
  const { current } = held;
  current.blocks.append(text.slice(current.text.length));
  current.text = text;
  return current.blocks.list();
}

const Group = memo(function Group({ raw }: { raw: string }) {
  return raw.split('\u0000').map((block, at) => <Block key={at} raw={block} />);
});

const Block = memo(function Block({ raw }: { raw: string }) {
  return renderAll(marked.lexer(raw));
});

function renderAll(tokens: readonly Token[] | undefined): ReactNode {
  return (tokens ?? []).map((token, at) => <One key={at} token={token} />);
}

function One({ token }: { token: Token }): ReactNode {
  switch (token.type) {
    case 'heading':
      return <Heading depth={(token as Tokens.Heading).depth}>{renderAll(token.tokens)}</Heading>;
    case 'paragraph':
      return <p>{renderAll(token.tokens)}</p>;
    case 'blockquote':
    case 'strong':
    case 'em':
    case 'del':
      return createElement(token.type, undefined, renderAll(token.tokens));
    case 'code':
      return <Code text={(token as Tokens.Code).text} language={(token as Tokens.Code).lang ?? ''} />;
    case 'list':
      return <List list={token as Tokens.List} />;
    case 'table':
      return <Table table={token as Tokens.Table} />;
    case 'hr':
      return <hr />;
    case 'codespan':
      return <code>{(token as Tokens.Codespan).text}</code>;
    case 'br':
      return <br />;
    case 'link':
      return <Link href={(token as Tokens.Link).href}>{renderAll(token.tokens)}</Link>;
    case 'image':
      return <Link href={(token as Tokens.Image).href}>{(token as Tokens.Image).text || token.raw}</Link>;
    case 'text':
      return token.tokens ? renderAll(token.tokens) : (token as Tokens.Text).text;
    case 'escape':
      return (token as Tokens.Escape).text;
    case 'space':
    case 'def':
      return null;
    default:
      return token.raw;
  }
}

function Heading({ depth, children }: { depth: number; children: ReactNode }) {
  // The page uses the first two levels.
  if (depth <= 1) return <h3 className="markdown-h1">{children}</h3>;
  if (depth === 2) return <h4 className="markdown-h2">{children}</h4>;
  return <h5 className="markdown-h3">{children}</h5>;
}

function List({ list }: { list: Tokens.List }) {
  const items = list.items.map((item, at) => (
    <li key={at} className={item.task ? 'markdown-task' : undefined}>
      {item.task ? <TaskMark isDone={item.checked === true} /> : null}
      {renderAll(item.tokens.filter(({ type }) => type !== 'checkbox'))}
    </li>
  ));
  return list.ordered ? <ol start={Number(list.start) || 1}>{items}</ol> : <ul>{items}</ul>;
}

function TaskMark({ isDone }: { isDone: boolean }) {
  const t = useText();
  const Icon = isDone ? SquareCheck : Square;
  return (
    <span className="markdown-check" role="img" aria-label={isDone ? t.code.taskDone : t.code.taskOpen}>
      <Icon size={14} aria-hidden />
    </span>
  );
}

function Table({ table }: { table: Tokens.Table }) {
  return (
    <div
      className="markdown-table"
      tabIndex={0}
      role="group"
      aria-label={table.header.map(({ text }) => text).join(', ')}
    >
      <table>
        <thead>
          <tr>
            {table.header.map((cell, at) => (
              <Cell key={at} as="th" cell={cell} />
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <Cell key={column} as="td" cell={cell} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell({ as: Tag, cell }: { as: 'td' | 'th'; cell: Tokens.TableCell }) {
  return <Tag data-align={cell.align ?? undefined}>{renderAll(cell.tokens)}</Tag>;
}

function Link({ href, children }: { href: string; children: ReactNode }) {
  const safe = toSafeLink(href);
  if (safe === undefined) return <span className="markdown-dead-link">{children}</span>;
  return (
    <a href={safe} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  );
}

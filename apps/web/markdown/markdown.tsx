import type { Token, Tokens } from 'marked';
import { Square, SquareCheck } from 'lucide-react';
import { createElement, memo, useMemo, useRef, type ReactNode } from 'react';
import { MathView } from '../math/math.tsx';
import { useRenderText } from '../text/render/render-text.ts';
import { useText } from '../text/text.ts';
import { Popup } from '../ui/popup.tsx';
import { Alert, toAlert } from './alert.tsx';
import { closeMarks, createBlocks, toBlocks, toSafeLink, type Blocks } from './blocks.ts';
import { Fence } from './fence.tsx';
import { FileLink, FileWords } from './file-link.tsx';
import { mayHavePath, toPath } from './file-paths.ts';
import { findFootnote } from './footnotes.ts';
import { MarkdownImage } from './markdown-image.tsx';
import { lex, type DetailsToken, type MathToken, type NoteTextToken, type NoteToken } from './parser.ts';
import { ScopeContext, useScope, type Scope } from './scope.ts';
import { Table } from './table.tsx';
import './markdown.css';

/** Number of blocks per component. A message of a megabyte has thousands of blocks. */
const GROUP = 40;

interface MarkdownProps {
  text: string;
  isGrowing?: boolean;
  isCut?: boolean;
  session?: string;
  folder?: string;
  source?: string;
}

/**
 * Renders Markdown. Of HTML only `<details>` and line breaks become elements, and links only with an allowed address.
 *
 * @param props.isGrowing True while the text is streamed. It is then split incrementally.
 * @param props.isCut True for a text that ends anywhere, for example within bold text.
 * @param props.session The session whose workspace has the images and files that the text names. Default: none.
 * @param props.folder The folder of the file that the text is from. Default: the workspace.
 * @param props.source The complete text, if `text` is a part of it.
 */
export const Markdown = memo(function Markdown(props: MarkdownProps) {
  const { text, isGrowing = false, isCut = false, session, folder, source } = props;
  const grown = useRef<{ text: string; blocks: Blocks } | undefined>(undefined);
  const split = isGrowing ? grow(grown, text) : toBlocks(text);
  const blocks = isGrowing || isCut ? [...split.slice(0, -1), ...split.slice(-1).map(closeMarks)] : split;
  // A growing text is not in the scope: every change of it would render all of its blocks again.
  const complete = source ?? (isGrowing ? '' : text);
  const scope = useMemo(
    (): Scope => ({ session, folder, source: complete, isGrowing }),
    [session, folder, complete, isGrowing],
  );
  const groups: ReactNode[] = [];
  for (let at = 0; at < blocks.length; at += GROUP) {
    groups.push(<Group key={at} raw={blocks.slice(at, at + GROUP).join('\u0000')} />);
  }
  return (
    <ScopeContext value={scope}>
      <div className="markdown">{groups}</div>
    </ScopeContext>
  );
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
  return renderAll(lex(raw));
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
      return <Quote quote={token as Tokens.Blockquote} />;
    case 'strong':
    case 'em':
    case 'del':
      return createElement(token.type, undefined, renderAll(token.tokens));
    case 'code':
      return <Fence code={token as Tokens.Code} />;
    case 'math':
      return <MathView text={(token as MathToken).text} isDisplay={(token as MathToken).isDisplay} />;
    case 'list':
      return <List list={token as Tokens.List} />;
    case 'table':
      return <Table table={token as Tokens.Table} renderAll={renderAll} />;
    case 'details':
      return <Details details={token as DetailsToken} />;
    case 'note':
      return <Footnote {...(token as NoteToken)} />;
    case 'noteText':
      return <FootnoteText note={token as NoteTextToken} />;
    case 'hr':
      return <hr />;
    case 'codespan':
      return <CodeSpan text={(token as Tokens.Codespan).text} />;
    case 'br':
      return <br />;
    case 'html':
      return /^<br\s*\/?>$/i.test(token.raw) ? <br /> : token.raw;
    case 'link':
      return <Link href={(token as Tokens.Link).href}>{renderAll(token.tokens)}</Link>;
    case 'image':
      return <Picture image={token as Tokens.Image} />;
    case 'text':
      return token.tokens ? renderAll(token.tokens) : toWords((token as Tokens.Text).text);
    case 'escape':
      return (token as Tokens.Escape).text;
    case 'space':
    case 'def':
      return null;
    default:
      return token.raw;
  }
}

/** Most texts have no path, and need no component. */
function toWords(text: string): ReactNode {
  return mayHavePath(text) ? <FileWords text={text} /> : text;
}

function Heading({ depth, children }: { depth: number; children: ReactNode }) {
  // The page uses the first two levels.
  if (depth <= 1) return <h3 className="markdown-h1">{children}</h3>;
  if (depth === 2) return <h4 className="markdown-h2">{children}</h4>;
  return <h5 className="markdown-h3">{children}</h5>;
}

function Quote({ quote }: { quote: Tokens.Blockquote }) {
  const alert = toAlert(quote);
  if (alert) return <Alert kind={alert.kind} tokens={lex(alert.text)} renderAll={renderAll} />;
  return <blockquote>{renderAll(quote.tokens)}</blockquote>;
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

function Details({ details }: { details: DetailsToken }) {
  const t = useRenderText();
  return (
    <details className="markdown-details" open={details.isOpen}>
      <summary>{details.summary.length === 0 ? t.details : renderAll(details.summary)}</summary>
      <div>{renderAll(details.tokens)}</div>
    </details>
  );
}

/** A reference to a footnote, which opens its text in place. */
function Footnote({ label }: Pick<NoteToken, 'label'>) {
  const t = useRenderText();
  const { source, session } = useScope();
  return (
    <sup className="markdown-note">
      <Popup
        role="dialog"
        label={t.footnote(label)}
        button={label}
        popupClassName="menu-below menu-start markdown-note-text"
      >
        {() => <Markdown text={findFootnote(source, label) ?? t.footnoteMissing} session={session} />}
      </Popup>
    </sup>
  );
}

function FootnoteText({ note }: { note: NoteTextToken }) {
  const t = useRenderText();
  return (
    <div className="markdown-note-item small" role="note" aria-label={t.footnote(note.label)}>
      <span className="muted number">{note.label}</span>
      <div>{renderAll(note.tokens)}</div>
    </div>
  );
}

function CodeSpan({ text }: { text: string }) {
  const { isGrowing } = useScope();
  const named = isGrowing ? undefined : toPath(text);
  const code = <code>{text}</code>;
  return named ? (
    <FileLink path={named.path} line={named.line}>
      {code}
    </FileLink>
  ) : (
    code
  );
}

function Picture({ image: { href, text, raw } }: { image: Tokens.Image }) {
  return <MarkdownImage href={href} alt={text} fallback={<span className="markdown-dead-link">{text || raw}</span>} />;
}

/** The scope within a link, which contains no other link and no button. */
const IN_LINK: Scope = { session: undefined, source: '', isGrowing: false };

function Link({ href, children }: { href: string; children: ReactNode }) {
  const safe = toSafeLink(href);
  const words = <ScopeContext value={IN_LINK}>{children}</ScopeContext>;
  if (safe === undefined) return <LocalLink href={href}>{words}</LocalLink>;
  return (
    <a href={safe} target="_blank" rel="noreferrer noopener">
      {words}
    </a>
  );
}

/** A link to a file of the workspace; only its text if there is no such file. */
function LocalLink({ href, children }: { href: string; children: ReactNode }) {
  const named = toPath(href);
  const dead = <span className="markdown-dead-link">{children}</span>;
  if (!named) return dead;
  return (
    <FileLink path={named.path} line={named.line}>
      {dead}
    </FileLink>
  );
}

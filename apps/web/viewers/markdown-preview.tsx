import { headOf } from '@klaus/core/cut-text';
import { Markdown } from '../markdown/markdown.tsx';
import './viewers.css';

interface MarkdownPreviewProps {
  session: string;
  path: string;
  text: string;
}

/** Characters that are rendered. */
const MAX_TEXT = 300_000;

/** A Markdown file as it is read. Its images and links belong to its folder. */
export function MarkdownPreview({ session, path, text }: MarkdownPreviewProps) {
  const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  return (
    <div className="markdown-preview" tabIndex={0} role="group" aria-label={path}>
      <Markdown text={headOf(withoutHead(text), MAX_TEXT)} session={session} folder={folder} />
    </div>
  );
}

/** The text without the data at its start (front matter). */
function withoutHead(text: string): string {
  return text.replace(/^---\n[\s\S]{0,10000}?\n---\n/, '');
}

import { ExternalLink } from 'lucide-react';
import { isImagePath, isPdfPath, type FileView } from '../viewers/file-kind.ts';
import { formatBytes } from '../text/format.ts';
import { useRenderText } from '../text/render/render-text.ts';
import { useText } from '../text/text.ts';
import { Empty, Loading } from '../ui/empty.tsx';
import { lazyComponent } from '../ui/lazy-component.tsx';
import { FileText } from './file-text.tsx';
import { toImageAddress } from './image-address.ts';

const LOADING = <Loading rows={10} />;
const TableView = lazyComponent(async () => (await import('../viewers/table-view.tsx')).TableView, LOADING);
const JsonView = lazyComponent(async () => (await import('../viewers/json-view.tsx')).JsonView, LOADING);
const HtmlPreview = lazyComponent(async () => (await import('../preview/html-preview.tsx')).HtmlPreview, LOADING);
const ImageView = lazyComponent(async () => (await import('../viewers/image-view.tsx')).ImageView, LOADING);
const MarkdownPreview = lazyComponent(
  async () => (await import('../viewers/markdown-preview.tsx')).MarkdownPreview,
  LOADING,
);

interface FileContentProps {
  session: string;
  file: { path: string; size: number; content: string; encoding: string };
  view: FileView;
  line: number | undefined;
  version: string;
}

/** The content of a file in one of its views, or the reason why it is not shown. */
export function FileContent({ session, file, view, line, version }: FileContentProps) {
  const t = useText();
  const { path, size, content: text, encoding } = file;
  if (isPdfPath(path)) return <PdfLink session={session} path={path} version={version} />;
  if (encoding !== 'utf8') {
    if (isImagePath(path)) return <ImageView session={session} path={path} version={version} />;
    return <Empty title={t.files.binary} hint={t.files.binaryHint(formatBytes(size))} />;
  }
  switch (view) {
    case 'table':
      return <TableView text={text} path={path} />;
    case 'tree':
      return <JsonView session={session} path={path} text={text} />;
    case 'preview':
      return <MarkdownPreview session={session} path={path} text={text} />;
    case 'page':
      return <HtmlPreview html={text} />;
    case 'image':
      return <ImageView session={session} path={path} version={version} />;
    case 'source':
      return <FileText session={session} path={path} text={text} line={line} />;
  }
}

function PdfLink({ session, path, version }: { session: string; path: string; version: string }) {
  const t = useRenderText();
  return (
    <Empty title={path} hint={t.viewer.pdfHint}>
      <a
        className="button button-plain"
        href={toImageAddress({ session, path, version })}
        target="_blank"
        rel="noreferrer noopener"
      >
        <ExternalLink size={14} />
        {t.viewer.pdf}
      </a>
    </Empty>
  );
}

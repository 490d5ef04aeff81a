import { Play, Square } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { basePath } from '../state/base-path.ts';
import { useRenderText } from '../text/render/render-text.ts';
import { Button } from '../ui/button.tsx';
import { ScriptsDialog } from './scripts-dialog.tsx';
import { hasScripts, removeAddresses } from './static-document.ts';
import './preview.css';

/**
 * An HTML document in a frame without scripts and without a network. The user can run its scripts, which have an origin of
 * their own. See `apps/server/http/frames.ts`.
 */
export function HtmlPreview({ html }: { html: string }) {
  // Another document starts without scripts.
  return <DocumentPreview key={html} html={html} />;
}

function DocumentPreview({ html }: { html: string }) {
  const t = useRenderText();
  const [state, setState] = useState<'static' | 'asking' | 'running'>('static');
  const isScripted = useMemo(() => hasScripts(new DOMParser().parseFromString(html, 'text/html')), [html]);
  return (
    <div className="html-preview">
      <div className="html-preview-hint muted small">
        <p role="status">
          {state === 'running' ? t.preview.running : isScripted ? t.preview.stopped : t.preview.plain}
        </p>
        {state === 'running' ? (
          <Button variant="quiet" icon={Square} onClick={() => setState('static')}>
            {t.preview.stop}
          </Button>
        ) : isScripted ? (
          <Button variant="quiet" icon={Play} onClick={() => setState('asking')}>
            {t.preview.run}
          </Button>
        ) : null}
      </div>
      {state === 'running' ? <ScriptedFrame html={html} /> : <StaticFrame html={html} />}
      {state === 'asking' ? (
        <ScriptsDialog onClose={() => setState('static')} onRun={() => setState('running')} />
      ) : null}
    </div>
  );
}

/** The page writes the document, because nothing runs in this frame. */
function StaticFrame({ html }: { html: string }) {
  const t = useRenderText();
  const show = (frame: HTMLIFrameElement) => {
    const { contentDocument: target, contentWindow: scope } = frame as {
      contentDocument: Document | null;
      contentWindow: (Window & { DOMParser: typeof DOMParser }) | null;
    };
    if (!target || !scope) return;
    // The parser of the frame: the policy of the frame applies to its styles, and not that of the page.
    const parsed = new scope.DOMParser().parseFromString(html, 'text/html');
    removeAddresses(parsed);
    target.documentElement.replaceWith(target.adoptNode(parsed.documentElement));
  };
  return (
    <iframe
      title={t.preview.page}
      src={`${basePath}/frames/static`}
      sandbox="allow-same-origin"
      referrerPolicy="no-referrer"
      onLoad={({ currentTarget }) => show(currentTarget)}
    />
  );
}

function ScriptedFrame({ html }: { html: string }) {
  const t = useRenderText();
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    const element = frame.current!;
    // The frame has no origin that the message could be limited to.
    const send = () => element.contentWindow?.postMessage(html, '*');
    element.addEventListener('load', send, { once: true });
    element.src = `${basePath}/frames/document`;
    return () => element.removeEventListener('load', send);
  }, [html]);
  return <iframe ref={frame} title={t.preview.page} sandbox="allow-scripts" referrerPolicy="no-referrer" />;
}

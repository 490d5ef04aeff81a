import { useEffect, useRef } from 'react';
import { useRenderText } from '../text/render/render-text.ts';
import './preview.css';

/**
 * An HTML document in a frame with an origin of its own: its scripts run, without a network, without storage and without
 * access to the page. See `/frames/document` of the server.
 */
export function HtmlPreview({ html }: { html: string }) {
  const t = useRenderText();
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    const element = frame.current!;
    // The frame has no origin that the message could be limited to.
    const send = () => element.contentWindow?.postMessage(html, '*');
    element.addEventListener('load', send, { once: true });
    element.src = '/frames/document';
    return () => element.removeEventListener('load', send);
  }, [html]);
  return (
    <div className="html-preview">
      <p className="html-preview-hint muted small">{t.preview.hint}</p>
      <iframe ref={frame} title={t.preview.page} sandbox="allow-scripts" referrerPolicy="no-referrer" />
    </div>
  );
}

// Runs in a sandboxed frame without a network (`/frames/program` of the server), which gets it as a text.
import mermaid from 'mermaid';
import { messageOf } from '@klaus/core/message-of';

export interface DiagramRequest {
  id: number;
  text: string;
  /** Colours of the page by the names of Mermaid. */
  theme: Record<string, string | boolean>;
}

/** The response: an SVG document, or the message of the error. */
export type DiagramResponse = { id: number } & ({ svg: string; title: string; kind: string } | { error: string });

const LABELS = { htmlLabels: false } as const;

async function render({ id, text, theme }: DiagramRequest): Promise<DiagramResponse> {
  try {
    mermaid.initialize({
      startOnLoad: false,
      securityLevel: 'strict',
      suppressErrorRendering: true,
      theme: 'base',
      themeVariables: theme,
      // The picture is shown where the fonts of the page are not available.
      fontFamily: 'system-ui, sans-serif',
      maxTextSize: 50_000,
      maxEdges: 500,
      ...LABELS,
      flowchart: LABELS,
      class: LABELS,
    });
    const { svg } = await mermaid.render(`diagram-${id}`, text);
    const box = document.createElement('div');
    box.innerHTML = svg;
    const element = box.querySelector('svg');
    if (!element) return { id, error: 'invalid' };
    const { width, height } = element.viewBox.baseVal;
    if (width > 0 && height > 0) {
      element.setAttribute('width', `${Math.ceil(width)}`);
      element.setAttribute('height', `${Math.ceil(height)}`);
      element.style.maxWidth = '';
    }
    const title = element.querySelector(':scope > title')?.textContent ?? '';
    const kind = element.getAttribute('aria-roledescription') ?? '';
    return { id, svg: new XMLSerializer().serializeToString(element), title, kind };
  } catch (error) {
    return { id, error: messageOf(error) };
  }
}

addEventListener('message', ({ source, data }: MessageEvent<DiagramRequest>) => {
  // Only the page can have the frame, and its origin is unknown to a frame without one.
  if (source === parent) void render(data).then((response) => parent.postMessage(response, '*'));
});
parent.postMessage('ready', '*');

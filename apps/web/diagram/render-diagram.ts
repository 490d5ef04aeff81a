import { messageOf } from '@klaus/core/message-of';
import { basePath } from '../state/base-path.ts';
// Vite builds the module as a classic script and exports its address.
// oxlint-disable-next-line import/default
import program from './diagram-frame.ts?worker&url';
import type { DiagramRequest, DiagramResponse } from './diagram-frame.ts';
import { toSafeSvg } from './safe-svg.ts';

/**
 * A diagram as an SVG document, with its title (empty if it has none) and its kind, or the reason why there is none:
 * `timeout`, `large`, `invalid`, or the message of the parser.
 */
export type Picture = { svg: string; title: string; kind: string } | { error: string };

/** Characters of its picture. */
const MAX_SVG = 4_000_000;
/** Milliseconds for loading the program, and for one diagram. */
const MAX_MS = { program: 30_000, diagram: 10_000 };
const MAX_CACHED = 60;

interface Frame {
  element: HTMLIFrameElement;
  ask(request: DiagramRequest): Promise<DiagramResponse>;
}

const cache = new Map<string, Promise<Picture>>();
let frame: Promise<Frame> | undefined;
/** Diagrams are rendered one after another, so that a slow one is known. */
let queue: Promise<unknown> = Promise.resolve();
let last = 0;

/** Renders a diagram in a frame with an origin and a process of its own, so that it reaches nothing and blocks nothing. */
export function renderDiagram(text: string, theme: DiagramRequest['theme']): Promise<Picture> {
  const key = `${JSON.stringify(theme)}\n${text}`;
  const known = cache.get(key);
  if (known) return known;
  const picture = queue
    .then(() => render(text, theme))
    .catch((error: unknown): Picture => {
      // The frame may still be busy with this diagram, or the server may be away: a later attempt may succeed.
      cache.delete(key);
      document.querySelector(`.${FRAME_CLASS}`)?.remove();
      frame = undefined;
      return { error: messageOf(error) };
    });
  queue = picture;
  cache.set(key, picture);
  const oldest = cache.keys().next();
  if (cache.size > MAX_CACHED && !oldest.done) cache.delete(oldest.value);
  return picture;
}

const LATE = 'timeout';

/** @throws Error if the frame does not respond. */
async function render(text: string, theme: DiagramRequest['theme']): Promise<Picture> {
  // The browser stops the frames of a hidden page.
  await untilVisible();
  frame ??= openFrame();
  const opened = await frame;
  last += 1;
  const response = await within(MAX_MS.diagram, opened.ask({ id: last, text, theme }));
  if ('error' in response) return { error: response.error };
  const svg = response.svg.length > MAX_SVG ? undefined : toSafeSvg(response.svg);
  return svg === undefined ? { error: 'invalid' } : { ...response, svg };
}

const FRAME_CLASS = 'diagram-frame';

async function openFrame(): Promise<Frame> {
  const response = await fetch(program);
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  const code = await response.text();
  const element = document.createElement('iframe');
  element.className = FRAME_CLASS;
  element.sandbox.add('allow-scripts');
  element.src = `${basePath}/frames/program`;
  element.tabIndex = -1;
  element.ariaHidden = 'true';
  await within(
    MAX_MS.program,
    new Promise((resolve) => {
      element.addEventListener('load', resolve, { once: true });
      document.body.append(element);
    }),
  );
  const target = element.contentWindow!;
  await within(
    MAX_MS.program,
    new Promise((resolve) => {
      receive(target, (data) => data === 'ready' && resolve(undefined));
      // The frame has no origin that a message could be limited to.
      target.postMessage(code, '*');
    }),
  );
  return {
    element,
    ask: (request) =>
      new Promise((resolve) => {
        receive(target, (data) => {
          const response = toResponse(data);
          if (response?.id !== request.id) return false;
          resolve(response);
          return true;
        });
        target.postMessage(request, '*');
      }),
  };
}

/** Calls back for each message of a frame until it returns something else than false. */
function receive(target: Window, onMessage: (data: unknown) => unknown): void {
  const listen = ({ source, data }: MessageEvent<unknown>) => {
    if (source === target && onMessage(data) !== false) removeEventListener('message', listen);
  };
  addEventListener('message', listen);
}

/** The content of the frame is not trusted: its response can be anything. */
function toResponse(data: unknown): DiagramResponse | undefined {
  const { id, svg, title, kind, error } = (typeof data === 'object' && data !== null ? data : {}) as Record<
    string,
    unknown
  >;
  if (typeof id !== 'number') return undefined;
  if (typeof svg === 'string') return { id, svg, title: String(title), kind: String(kind) };
  return { id, error: String(error) };
}

function within<T>(ms: number, result: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(LATE)), ms);
    result.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function untilVisible(): Promise<void> {
  if (document.visibilityState === 'visible') return Promise.resolve();
  return new Promise((resolve) => {
    const listen = () => {
      if (document.visibilityState !== 'visible') return;
      document.removeEventListener('visibilitychange', listen);
      resolve();
    };
    document.addEventListener('visibilitychange', listen);
  });
}

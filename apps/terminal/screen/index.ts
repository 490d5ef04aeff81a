// The only module that knows the library of the terminal: a port of what the rest of this app uses.
export {
  CURSOR_MARKER,
  fuzzyFilter,
  getImageDimensions,
  Input,
  isKeyRelease,
  matchesKey,
  setCapabilities,
  truncateToWidth,
  visibleWidth,
  wrapTextWithAnsi,
  type AutocompleteItem,
  type AutocompleteProvider,
  type Component,
  type Focusable,
  type ImageDimensions,
  type KeyId,
  type MarkdownTheme,
  type Terminal,
} from '@earendil-works/pi-tui';
export { PromptEditor, type Entered, type InputBorder } from './prompt-editor.ts';
export { InlineScreen } from './inline-screen.ts';
export type { Growing } from './growing-rows.ts';
export type { CellSize } from './queried-terminal.ts';
export { renderImage, renderMarkdown } from './library-views.ts';
export { toSixelRows } from './sixel-rows.ts';
export type { Reflow } from './reflow.ts';
export { toEdge } from './safe-line.ts';
export { openScreen } from './open-screen.ts';
export { toLineText, withoutLast } from './typed-text.ts';

import { createCount } from './count.ts';

const count = createCount('en');

/** Texts of rendered content in English: Markdown, diagrams, formulas, images and previews. */
export const enRender = {
  math: {
    formula: 'Formula',
    failed: (reason: string) => `The formula cannot be shown: ${reason}`,
  },
  diagram: {
    label: 'Diagram',
    described: (title: string) => `Diagram: ${title}`,
    source: 'Show source',
    save: 'Save as SVG',
    open: 'Open in full view',
    failed: 'The diagram cannot be shown.',
    late: 'It takes too long.',
    large: (max: string) => `It has more than ${max} characters.`,
    loading: 'The diagram is being drawn',
  },
  alerts: { note: 'Note', tip: 'Tip', important: 'Important', warning: 'Warning', caution: 'Caution' },
  details: 'Details',
  footnote: (label: string) => `Footnote ${label}`,
  footnotes: 'Footnotes',
  footnoteMissing: 'The text of this footnote is missing.',
  table: { copy: 'Copy as CSV' },
  image: {
    remote: 'Images of other servers are not loaded.',
    failed: 'The image cannot be shown.',
    open: (name: string) => `Open ${name} in full view`,
    full: (name: string) => `Image ${name}`,
    save: 'Save image',
    fit: 'Fit to window',
    actual: 'Actual size',
    size: (width: string, height: string) => `${width} × ${height} px`,
    all: (n: number) => count(n, 'image', 'images'),
    ofCall: (n: number) => `Image ${n} of the result`,
    ofPrompt: (n: number) => `Image ${n} of the message`,
  },
  preview: {
    show: 'Preview',
    source: 'Source',
    page: 'Preview of the HTML document',
    hint: 'Scripts run in a frame without network and without access to Klaus.',
  },
};

export type RenderText = typeof enRender;

import { createCount } from './count.ts';
import type { RenderText } from './en-render.ts';

const count = createCount('de');

/** Texts of rendered content in German. */
export const deRender: RenderText = {
  math: {
    formula: 'Formel',
    failed: (reason) => `Die Formel kann nicht angezeigt werden: ${reason}`,
  },
  diagram: {
    label: 'Diagramm',
    described: (title) => `Diagramm: ${title}`,
    source: 'Quelltext anzeigen',
    save: 'Als SVG speichern',
    open: 'In voller Größe öffnen',
    failed: 'Das Diagramm kann nicht angezeigt werden.',
    late: 'Es dauert zu lange.',
    large: (max) => `Es hat mehr als ${max} Zeichen.`,
    loading: 'Das Diagramm wird gezeichnet',
  },
  alerts: { note: 'Hinweis', tip: 'Tipp', important: 'Wichtig', warning: 'Warnung', caution: 'Vorsicht' },
  details: 'Einzelheiten',
  footnote: (label) => `Fußnote ${label}`,
  footnotes: 'Fußnoten',
  footnoteMissing: 'Der Text dieser Fußnote fehlt.',
  table: { copy: 'Als CSV kopieren' },
  image: {
    remote: 'Bilder anderer Server werden nicht geladen.',
    failed: 'Das Bild kann nicht angezeigt werden.',
    open: (name) => `${name} in voller Größe öffnen`,
    full: (name) => `Bild ${name}`,
    save: 'Bild speichern',
    fit: 'An Fenster anpassen',
    actual: 'Originalgröße',
    size: (width, height) => `${width} × ${height} px`,
    all: (n) => count(n, 'Bild', 'Bilder'),
    ofCall: (n) => `Bild ${n} des Ergebnisses`,
    ofPrompt: (n) => `Bild ${n} der Nachricht`,
  },
  preview: {
    show: 'Vorschau',
    source: 'Quelltext',
    page: 'Vorschau des HTML-Dokuments',
    hint: 'Skripte laufen in einem Rahmen ohne Netzwerk und ohne Zugriff auf Klaus.',
  },
};

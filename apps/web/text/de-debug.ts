import { createCount } from './count.ts';
import type { DebugText } from './en-debug.ts';

const count = createCount('de');

/** Texts for results of the debugger in German. */
export const deDebug: DebugText = {
  frames: (n) => `Aufrufstapel, ${count(n, 'Ebene', 'Ebenen')}`,
  locals: (frame, n) => `Ebene ${frame}, ${count(n, 'Variable', 'Variablen')}`,
  anonymous: '(anonym)',
  async: 'über await',
  package: 'Paket',
  more: (n) => `${n} weitere anzeigen`,
  omitted: (n) => `${n} weitere nicht gelesen`,
  none: 'Nichts anzuzeigen',
  load: 'Vollständiges Ergebnis als Baum laden',
  copy: 'Als JSON kopieren',
  report: 'Bericht',
  cause: 'Ursache',
  confidence: (percent) => `${percent} % Sicherheit`,
  evidence: 'Belege',
  fix: 'Vorgeschlagene Korrektur',
  notApplied: 'Sie wurde nicht angewendet.',
  risk: { low: 'geringes Risiko', medium: 'mittleres Risiko', high: 'hohes Risiko' },
};

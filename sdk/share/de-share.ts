import { formatBytes, formatDuration } from '../transcript/format.ts';
import type { ShareText } from './en-share.ts';

const number = new Intl.NumberFormat('de-DE', { maximumFractionDigits: 2 });
const count = (n: number, one: string, other: string) => `${number.format(n)} ${n === 1 ? one : other}`;

/** Texts of a shared session in German. */
export const deShare: ShareText = {
  language: 'de',
  session: (id) => `Sitzung ${id}`,
  turns: (n) => count(n, 'Schritt', 'Schritte'),
  toolCalls: (n) => count(n, 'Werkzeugaufruf', 'Werkzeugaufrufe'),
  usage: ({ input, output, cacheRead, cacheWrite }) => {
    const cached = cacheRead > 0 ? ` (${number.format(cacheRead)} aus dem Cache)` : '';
    return `${number.format(input + cacheRead + cacheWrite)} Tokens Eingabe${cached}, ${number.format(output)} Ausgabe`;
  },
  usd: (usd) => {
    if (usd === null) return 'Kosten unbekannt';
    const digits = usd === 0 ? 0 : usd < 0.01 ? 5 : 2;
    return `${usd.toLocaleString('de-DE', { minimumFractionDigits: digits, maximumFractionDigits: digits })} $`;
  },
  image: 'Angehängtes Bild',
  byUser: 'vom Benutzer eingegeben',
  gate: (verdict) => `Gate: ${{ allow: 'erlaubt', ask: 'Freigabe nötig', deny: 'abgelehnt' }[verdict]}`,
  moreLines: (n) => `… ${count(n, 'weitere Zeile', 'weitere Zeilen')}`,
  outputPart: ({ lines, bytes, shown }) =>
    lines === undefined
      ? `${formatBytes(bytes)}, davon ${count(shown, 'Zeile', 'Zeilen')} gezeigt.`
      : `${count(lines, 'Zeile', 'Zeilen')}, davon ${number.format(shown)} gezeigt.`,
  open: 'offen',
  results: { ok: 'ok', error: 'Fehler', denied: 'abgelehnt', cancelled: 'abgebrochen', unknown: 'unbekannt' },
  answers: { approved: 'freigegeben', rejected: 'abgelehnt', expired: 'abgelaufen', superseded: 'hinfällig' },
  outcomes: {
    done: 'Fertig',
    failed: 'Fehlgeschlagen',
    model_failed: 'Das Modell ist ausgefallen',
    limit: 'Limit erreicht',
    denied: 'Abgelehnt',
    cancelled: 'Abgebrochen',
  },
  checks: { passed: 'bestanden', signal: 'durch ein Signal beendet', exit: (code) => `Exit-Code ${code}` },
  claims: { none: 'keine Prüfung', verified: 'bestätigt', unverified: 'nicht bestätigt', contradicted: 'widerlegt' },
  facts: {
    opened: (model, mode, sandbox) => `${model}, Modus ${mode}, Sandbox ${sandbox}`,
    agent: (name) => `Agent ${name}`,
    attempted: (model, what) => `${model}: ${what}`,
    answersInstead: (model) => `${model} antwortet stattdessen`,
    retry: (ms) => `neuer Versuch in ${formatDuration(ms)}`,
    used: (percent, limit) => `${Math.round(percent)} % des Limits ${limit} verbraucht`,
    compacted: (n) => `${count(n, 'ältere Nachricht', 'ältere Nachrichten')} durch eine Zusammenfassung ersetzt`,
    pinned: (text) => `angeheftet: ${text}`,
    runner: (agent, isResumed) =>
      `${agent} ${isResumed ? 'setzt seine Sitzung fort' : 'hat eine neue Sitzung begonnen'}`,
    process: {
      started: (id) => `Hintergrundprozess ${id} gestartet`,
      exited: (id) => `Hintergrundprozess ${id} beendet`,
      stopped: (id) => `Hintergrundprozess ${id} gestoppt`,
      lost: (id) => `Hintergrundprozess ${id} ist verschwunden`,
    },
    restored: {
      undo: (files) => `${count(files, 'Pfad', 'Pfade')} wiederhergestellt`,
      redo: (files) => `${count(files, 'Pfad', 'Pfade')} erneut geändert`,
      file: (files) => `${count(files, 'Pfad', 'Pfade')} wiederhergestellt`,
      review: (files) => `${count(files, 'Pfad', 'Pfade')} abgelehnt`,
    },
    committed: (commit, files) => `Checkpoint ${commit}, ${count(files, 'Datei', 'Dateien')}`,
    copies: {
      merged: 'Die Arbeitskopie wurde zusammengeführt.',
      squashed: 'Die Arbeitskopie wurde als ein Commit zusammengeführt.',
      rebased: 'Auf die Arbeitskopie wurde ein Rebase angewendet.',
      kept: 'Die Arbeitskopie wurde als Branch behalten.',
      discarded: 'Die Arbeitskopie wurde verworfen.',
    },
    escalated: 'Weitere Rechte wurden für begrenzte Zeit freigegeben',
  },
  child: (agent) => `Gespräch von ${agent}`,
  childLeftOut: 'Das Gespräch ist nicht in dieser Datei: Die Sitzung hat zu viele untergeordnete Sitzungen.',
};

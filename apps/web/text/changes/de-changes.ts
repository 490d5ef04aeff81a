import { createCount } from '../count.ts';
import type { ChangesText } from './en-changes.ts';

const count = createCount('de');

/** Texts about changes in German. */
export const deChanges: ChangesText = {
  ignoreSpace: 'Leerraum ignorieren',
  onlySpace: 'Nur Leerraum unterscheidet sich',
  folded: (n) => `In ${count(n, 'Zeile', 'Zeilen')} unterscheidet sich nur Leerraum.`,
  unfold: 'Diese Zeilen anzeigen',
  tree: 'Geänderte Dateien',
  viewed: 'Angesehen',
  viewedProgress: 'Angesehene Dateien',
  viewedOf: (viewed, all) => `${viewed} von ${all} angesehen`,
  lines: (added, removed) =>
    `${count(added, 'neue Zeile', 'neue Zeilen')}, ${count(removed, 'entfernte Zeile', 'entfernte Zeilen')}`,
  revert: (path) => `${path} zurücksetzen`,
  revertTitle: (path) => `${path} zurücksetzen?`,
  revertHint: (turn) => `Die Datei erhält den Inhalt von vor Runde ${turn}. Wiederholen stellt sie wieder her.`,
  revertDo: 'Zurücksetzen',
  revertOverwrite: 'Zurücksetzen, diese überschreiben',
  reverted: (path) => `${path} ist zurückgesetzt.`,
  redo: 'Wiederholen',
  comments: {
    title: 'Kommentare',
    add: (line, text) => `Zeile ${line} kommentieren: ${text}`,
    addHint: 'Diese Zeile kommentieren (c)',
    at: (line) => `Kommentar zu Zeile ${line}`,
    label: (line) => `Kommentar zu Zeile ${line}. Er wird mit allen anderen gesendet.`,
    stale: (line) => `Zeile ${line} hat sich seither geändert oder wird nicht angezeigt.`,
    save: 'Kommentar hinzufügen',
    edit: 'Kommentar bearbeiten',
    remove: 'Kommentar entfernen',
    removeAll: 'Alle entfernen',
    count: (n) => count(n, 'Kommentar', 'Kommentare'),
    send: 'An das Modell senden',
    preview: 'Nachricht anzeigen',
    sent: (n) => `${count(n, 'Kommentar', 'Kommentare')} gesendet.`,
    unknown: 'Die Kommentare wurden möglicherweise nicht gesendet.',
    unknownHint: 'Der Server hat nicht geantwortet. Sie bleiben hier. Erneutes Senden wirkt kein zweites Mal.',
    inNote: (n) => `${count(n, 'Kommentar', 'Kommentare')} in der Notiz an das Modell`,
    tooLong: 'Die Notiz ist zu lang. Kommentare kürzen.',
  },
  commit: {
    open: 'Committen',
    title: 'Änderungen committen',
  },
};

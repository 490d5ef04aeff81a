import { toMore } from '@klaus/core/protocol';
import { createCount } from '../count.ts';
import { formatGermanAmount } from './de-amount.ts';
import type { enApproval } from './en-approval.ts';

const count = createCount('de');

const amounts: (typeof enApproval)['amounts'] = {
  tokens: (value) => `${value} Token`,
  usd: (value) => value,
  toolCalls: (value) => (value === '1' ? '1 Aufruf' : `${value} Aufrufe`),
  turns: (value) => (value === '1' ? '1 Runde' : `${value} Runden`),
  minutes: (value) => (value === '1' ? '1 Minute' : `${value} Minuten`),
};

/** Texts of questions and reviews in German. */
export const deApproval: typeof enApproval = {
  review: 'Änderung durchsehen',
  expires: (when) => `Läuft ab ${when}`,
  approve: 'Freigeben',
  reject: 'Ablehnen',
  rejectAll: 'Alles ablehnen',
  submit: 'Durchsicht absenden',
  scope: 'Erlauben',
  scopes: { once: 'Dieses Mal', session: 'Diese Sitzung', project: 'Dieses Projekt' },
  scripts: 'Führt aus',
  note: 'Hinweis an das Modell (optional)',
  withLetters: 'antwortet mit einzelnen Buchstaben',
  plan: 'Diesen Plan annehmen?',
  planText: 'Text des Plans',
  required: 'Pflichtfeld',
  true: 'Ja',
  false: 'Nein',
  planShow: 'Plan anzeigen',
  mode: 'Fortsetzen im Modus',
  keepChanges: (n) => `Änderungen an ${count(n, 'Datei', 'Dateien')} behalten`,
  changeFiles: (n) => `${count(n, 'Datei', 'Dateien')} ändern`,
  runCommand: 'Einen Befehl ausführen',
  goBeyond: (reached) => {
    const { limit, used, cap } = reached;
    const text = amounts[limit](formatGermanAmount(limit, Math.max(used, cap)));
    const part = used < cap ? `${formatGermanAmount(limit, used)} von ` : '';
    return `${part}${text} verbraucht. ${formatGermanAmount(limit, toMore(reached))} mehr erlauben?`;
  },
  amounts,
  limitNeed: (need) => `Der nächste Schritt braucht etwa ${need}.`,
  largest: (name, size) => `Den größten Teil des Gesprächs macht ${name} aus (${size}).`,
  mostCalls: (tools) => `Am häufigsten aufgerufen: ${tools}.`,
  yourMessage: 'die eigene Nachricht',
  inputOf: (tool) => `die Eingabe von ${tool}`,
  outputOf: (tool) => `die Ausgabe von ${tool}`,
  raiseTo: 'Anheben auf',
  unified: 'Untereinander',
  split: 'Nebeneinander',
  accept: 'Annehmen',
  acceptRest: 'Rest annehmen',
  rejectRest: 'Rest ablehnen',
  accepted: 'Angenommen',
  notReviewed: 'Nicht geprüft',
  lines: (first, last) => (first === last ? `Zeile ${first}` : `Zeilen ${first}–${last}`),
  rejected: 'Abgelehnt',
  edited: 'Bearbeitet',
  edit: 'Bearbeiten',
  editLabel: (id) => `Neuer Text von ${id}`,
  editSave: 'Übernehmen',
  acceptFile: 'Datei annehmen',
  rejectFile: 'Datei ablehnen',
  hunk: (number, all) => `Abschnitt ${number} von ${all}`,
  summary: (taken, all, { edited, open }) =>
    `${taken} von ${count(all, 'Abschnitt', 'Abschnitten')} angenommen${edited > 0 ? `, ${edited} bearbeitet` : ''}${open > 0 ? `, ${open} nicht geprüft` : ''}`,
  feedback: 'Was das Modell erhält',
  feedbackAll: 'Der Aufruf wird unverändert ausgeführt.',
  feedbackNone: 'Der Benutzer hat den Aufruf abgelehnt.',
  gone: 'Die Frage wurde inzwischen beantwortet.',
  rows: 'Änderung',
  notes: {
    content: (before, after) => `Anderer Inhalt: vorher ${before}, nachher ${after}`,
    created: (size, mode) => `Neue Datei mit ${size}, Modus ${mode}`,
    deleted: (size) => `Entfernt eine Datei mit ${size}`,
    mode: (before, after) => `Modus ${before} wird ${after}`,
    folder: 'Neuer Ordner',
    link: (target) => `Neuer symbolischer Link auf ${target}`,
  },
  undecided: 'Nicht entschieden',
  hidden: (n: number) =>
    `${count(n, 'Änderung hat', 'Änderungen haben')} Inhalt, der nicht angezeigt werden kann: Er ist binär oder zu groß. Vor dem Absenden ist eine Entscheidung nötig.`,
  acceptHidden: 'Ungesehen annehmen',
  rejectHidden: 'Ablehnen',
  hiddenIn: (n: number) =>
    `${count(n, 'Änderung kann', 'Änderungen können')} nicht angezeigt werden. Die Freigabe ist in der Prüfansicht möglich.`,
};

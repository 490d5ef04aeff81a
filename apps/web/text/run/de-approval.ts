import { createCount } from '../count.ts';
import type { enApproval } from './en-approval.ts';

const count = createCount('de');

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
  plan: 'Diesen Plan annehmen?',
  planText: 'Text des Plans',
  planShow: 'Plan anzeigen',
  mode: 'Fortsetzen im Modus',
  keepChanges: (n) => `Änderungen an ${count(n, 'Datei', 'Dateien')} behalten`,
  changeFiles: (n) => `${count(n, 'Datei', 'Dateien')} ändern`,
  runCommand: 'Einen Befehl ausführen',
  goBeyond: 'Grenze anheben?',
  limit: (limit, used, cap) => `${used} von ${cap} der ${limit}grenze verbraucht.`,
  offer: (cap) => `Freigeben, um sie auf ${cap} anzuheben.`,
  unified: 'Untereinander',
  split: 'Nebeneinander',
  accept: 'Annehmen',
  accepted: 'Angenommen',
  rejected: 'Abgelehnt',
  edited: 'Bearbeitet',
  edit: 'Bearbeiten',
  editLabel: (id) => `Neuer Text von ${id}`,
  editSave: 'Übernehmen',
  acceptFile: 'Datei annehmen',
  rejectFile: 'Datei ablehnen',
  hunk: (number, all) => `Abschnitt ${number} von ${all}`,
  summary: (taken, all, edited) =>
    `${taken} von ${count(all, 'Abschnitt', 'Abschnitten')} angenommen${edited > 0 ? `, ${edited} bearbeitet` : ''}`,
  feedback: 'Rückmeldung an das Modell',
  feedbackAll: 'Der Aufruf wird unverändert ausgeführt.',
  feedbackNone: 'Der Benutzer hat den Aufruf abgelehnt.',
  gone: 'Die Frage wurde inzwischen beantwortet.',
  rows: 'Änderung',
  undecided: 'Nicht entschieden',
  hidden: (n: number) =>
    `${count(n, 'Änderung hat', 'Änderungen haben')} Inhalt, der nicht angezeigt werden kann: Er ist binär oder zu groß. Vor dem Absenden ist eine Entscheidung nötig.`,
  acceptHidden: 'Ungesehen annehmen',
  rejectHidden: 'Ablehnen',
  hiddenIn: (n: number) =>
    `${count(n, 'Änderung kann', 'Änderungen können')} nicht angezeigt werden. Die Freigabe ist in der Prüfansicht möglich.`,
};

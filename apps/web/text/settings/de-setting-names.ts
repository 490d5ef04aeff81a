import type { enSettingNames } from './en-setting-names.ts';

/** The same in German. */
export const deSettingNames: typeof enSettingNames = {
  model: {
    name: 'Standardmodell',
    hint: 'Für neue Sitzungen. Eine Stufe bezeichnet das beste Modell des ersten Anbieters mit Schlüssel.',
  },
  fallback: {
    name: 'Ersatzmodelle',
    hint: 'Höchstens drei. Sie antworten in dieser Reihenfolge, solange das Modell es nicht kann. Auch ihre Anbieter erhalten die Sitzung.',
    unset: 'keine',
  },
  effort: {
    name: 'Denkaufwand',
    hint: 'Wie ausführlich das Modell nachdenkt. Modelle ohne diese Stufe erhalten keine.',
    unset: 'Vorgabe des Modells',
  },
  temperature: {
    name: 'Temperatur',
    hint: 'Von 0 bis 2. Modelle, die sie nicht annehmen, erhalten keine.',
    unset: 'Vorgabe des Modells',
  },
  'tiers.anthropic.haiku': {
    name: 'Günstiges Modell von Anthropic',
    hint: 'Für Titel, Zusammenfassungen und Prüfer.',
    unset: 'das des Katalogs',
  },
  'tiers.openai.haiku': {
    name: 'Günstiges Modell von OpenAI',
    hint: 'Für Titel, Zusammenfassungen und Prüfer.',
    unset: 'das des Katalogs',
  },
  'tiers.openrouter.haiku': {
    name: 'Günstiges Modell von OpenRouter',
    hint: 'Für Titel, Zusammenfassungen und Prüfer.',
    unset: 'das des Katalogs',
  },
  'models.allow': {
    name: 'Erlaubte Modelle',
    hint: 'Ein vollständiger Name je Zeile, etwa `anthropic/*`. Leer: alle.',
    unset: 'jedes Modell',
  },
  approve: { name: 'Standardmodus', hint: 'Wie viel ohne Freigabe ausgeführt wird.' },
  requirePatchApproval: { name: 'Jede Dateiänderung freigeben', hint: 'In jedem Modus.' },
  isolate: {
    name: 'Änderungen von Befehlen prüfen',
    hint: 'Befehle arbeiten auf einer Ebene. Ihre Änderungen werden geprüft, bevor sie übernommen werden.',
  },
  checkpoint: { name: 'Git-Prüfpunkte', hint: 'Commits des Arbeitsbereichs auf einer privaten Referenz.' },
  'undo.enabled': { name: 'Rückgängig', hint: 'Speichert vor der ersten Änderung jeder Runde einen Schnappschuss.' },
  'undo.cover': {
    name: 'Was Rückgängig wiederherstellt',
    hint: '`sources`: alles außer Ordnern, die ein Werkzeug neu erstellt, etwa `node_modules`. `all`: auch diese.',
  },
  'undo.maxBytes': {
    name: 'Platz für Schnappschüsse eines Ordners',
    hint: 'Bytes. Darüber werden große Dateien nicht gespeichert.',
  },
  'undo.maxTotalBytes': { name: 'Platz für alle Schnappschüsse', hint: 'Bytes. 0: keine Grenze.' },
  'undo.keepDays': { name: 'Tage, die Schnappschüsse bleiben', hint: 'Ältere löscht `klaus db gc`.' },
  'limits.usd': {
    name: 'Kosten einer Sitzung',
    hint: 'US-Dollar. 0: unbegrenzt. Vor einer Überschreitung fragt die Sitzung.',
  },
  'limits.tokens': { name: 'Token einer Sitzung', hint: 'Ohne die aus dem Prompt-Cache. 0: unbegrenzt.' },
  'limits.toolCalls': { name: 'Werkzeugaufrufe einer Sitzung', hint: '0: unbegrenzt.' },
  'limits.turns': { name: 'Runden einer Sitzung', hint: '0: unbegrenzt.' },
  'limits.minutes': { name: 'Minuten einer Sitzung', hint: 'In denen Modelle arbeiten. 0: unbegrenzt.' },
  'usage.monthlyUsd': {
    name: 'Geplante Kosten eines Monats',
    hint: 'US-Dollar. Die Verbrauchsseite vergleicht ihre Prognose damit. Kein Lauf wird beendet. 0: kein Plan.',
  },
  maxOutputTokens: { name: 'Token einer Antwort', hint: 'Die größte Anzahl.' },
  'verification.usd': { name: 'Kosten einer Verifikation', hint: 'US-Dollar.' },
  'sandbox.driver': {
    name: 'Sandbox',
    hint: 'Wo Befehle laufen. `host` führt sie ohne Sandbox aus, mit allen Rechten des Benutzers des Servers.',
    unset: 'die beste funktionierende, nie `host`',
  },
  'sandbox.folders': {
    name: 'Weitere Ordner',
    hint: 'Ordner außerhalb des Arbeitsbereichs, die Befehle und Werkzeuge sehen, als absolute Pfade. Geheime Dateien darin sind verborgen.',
  },
  'sandbox.env': {
    name: 'Umgebungsvariablen',
    hint: 'Namen, die Befehle erhalten, je Zeile einer. `*` am Ende steht für mehrere. Zugangsdaten brauchen ihren ganzen Namen.',
  },
  'sandbox.repository': {
    name: 'Repository um den Arbeitsbereich lesen',
    hint: 'Geheime Dateien bleiben verborgen.',
  },
  'sandbox.fetch': { name: 'bubblewrap herunterladen', hint: 'In den Zustandsordner, wenn es nicht installiert ist.' },
  'sandbox.timeoutMs': { name: 'Zeit eines Befehls', hint: 'Millisekunden.' },
  'sandbox.memoryMb': {
    name: 'Speicher eines Befehls',
    hint: 'In MiB.',
    unset: 'die Hälfte des Speichers des Rechners',
  },
  'sandbox.cpus': { name: 'CPU-Kerne eines Befehls', hint: 'Auch Bruchteile.', unset: 'alle Kerne außer einem' },
  'sandbox.processes': { name: 'Prozesse eines Befehls', hint: 'Die größte Anzahl.' },
  'secrets.files': {
    name: 'Weitere geheime Dateien',
    hint: 'Globs, je Zeile einer. Kein Werkzeug und kein Befehl liest sie.',
  },
  'git.protectedBranches': { name: 'Geschützte Branches', hint: 'Namen oder Globs, je Zeile einer.' },
  compactAt: { name: 'Zusammenfassen ab', hint: 'Anteil am Kontextfenster, von 0,1 bis 0,95.' },
};

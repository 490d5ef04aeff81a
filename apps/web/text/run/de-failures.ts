import type { enFailures } from './en-failures.ts';

/** Failures of models and keys in German. */
export const deFailures: typeof enFailures = {
  titles: {
    auth: 'Der Anbieter hat den API-Schlüssel abgelehnt',
    rate_limited: 'Der Anbieter begrenzt die Zahl der Anfragen',
    overloaded: 'Das Modell ist überlastet',
    server_error: 'Der Anbieter hat einen Fehler gemeldet',
    connection: 'Keine Verbindung zum Anbieter',
    idle: 'Das Modell antwortet nicht mehr',
    malformed: 'Die Antwort des Modells war nicht lesbar',
    invalid_request: 'Der Anbieter hat die Anfrage zurückgewiesen',
    context_window: 'Das Gespräch ist zu lang für das Modell',
    budget: 'Das Budget des Projekts ist aufgebraucht',
    abandoned: 'Die Anfrage wurde unterbrochen',
  },
  rejectedKey: (provider) =>
    `Einen gültigen Schlüssel auf dem Rechner des Servers mit \`klaus login ${provider}\` hinterlegen, dann erneut versuchen.`,
  toSettings: 'Schlüssel in den Einstellungen setzen',
  attempts: (n) => `${n} Versuche`,
  noKey: 'Kein API-Schlüssel hinterlegt',
  noKeyHint: (provider) =>
    `Auf dem Rechner des Servers mit \`klaus login ${provider}\` hinterlegen. \`klaus demo\` zeigt einen Lauf ohne Schlüssel.`,
  sendFailed: 'Die Nachricht wurde nicht gesendet.',
};

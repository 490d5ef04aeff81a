import { createCount } from '../count.ts';
import type { UsageText } from './en-usage.ts';

const count = createCount('de');

/** The same in German. */
export const deUsage: UsageText = {
  summary: 'Zusammenfassung',
  period: 'Kosten in diesem Zeitraum',
  firstDay: 'Das Diagramm erscheint ab dem zweiten Tag. Der erste steht in der Tabelle.',
  requests: (n) => count(n, 'Anfrage', 'Anfragen'),
  cacheRate: 'Trefferquote des Caches',
  cacheHint: (read) => `${read} Eingabe-Token kamen aus dem Prompt-Cache`,
  month: 'Dieser Monat',
  forecast: (usd) => `Prognose: ${usd}`,
  forecastHint: (day) => `Bei ${day} pro Tag, dem Mittel der letzten 14 Tage`,
  plan: (usd) => `von ${usd} geplant`,
  over: (usd) => `${usd} über dem Plan`,
  within: 'im Plan',
  setPlan: 'Monat planen',
  csv: 'CSV herunterladen',
  heat: 'Kosten der letzten 26 Wochen',
  less: 'Weniger',
  more: 'Mehr',
  heatDay: (day, usd) => `${day}: ${usd}`,
  heatTable: 'Als Tabelle',
  week: 'Woche ab',
  cost: 'Kosten',
  noProject: 'Kein Ordner',
};

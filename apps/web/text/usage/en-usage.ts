import { createCount } from '../count.ts';

const count = createCount('en');

/** Texts of the usage page in English that are loaded with it. */
export const enUsage = {
  summary: 'Summary',
  period: 'Cost in this period',
  firstDay: 'The chart appears with the second day of use. The table has the first.',
  requests: (n: number) => count(n, 'request', 'requests'),
  cacheRate: 'Cache hit rate',
  cacheHint: (read: string) => `${read} input tokens came from the prompt cache`,
  month: 'This month',
  forecast: (usd: string) => `Forecast: ${usd}`,
  forecastHint: (day: string) => `At ${day} per day, the mean of the last 14 days`,
  plan: (usd: string) => `of ${usd} planned`,
  over: (usd: string) => `${usd} over the plan`,
  within: 'within the plan',
  setPlan: 'Plan a month',
  csv: 'Download CSV',
  heat: 'Cost of the last 26 weeks',
  less: 'Less',
  more: 'More',
  heatDay: (day: string, usd: string) => `${day}: ${usd}`,
  heatTable: 'As a table',
  week: 'Week of',
  cost: 'Cost',
  noProject: 'No folder',
};

/** The shape of every catalogue. */
export type UsageText = typeof enUsage;

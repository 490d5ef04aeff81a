import type { enList } from './en-list.ts';

/** The same in German. */
export const deList: typeof enList = {
  allProjects: 'Alle Projekte',
  project: (name) => `Projekt: ${name}`,
  running: (n) => `${n} aktiv`,
  needsYou: (n) => `${n} warten auf eine Antwort`,
  filters: (n) => (n === 0 ? 'Sitzungen filtern' : `Sitzungen filtern (${n} aktiv)`),
  archive: 'Archivieren',
  unarchive: 'Aus dem Archiv nehmen',
  archived: 'Archiviert',
  archivedToast: (name) => `„${name}“ archiviert.`,
  sound: 'Ton abspielen, wenn eine Sitzung eine Antwort braucht',
  attachments: 'Anhänge',
  view: 'Anzeigen:',
  cut: (n) => `die ersten ${n.toLocaleString('de')} Zeichen`,
  estimate: (tokens, usd) =>
    `Etwa ${tokens} Token${usd === undefined ? '' : `, mindestens ${usd} für die erste Anfrage`}.`,
  estimateShare: (percent) => `Das sind ${percent} % des Kontextfensters.`,
  favourites: 'Favoriten',
  favourite: 'Favorit',
  favouriteKeys: 'Alt-Enter fügt das Modell zu den Favoriten hinzu oder entfernt es.',
  effortIs: (name) => `Denkaufwand: ${name}`,
  efforts: { default: 'Standard', low: 'Niedrig', medium: 'Mittel', high: 'Hoch', max: 'Maximal' },
  effortTexts: {
    low: 'Antwortet schnell, für einfache Aufgaben.',
    medium: 'Ausgewogen zwischen Tempo und Gründlichkeit.',
    high: 'Denkt bei schwierigen Aufgaben länger nach.',
    max: 'Denkt so lange nach, wie das Modell kann. Langsam und teuer.',
  },
  voice: 'Diktieren',
  voiceStop: 'Diktat beenden',
  voiceFailed: 'Der Browser konnte keine Sprache erkennen.',
  select: 'Auswählen',
  selectOne: (name) => `${name} auswählen`,
  selectKeys: 'In der Liste auswählen, oder einen Bereich',
};

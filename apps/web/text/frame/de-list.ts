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
  select: 'Auswählen',
  selectOne: (name) => `${name} auswählen`,
  selectKeys: 'In der Liste auswählen, oder einen Bereich',
};

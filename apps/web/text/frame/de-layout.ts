import { createCount } from '../count.ts';
import type { enLayout } from './en-layout.ts';

const count = createCount('de');

/** The same in German. */
export const deLayout: typeof enLayout = {
  hideSidebar: 'Seitenleiste ausblenden',
  showSidebar: 'Seitenleiste einblenden',
  resizeSidebar: 'Breite der Seitenleiste',
  toggleSidebar: 'Seitenleiste ein- oder ausblenden',
  examples: 'Zum Beispiel',
  example: {
    explain: 'Erkläre, wie dieses Projekt aufgebaut ist und wo man mit dem Lesen beginnt.',
    test: 'Führe die Tests aus. Wenn einer fehlschlägt, finde die Ursache und behebe sie.',
    review: 'Prüfe meine nicht übernommenen Änderungen auf Fehler.',
    readme: 'Probiere die Befehle der README aus und korrigiere, was darin falsch ist.',
    todo: 'Liste die TODO- und FIXME-Kommentare auf und schlage vor, welchen man zuerst erledigt.',
    begin: 'Erstelle ein kleines Programm, das einen Gruß ausgibt, mit einem Test.',
  },
  defaultFolder: 'Ordner des Servers',
  components: 'Komponenten',
  accent: 'Akzentfarbe',
  accents: { iris: 'Iris', pine: 'Kiefer', ember: 'Glut', plum: 'Pflaume' },
  reads: ({ read, listed, searched, other }) =>
    [
      read > 0 ? `${count(read, 'Datei', 'Dateien')} gelesen` : '',
      listed > 0 ? `${count(listed, 'Ordner', 'Ordner')} aufgelistet` : '',
      searched > 0 ? count(searched, 'Suche', 'Suchen') : '',
      other > 0 ? count(other, 'weitere Abfrage', 'weitere Abfragen') : '',
    ]
      .filter(Boolean)
      .join(', '),
  readsFailed: (n) => `${n} fehlgeschlagen`,
};

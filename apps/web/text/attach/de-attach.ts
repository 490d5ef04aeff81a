import { createCount } from '../count.ts';
import type { AttachText } from './en-attach.ts';

const count = createCount('de');

/** The same in German. */
export const deAttach: AttachText = {
  titles: {
    diff: 'Nicht committete Änderungen anhängen',
    commit: 'Commit anhängen',
    failure: 'Fehlgeschlagenen Befehl oder Prüfung anhängen',
    issue: 'Issue anhängen',
  },
  attach: 'Anhängen',
  choose: 'Andere Auswahl',
  preview: 'Vorschau',
  files: (n) => count(n, 'Datei', 'Dateien'),
  size: (files, bytes, tokens) => `${files}, ${bytes}, etwa ${tokens} Token`,
  tooLarge: (size, limit) =>
    `Der Text hat mindestens ${size} Zeichen; höchstens ${limit} können angehängt werden. Dateien können in der Nachricht mit @ genannt werden: Klaus kann sie lesen.`,
  tooLargeDiff: (size, limit) =>
    `Der Diff hat mindestens ${size} Zeichen; höchstens ${limit} können angehängt werden. Einen Teil vormerken (\`git add\`) und nur diesen anhängen, oder die Dateien in der Nachricht mit @ nennen.`,
  leftOut: (n) => `${count(n, 'Datei', 'Dateien')} ausgelassen, wegen Geheimnissen oder der Richtlinie:`,
  more: (n) => `und ${n} weitere`,
  noRepository: 'Dieser Ordner hat kein Git-Repository.',
  noRepositoryHint: (folder) => `\`git init\` in ${folder} ausführen, oder stattdessen Dateien anhängen.`,
  noRepositoryFolder: 'dem Ordner',
  diff: {
    what: 'Änderungen',
    all: 'Alle',
    staged: 'Nur vorgemerkte',
    failed: 'Die Änderungen konnten nicht gelesen werden.',
    none: 'Es gibt keine Änderungen ohne Commit.',
    noneStaged: 'Es ist nichts vorgemerkt.',
    noneStagedHint: 'Änderungen mit `git add` vormerken, oder alle anhängen.',
    onlySecrets:
      'Nur Dateien mit Geheimnissen, oder von der Richtlinie verborgene, haben sich geändert. Ihr Inhalt wird nicht angehängt.',
  },
  commit: {
    find: 'Commit nach Betreff, Autor oder Hash suchen',
    list: 'Letzte Commits',
    failed: 'Die Commits konnten nicht gelesen werden.',
    failedOne: 'Der Commit konnte nicht gelesen werden.',
    none: 'Kein passender Commit',
    empty: 'Dieses Repository hat noch keine Commits.',
  },
  failure: {
    find: 'Befehl suchen',
    list: 'Fehlgeschlagene Befehle und Prüfungen dieser Sitzung, die neuesten zuerst',
    failed: 'Die Ausgabe konnte nicht geladen werden.',
    none: 'Kein passender Befehl',
    empty: 'In dieser Sitzung ist nichts fehlgeschlagen.',
    notBegun: 'Diese Sitzung hat noch nicht begonnen, deshalb ist noch kein Befehl fehlgeschlagen.',
    emptyHint: 'Fehlgeschlagene Befehle und Prüfungen werden hier aufgelistet.',
    check: 'Prüfung',
    name: (command) => `fehlgeschlagen: ${command}`,
    command: 'Befehl',
    exitCode: 'Exit-Code',
    bySignal: 'keiner, durch ein Signal beendet',
    output: 'Ende der Ausgabe',
    noOutput: 'Es ist keine Ausgabe aufgezeichnet.',
  },
  issue: {
    url: 'Adresse des Issues',
    hint: 'Eines Issues, eines Pull Requests oder einer anderen Seite, etwa `https://github.com/owner/repo/issues/12`.',
    problems: {
      incomplete: 'Das ist keine vollständige Adresse. Sie muss mit `https://` beginnen.',
      protocol: 'Nur `https://` und `http://` können gelesen werden. Eine solche Adresse eingeben.',
      credentials:
        'Die Adresse enthält ein Passwort oder ein Token. Es muss entfernt werden: Modell und Log würden es erhalten.',
    },
    shownAs: (label) => `Wird als ${label} angehängt.`,
    server:
      'Der Server liest die Seite nicht. Das Modell kann sie mit einem Aufruf lesen, über den die Freigabeprüfung entscheidet.',
    noAccess: (host) =>
      `Diese Sitzung hat keinen Zugriff auf ${host}: Vor dem Lesen der Seite wird eine Freigabe angefragt.`,
    newSession: (host) =>
      `Wenn ihre Berechtigung ${host} nicht enthält, fragt die neue Sitzung vor dem Lesen der Seite nach einer Freigabe.`,
    prompt: (label, url) => `Zuerst ${label} lesen: ${url}`,
  },
};

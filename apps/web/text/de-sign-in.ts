import type { SignInText } from './en-sign-in.ts';

/** Texts about the sign-in and roles in German. */
export const deSignIn: SignInText = {
  title: 'Anmelden',
  text: 'Token dieses Servers eingeben. Es befindet sich in der Datei, die `klaus serve` beim Start ausgibt.',
  token: 'Token',
  submit: 'Anmelden',
  wrong: 'Das Token ist für diesen Server nicht gültig.',
  link: '`klaus serve --open` öffnet die Seite mit dem Token.',
  provider: 'Anmeldung mit dem Konto der Organisation.',
  proxy: 'Ein Proxy übernimmt die Anmeldung. Diese Seite über die Adresse des Proxys öffnen.',
  signedOut: 'Hier abgemeldet, beim Anbieter aber noch angemeldet.',
  signOutThere: 'Beim Anbieter abmelden',
  as: 'Angemeldet als',
  roles: { viewer: 'Betrachter', operator: 'Bediener', admin: 'Administrator' },
  needs: {
    viewer: 'Erfordert die Rolle Betrachter',
    operator: 'Erfordert die Rolle Bediener',
    admin: 'Erfordert die Rolle Administrator',
  },
  readOnly: 'Hier ist alles lesbar. Nachrichten senden erfordert die Rolle Bediener.',
  failures: {
    stale: 'Die Anmeldung hat zu lange gedauert oder wurde in einem anderen Tab begonnen. Erneut anmelden.',
    refused: 'Der Anbieter hat die Anmeldung abgelehnt. Erneut anmelden oder die Administration fragen.',
    no_role: 'Das Konto hat keine Rolle auf diesem Server. Die Administration kann sie einer Gruppe zuweisen.',
    unreachable: 'Der Anbieter ist nicht erreichbar. Später erneut anmelden.',
    invalid: 'Die Antwort des Anbieters ist ungültig. Das Protokoll des Servers enthält die Einzelheiten.',
  },
};

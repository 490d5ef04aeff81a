import type { Authority, Grant } from '../../protocol/index.ts';
import { isNothing } from './authority.ts';
import { toTimeText } from './grant-time.ts';

const SEPARATOR = ' · ';

export const NOTHING_TEXT = 'nothing';

/** Words that are written without quotes; all others are quoted, with unusual characters escaped. */
const BARE = /^[A-Za-z0-9_@%+:./*~=-]+$/;

/**
 * The grant in one readable line, which `parseGrant` reads:
 * `fs(/srv/app, rwx) · exec · tool(*) · expires 2026-12-01T00:00Z · delegable: fs(/srv/app, r)`.
 */
export function toGrantText(grant: Grant): string {
  const held = grant.authorities.filter((one) => !isNothing(one)).map(toAuthorityText);
  const handed = (grant.delegable ?? []).filter((one) => !isNothing(one)).map(toAuthorityText);
  return [
    ...(held.length === 0 ? [NOTHING_TEXT] : held),
    ...(grant.expiresAt === undefined ? [] : [`expires ${toTimeText(grant.expiresAt)}`]),
    ...(handed.length === 0 ? [] : [`delegable: ${handed.join(SEPARATOR)}`]),
  ].join(SEPARATOR);
}

export function toAuthorityText(authority: Authority): string {
  const until = authority.expiresAt === undefined ? '' : ` until ${toTimeText(authority.expiresAt)}`;
  return `${toContentText(authority)}${until}`;
}

function toContentText(authority: Authority): string {
  switch (authority.kind) {
    case 'fs':
      return `fs(${toWord(authority.path)}, ${authority.rights})`;
    case 'net': {
      const host = toHost(authority.host);
      return authority.port === 0 ? `net(${host})` : `net(${host}, ${authority.port})`;
    }
    case 'exec':
      return authority.argv ? `exec(${authority.argv.map(toWord).join(' ')})` : 'exec';
    case 'tool':
      return `tool(${toWord(authority.name)})`;
    case 'secret':
      return `secret(${toWord(authority.name)} → ${toHost(authority.host)})`;
    case 'model':
      return `model(${authority.ids.map(toWord).join(', ')})`;
    case 'spend':
      return `spend($${authority.usd})`;
    case 'turns':
      return `turns(${authority.count})`;
    case 'spawn':
      return `spawn(${authority.depth}, ${authority.count})`;
  }
}

function toHost(host: string): string {
  return host.includes(':') ? `[${host}]` : toWord(host);
}

/** A word in the text of a grant: quoted if it could be misread, without invisible characters. */
function toWord(word: string): string {
  if (BARE.test(word)) return word;
  return JSON.stringify(word).replaceAll(/[^\x20-\x7e]/g, (character) => {
    const plain = /[\p{L}\p{N}]/u.test(character) && character === character.normalize('NFC');
    return plain ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

import { CornerLeftUp } from 'lucide-react';
import { host, nameOf, sessionOf } from '../state/host.ts';
import { toAbove } from '../state/session-tree.ts';
import { toHash, toSession } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { useText } from '../text/text.ts';
import './children.css';

/** The sessions above a child session, from the one that the user opened. */
export function SessionAbove({ parent }: { parent: string }) {
  const t = useText();
  const known = useStore(host);
  const above = toAbove(parent, (id) => sessionOf(known, id));
  const links = above.length > 0 ? above : [{ id: parent, title: null, firstPrompt: null, agent: parent }];
  return (
    <nav className="session-above line small muted ruled" aria-label={t.children.above}>
      <CornerLeftUp size={14} aria-hidden />
      <span>{t.children.startedBy}</span>
      <ol className="line">
        {links.map((session) => (
          <li key={session.id} className="ellipsis">
            <a href={toHash(toSession(session.id))}>{nameOf(session) ?? session.agent}</a>
          </li>
        ))}
      </ol>
    </nav>
  );
}

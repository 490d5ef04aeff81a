import { CircleQuestionMark, Ellipsis, List, MessageSquareText, SquarePen, type LucideIcon } from 'lucide-react';
import { availableCommands } from '../actions/commands.ts';
import { signal } from '../actions/signal.ts';
import { focusNextField } from '../composer/next-focus.ts';
import { host } from '../state/host.ts';
import { isOwn } from '../state/session-tree.ts';
import { go, route, toSession } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { usePlaces } from '../sessions/places.ts';
import { useText } from '../text/text.ts';
import { Menu } from '../ui/menu.tsx';

/** The session that was shown last. */
let last: string | undefined;

interface Place {
  key: string;
  label: string;
  icon: LucideIcon;
  isCurrent: boolean;
  isDisabled?: boolean;
  count?: number;
  run: () => void;
}

/** The main views of a narrow page, in reach of a thumb. */
export function BottomBar() {
  const t = useText();
  const here = useStore(route);
  const { sessions } = useStore(host);
  if (here.page === 'session') last = here.id;
  const current = last;
  const waiting = [...sessions.values()].filter(
    (session) => session.state === 'needs-you' && isOwn(session, sessions),
  ).length;
  const { bar } = t.lists;
  const others = usePlaces();
  const places: Place[] = [
    {
      key: 'sessions',
      label: bar.sessions,
      icon: List,
      isCurrent: here.page === 'home',
      run: () => go({ page: 'home' }),
    },
    {
      key: 'current',
      label: bar.current,
      icon: MessageSquareText,
      isCurrent: here.page === 'session',
      isDisabled: current === undefined,
      run: () => current !== undefined && go(toSession(current)),
    },
    {
      key: 'needs-you',
      label: bar.needsYou,
      icon: CircleQuestionMark,
      isCurrent: false,
      isDisabled: waiting === 0,
      count: waiting,
      run: () =>
        availableCommands()
          .find(({ id }) => id === 'question')
          ?.run(),
    },
    {
      key: 'new',
      label: bar.new,
      icon: SquarePen,
      isCurrent: false,
      run() {
        if (here.page === 'home') return signal('focus-message');
        focusNextField({ onTouch: true });
        go({ page: 'home' });
      },
    },
  ];
  return (
    <nav className="bottom-bar" aria-label={bar.label}>
      {places.map(({ key, label, icon: Icon, isCurrent, isDisabled = false, count = 0, run }) => (
        <button
          key={key}
          type="button"
          className="bottom-place column"
          aria-current={isCurrent ? 'page' : undefined}
          aria-label={count > 0 ? `${label}, ${t.lists.needsYou(count)}` : undefined}
          disabled={isDisabled}
          onClick={run}
        >
          <span className="bottom-icon">
            <Icon size={20} />
            {count > 0 ? <span className="count-mark project-count warn number" data-count={count} /> : null}
          </span>
          <span className="ellipsis">{label}</span>
        </button>
      ))}
      <Menu
        label={bar.more}
        className={`bottom-more ${others.some(({ isCurrent }) => isCurrent) ? 'bottom-more-current' : ''}`}
        items={others.map(({ label, keys, icon, run }) => ({ key: keys, label, icon, run }))}
      >
        <Ellipsis size={20} />
        <span className="ellipsis">{bar.more}</span>
      </Menu>
    </nav>
  );
}

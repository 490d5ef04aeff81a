import { Bot, ChartColumn, Columns3, Keyboard, Settings2, ShieldCheck, type LucideIcon } from 'lucide-react';
import { overlay } from '../state/overlay.ts';
import { go, route } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { useText } from '../text/text.ts';

/** A page beside the sessions, or the commands. */
interface Place {
  label: string;
  keys: string;
  icon: LucideIcon;
  isCurrent?: boolean;
  run: () => void;
}

/** The pages beside the sessions: in the sidebar, and in the bottom bar of a narrow page. */
export function usePlaces(): readonly Place[] {
  const t = useText();
  const { page } = useStore(route);
  const to = (target: 'board' | 'usage' | 'guard' | 'agents' | 'settings') => ({
    isCurrent: page === target,
    run: () => go({ page: target }),
  });
  return [
    { label: t.attention.board, keys: 'g b', icon: Columns3, ...to('board') },
    { label: t.app.usage, keys: 'g u', icon: ChartColumn, ...to('usage') },
    { label: t.app.guard, keys: 'g g', icon: ShieldCheck, ...to('guard') },
    { label: t.app.agents, keys: 'g a', icon: Bot, ...to('agents') },
    { label: t.app.palette, keys: 'mod+k', icon: Keyboard, run: () => overlay.set({ kind: 'palette' }) },
    { label: t.app.settings, keys: 'g s', icon: Settings2, ...to('settings') },
  ];
}

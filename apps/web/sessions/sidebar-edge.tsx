import type { KeyboardEvent, PointerEvent } from 'react';
import { changePreferences, preferences, SIDEBAR } from '../state/preferences.ts';
import { useStore } from '../state/store.ts';
import { useText } from '../text/text.ts';

/** Pixels that one press of an arrow key moves the edge. */
const STEP = 8;

export function toggleSidebar(): void {
  changePreferences({ isSidebarHidden: !preferences.get().isSidebarHidden });
}

function resize(width: number): void {
  changePreferences({ sidebarWidth: Math.min(SIDEBAR.max, Math.max(SIDEBAR.min, Math.round(width))) });
}

/** The edge of the sidebar, which can be dragged or moved with the arrow keys. */
export function SidebarEdge() {
  const t = useText();
  const { sidebarWidth } = useStore(preferences);
  const move = (event: PointerEvent) => {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) resize(event.clientX);
  };
  const press = ({ key }: KeyboardEvent) => {
    if (key === 'ArrowLeft') resize(sidebarWidth - STEP);
    if (key === 'ArrowRight') resize(sidebarWidth + STEP);
  };
  return (
    <div
      className="sidebar-edge wide"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={t.layout.resizeSidebar}
      aria-valuemin={SIDEBAR.min}
      aria-valuemax={SIDEBAR.max}
      aria-valuenow={sidebarWidth}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={move}
      onKeyDown={press}
      onDoubleClick={() => resize(SIDEBAR.start)}
    />
  );
}

import { useEffect, useState } from 'react';
import { preferences } from '../state/preferences.ts';
import { useStore } from '../state/store.ts';

/** Colours of a diagram by the names of Mermaid, each with the token of the page. */
const COLORS = {
  background: '--surface',
  mainBkg: '--surface-raised',
  primaryColor: '--surface-raised',
  primaryTextColor: '--text',
  primaryBorderColor: '--line-strong',
  secondaryColor: '--surface-sunken',
  tertiaryColor: '--surface-sunken',
  edgeLabelBackground: '--surface',
  lineColor: '--text-muted',
  textColor: '--text',
  noteBkgColor: '--warn-soft',
  noteTextColor: '--text',
  noteBorderColor: '--line-strong',
  errorBkgColor: '--bad-soft',
  errorTextColor: '--bad',
} as const;

export type DiagramTheme = Record<string, string | boolean>;

/** The colours of the present theme, for a diagram. They change with the theme. */
export function useDiagramTheme(): DiagramTheme {
  const chosen = useStore(preferences);
  const [theme, setTheme] = useState(readTheme);
  useEffect(() => {
    const update = () => setTheme((before) => toSame(before, readTheme()));
    update();
    const queries = ['(prefers-color-scheme: dark)', '(prefers-contrast: more)'].map((query) => matchMedia(query));
    for (const query of queries) query.addEventListener('change', update);
    return () => queries.forEach((query) => query.removeEventListener('change', update));
  }, [chosen]);
  return theme;
}

function toSame(before: DiagramTheme, after: DiagramTheme): DiagramTheme {
  return JSON.stringify(before) === JSON.stringify(after) ? before : after;
}

function readTheme(): DiagramTheme {
  const probe = document.createElement('span');
  probe.hidden = true;
  document.body.append(probe);
  const colors = Object.entries(COLORS).map(([name, token]) => {
    // Mermaid computes with colours, and knows neither `light-dark()` nor variables.
    probe.style.color = `var(${token})`;
    return [name, toHex(getComputedStyle(probe).color)] as const;
  });
  probe.remove();
  const theme: DiagramTheme = Object.fromEntries(colors);
  return { ...theme, darkMode: isDark(theme['background'] as string), fontSize: '14px' };
}

function toHex(color: string): string {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d')!;
  canvas.fillStyle = color;
  canvas.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = canvas.getImageData(0, 0, 1, 1).data;
  return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

function isDark(hex: string): boolean {
  return Number.parseInt(hex.slice(1, 3), 16) < 128;
}

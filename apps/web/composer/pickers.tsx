import { effortSchema, type Effort, type Mode } from '@klaus/core/protocol';
import { Gauge, ShieldCheck } from 'lucide-react';
import { useRef } from 'react';
import { useSignal } from '../actions/use-signal.ts';
import { host } from '../state/host.ts';
import { useStore } from '../state/store.ts';
import { useText } from '../text/text.ts';
import { Menu } from '../ui/menu.tsx';

const MODES: readonly Mode[] = ['plan', 'ask', 'edits', 'auto'];

export function ModePicker({ mode, onChange }: { mode: Mode; onChange: (mode: Mode) => void }) {
  const t = useText();
  const root = useRef<HTMLSpanElement>(null);
  useSignal('choose-mode', () => root.current?.querySelector<HTMLButtonElement>('.menu-button')?.click());
  return (
    <span ref={root} className={`picker mode-${mode}`}>
      <Menu
        label={t.composer.modeIs(t.composer.modeNames[mode])}
        side="above"
        align="start"
        className="menu-wide"
        items={MODES.map((it) => ({
          key: it,
          label: t.composer.modeNames[it],
          description: t.composer.modeTexts[it],
          isChosen: it === mode,
          run: () => onChange(it),
        }))}
      >
        <ShieldCheck size={14} />
        {t.composer.modeNames[mode]}
      </Menu>
    </span>
  );
}

interface EffortPickerProps {
  model: string;
  /** Absent: that of the settings. */
  effort: Effort | undefined;
  onChange: (effort: Effort) => void;
}

/** How much the model reasons. Nothing for a model without levels of effort. */
export function EffortPicker({ model, effort, onChange }: EffortPickerProps) {
  const t = useText();
  const { models } = useStore(host);
  const root = useRef<HTMLSpanElement>(null);
  useSignal('choose-effort', () => root.current?.querySelector<HTMLButtonElement>('.menu-button')?.click());
  const known = models.find(({ name }) => name === model);
  if (!known?.efforts || known.efforts.length === 0) return null;
  const name = t.lists.efforts[effort ?? 'default'];
  return (
    <span ref={root} className="picker">
      <Menu
        label={t.lists.effortIs(name)}
        side="above"
        align="start"
        items={effortSchema.options.map((it) => ({
          key: it,
          label: t.lists.efforts[it],
          description: t.lists.effortTexts[it],
          isChosen: it === effort,
          run: () => onChange(it),
        }))}
      >
        <Gauge size={14} />
        {effort === undefined ? null : <span className="wide">{name}</span>}
      </Menu>
    </span>
  );
}

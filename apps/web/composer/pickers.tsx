import type { Mode } from '@klaus/core/protocol';
import { ShieldCheck } from 'lucide-react';
import { useRef } from 'react';
import { useSignal } from '../actions/use-signal.ts';
import { host } from '../state/host.ts';
import { useStore } from '../state/store.ts';
import { formatUsd } from '../text/format.ts';
import { useText } from '../text/text.ts';
import { Menu } from '../ui/menu.tsx';

/** Chooses a model by what it is good for and what it costs. */
export function ModelPicker({ model, onChange }: { model: string; onChange: (model: string) => void }) {
  const t = useText();
  const { models } = useStore(host);
  const root = useRef<HTMLSpanElement>(null);
  useSignal('choose-model', () => root.current?.querySelector<HTMLButtonElement>('.menu-button')?.click());
  const short = model.split('/').at(-1) ?? model;
  return (
    <span ref={root} className="picker">
      <Menu
        label={`${t.composer.model}: ${model}`}
        side="above"
        align="start"
        items={models.map(({ name, description, price, relativePrice, usable }) => ({
          key: name,
          label: name,
          description: [description, price && t.composer.modelPrice(formatUsd(price.input), formatUsd(price.output))]
            .filter(Boolean)
            .join(' '),
          hint: usable ? toRelative(relativePrice) : t.composer.modelNoKey,
          isChosen: name === model,
          isDisabled: !usable,
          run: () => onChange(name),
        }))}
      >
        <span className="ellipsis">{short}</span>
      </Menu>
    </span>
  );
}

/** A price as a share of the dearest. */
function toRelative(share: number | null): string {
  if (share === null) return '';
  return share >= 0.095 ? `${Math.round(share * 100)} %` : `${(share * 100).toFixed(1)} %`;
}

const MODES: readonly Mode[] = ['plan', 'ask', 'edits', 'auto'];

/** Chooses what is asked about. */
export function ModePicker({ mode, onChange }: { mode: Mode; onChange: (mode: Mode) => void }) {
  const t = useText();
  return (
    <Menu
      label={`${t.composer.mode}: ${withShort(t.composer.modeShort[mode], t.composer.modes[mode])}`}
      side="above"
      align="start"
      items={MODES.map((it) => ({
        key: it,
        label: t.composer.modes[it],
        isChosen: it === mode,
        run: () => onChange(it),
      }))}
    >
      <ShieldCheck size={14} />
      {t.composer.modeShort[mode]}
    </Menu>
  );
}

/** A name has to hold the word that is seen. */
function withShort(short: string, name: string): string {
  return name.includes(short) ? name : `${short}, ${name}`;
}

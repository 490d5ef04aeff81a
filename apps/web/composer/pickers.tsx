import type { Mode } from '@klaus/core/protocol';
import type { ModelView } from '@klaus/server/contract';
import { ShieldCheck } from 'lucide-react';
import { useRef } from 'react';
import { useSignal } from '../actions/use-signal.ts';
import { host } from '../state/host.ts';
import { useStore } from '../state/store.ts';
import { formatCount, formatShort, formatUsd } from '../text/format.ts';
import type { Text } from '../text/en.ts';
import { useText } from '../text/text.ts';
import { Menu } from '../ui/menu.tsx';
import { Picker } from '../ui/picker.tsx';

export function ModelPicker({ model, onChange }: { model: string; onChange: (model: string) => void }) {
  const t = useText();
  const { models } = useStore(host);
  const root = useRef<HTMLSpanElement>(null);
  useSignal('choose-model', () => root.current?.querySelector<HTMLButtonElement>('.menu-button')?.click());
  const current = models.find(({ name }) => name === model);
  return (
    <span ref={root} className="picker">
      <Picker
        label={t.composer.modelIs(model)}
        items={models.map((it) => ({
          key: it.name,
          label: it.name,
          description: describe(it, t),
          hint: it.usable ? compare(it, current, t) : t.composer.modelNoKey,
          isChosen: it.name === model,
          isDisabled: !it.usable,
          run: () => onChange(it.name),
        }))}
      >
        <span className="ellipsis">{model.split('/').at(-1) ?? model}</span>
      </Picker>
    </span>
  );
}

function describe({ tier, contextWindow, images, until, price }: ModelView, t: Text): string {
  const words = [
    t.composer.tiers[tier ?? 'none'],
    t.composer.window(formatShort(contextWindow)),
    images ? undefined : t.composer.noImages,
    until === null ? undefined : t.composer.until(until),
    price ? t.composer.modelPrice(formatUsd(price.input), formatUsd(price.output)) : undefined,
  ];
  return words.filter(Boolean).join(' · ');
}

function compare(model: ModelView, current: ModelView | undefined, t: Text): string {
  if (model.name === current?.name) return t.composer.modelCurrent;
  if (!model.relativePrice || !current?.relativePrice) return '';
  const times = model.relativePrice / current.relativePrice;
  if (times > 0.95 && times < 1.05) return t.composer.samePrice;
  const round = (value: number) => formatCount(Math.round(value * 10) / 10);
  return times > 1 ? t.composer.dearer(round(times)) : t.composer.cheaper(round(1 / times));
}

const MODES: readonly Mode[] = ['plan', 'ask', 'edits', 'auto'];

export function ModePicker({ mode, onChange }: { mode: Mode; onChange: (mode: Mode) => void }) {
  const t = useText();
  const root = useRef<HTMLSpanElement>(null);
  useSignal('choose-mode', () => root.current?.querySelector<HTMLButtonElement>('.menu-button')?.click());
  return (
    <span ref={root} className="picker">
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

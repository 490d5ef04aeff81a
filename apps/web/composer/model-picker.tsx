import { PROVIDER_TABLE } from '@klaus/core/provider-table';
import type { ModelView } from '@klaus/server/contract';
import { Star } from 'lucide-react';
import { useRef } from 'react';
import { useSignal } from '../actions/use-signal.ts';
import { host } from '../state/host.ts';
import { changePreferences, preferences } from '../state/preferences.ts';
import { useStore } from '../state/store.ts';
import { formatCount, formatShort, formatUsd } from '../text/format.ts';
import type { Text } from '../text/en.ts';
import { useText } from '../text/text.ts';
import { Picker, type PickerItem } from '../ui/picker.tsx';
import { toModelName, toPriceClass } from './model-name.ts';
import { useLocalModels } from './use-local-models.ts';

function toggleFavourite(name: string): void {
  const { favourites } = preferences.get();
  const rest = favourites.filter((it) => it !== name);
  changePreferences({ favourites: rest.length < favourites.length ? rest : [...favourites, name] });
}

/** The models: favourites first, then those that can be used, by provider. */
export function ModelPicker({ model, onChange }: { model: string; onChange: (model: string) => void }) {
  const t = useText();
  const { models } = useStore(host);
  const { favourites } = useStore(preferences);
  const root = useRef<HTMLSpanElement>(null);
  useSignal('choose-model', () => root.current?.querySelector<HTMLButtonElement>('.menu-button')?.click());
  const local = useLocalModels(model, onChange);
  const current = models.find(({ name }) => name === model);
  const isFavourite = ({ name }: ModelView) => favourites.includes(name);
  const others = models.filter((it) => !isFavourite(it)).toSorted((a, b) => a.provider.localeCompare(b.provider));
  const toItem = (it: ModelView): PickerItem => ({
    key: it.name,
    group: isFavourite(it) ? t.lists.favourites : toTitle(it.provider),
    label: toLabel(it, t),
    description: describe(it, t),
    hint: it.usable ? compare(it, current, t) : t.composer.modelNoKey,
    isChosen: it.name === model,
    isDisabled: !it.usable,
    mark: (
      <>
        <Star
          size={14}
          className={isFavourite(it) ? 'star star-on' : 'star'}
          aria-hidden
          onClick={(event) => {
            event.stopPropagation();
            toggleFavourite(it.name);
          }}
        />
        {isFavourite(it) ? <span className="unseen">{t.lists.favourite}</span> : null}
      </>
    ),
    run: () => onChange(it.name),
  });
  return (
    <span ref={root} className="picker">
      <Picker
        label={t.composer.modelIs(model)}
        note={t.lists.favouriteKeys}
        onMark={({ key }) => {
          if (models.some(({ name }) => name === key)) toggleFavourite(key);
        }}
        onOpen={local.look}
        items={[
          ...models.filter(isFavourite).map(toItem),
          ...others.filter(({ usable }) => usable).map(toItem),
          ...local.items,
          ...others.filter(({ usable }) => !usable).map(toItem),
        ]}
      >
        <span className="ellipsis">{toModelName(model)}</span>
      </Picker>
    </span>
  );
}

/** The name of a provider for people; that of an entry of `servers` is its own. */
function toTitle(provider: string): string {
  const known: Readonly<Record<string, { title: string }>> = PROVIDER_TABLE;
  return known[provider]?.title ?? provider;
}

/** Such as `Opus 5.5 · Most capable · $$$`. */
function toLabel({ name, tier, relativePrice }: ModelView, t: Text): string {
  const words = [toModelName(name), tier === null ? '' : t.composer.tiers[tier], toPriceClass(relativePrice)];
  return words.filter((word) => word !== '').join(' · ');
}

function describe({ name, contextWindow, images, until, price }: ModelView, t: Text): string {
  const words = [
    name,
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
  const round = (value: number) => formatCount(value < 10 ? Math.round(value * 10) / 10 : Math.round(value));
  return times > 1 ? t.composer.dearer(round(times)) : t.composer.cheaper(round(1 / times));
}
